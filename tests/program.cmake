# The program as a user meets it: exit codes, files, resume, interrupts, trouble with disks and files.
find_program(BASH_PROGRAM bash REQUIRED)
add_test(NAME program COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/test_program.sh $<TARGET_FILE:coulis_main> ${CMAKE_SOURCE_DIR})
set_tests_properties(program PROPERTIES TIMEOUT 900)
# Every scene made of liquids with every method: some hundred short runs.
add_test(NAME methods_gallery COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/test_methods_gallery.sh $<TARGET_FILE:coulis_main>
    ${CMAKE_SOURCE_DIR})
set_tests_properties(methods_gallery PROPERTIES TIMEOUT 1800 LABELS slow)
