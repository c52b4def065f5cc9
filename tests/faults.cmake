# Every allocation, write and rename of a short run fails once. The sanitizers have allocators of their own.
find_program(PYTHON python3 REQUIRED)
if(NOT COULIS_SANITIZE AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
    add_library(fault_shim MODULE fault_shim.c)
    set_target_properties(fault_shim PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    target_compile_definitions(fault_shim PRIVATE _GNU_SOURCE)
    target_link_libraries(fault_shim PRIVATE ${CMAKE_DL_LIBS})
    add_test(NAME faults COMMAND ${PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/faults_test.py $<TARGET_FILE:coulis_main>
        $<TARGET_FILE:fault_shim>)
    set_tests_properties(faults PROPERTIES LABELS slow)
    # Killed while it writes: a few moments here, fifty in `make test-long`.
    add_test(NAME kills COMMAND ${PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/kills_test.py $<TARGET_FILE:coulis_main>
        $<TARGET_FILE:fault_shim>)
endif()
