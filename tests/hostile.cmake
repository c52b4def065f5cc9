# The program among files that are not its own, and inputs made to harm.
find_program(PYTHON python3 REQUIRED)
add_test(NAME hostile COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/test_hostile.sh $<TARGET_FILE:coulis_main>
    ${CMAKE_SOURCE_DIR})

# The attack of docs/robustness.md: a part of each class here, all of it in `make test-long`.
add_test(NAME attack COMMAND ${PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/attack_test.py $<TARGET_FILE:coulis_main>)
if(COULIS_SANITIZE)
    set_property(TEST attack APPEND PROPERTY ENVIRONMENT "ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0")
endif()
