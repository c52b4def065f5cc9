# The program among files that are not its own, and inputs made to harm.
add_test(NAME hostile COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/test_hostile.sh $<TARGET_FILE:coulis_main>
    ${CMAKE_SOURCE_DIR})
