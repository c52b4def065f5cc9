# The repository itself: documents, set-up script, installed package, the order of the modules, limits of length.
add_executable(readme_snippet readme_snippet.c)
set_target_properties(readme_snippet PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
target_link_libraries(readme_snippet PRIVATE coulis coulis_flags)
add_test(NAME readme_snippet COMMAND readme_snippet)

# These do not depend on how the code was compiled, or need the shared libraries.
if(COULIS_SHARED)
    find_program(PYTHON python3 REQUIRED)
    add_test(NAME docs COMMAND ${PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/docs_test.py ${CMAKE_SOURCE_DIR} ${CMAKE_C_COMPILER}
        $<TARGET_FILE_DIR:coulis_shared> $<TARGET_FILE:coulis_main>)
    add_test(NAME setup COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/setup_test.sh ${CMAKE_SOURCE_DIR})
    add_test(NAME install COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/install_test.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}
        ${CMAKE_C_COMPILER})
    add_test(NAME chain COMMAND ${PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/chain_test.py ${CMAKE_SOURCE_DIR})
    add_test(NAME limits COMMAND ${PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/limits_test.py ${CMAKE_SOURCE_DIR})
endif()
