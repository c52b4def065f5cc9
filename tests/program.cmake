# The program as a user meets it: exit codes, files, resume, interrupts, trouble with disks and files.
find_program(BASH_PROGRAM bash REQUIRED)
find_program(PYTHON python3 REQUIRED)
set(program_and_source $<TARGET_FILE:coulis_main> ${CMAKE_SOURCE_DIR})
add_test(NAME program COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/test_program.sh ${program_and_source})
add_test(NAME provenance COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/test_provenance.sh ${program_and_source})
add_test(NAME help COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/test_help.sh ${program_and_source})
# Every scene made of liquids with every method: some hundred short runs.
add_test(NAME methods_gallery COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/test_methods_gallery.sh ${program_and_source})
# The same numbers as ever: hashes of a few short runs, by whatever compiler.
add_test(NAME golden COMMAND ${PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/golden_test.py ${program_and_source})
# Gauges of runs and of frames.
add_test(NAME gauges COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/test_gauges_program.sh ${program_and_source})
