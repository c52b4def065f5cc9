# The libraries as others link them: what they show and need, headers that stand alone, and users in C, C++ and Python against an
# installed tree that was moved. Tools that are missing make tests fail: tools/setup test brings them.
find_package(ODE MODULE REQUIRED)
target_link_libraries(test_base PRIVATE ODE::ODE) # its hooks
target_compile_definitions(test_base PRIVATE COU_PROJECT_VERSION="${PROJECT_VERSION}" $<$<BOOL:${COULIS_SANITIZE}>:COU_SANITIZED>)

find_program(CXX_PROGRAM NAMES $ENV{CXX} c++ g++ clang++)
add_test(NAME public_headers COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/headers_test.sh ${CMAKE_SOURCE_DIR} ${CMAKE_C_COMPILER}
    ${CXX_PROGRAM})

if(COULIS_SHARED)
    add_test(NAME library_symbols COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/symbols_test.py ${CMAKE_SOURCE_DIR}
        $<TARGET_FILE:coulis> $<TARGET_FILE:coulis_shared> $<TARGET_FILE:coulis_studio_shared>)

    set(prefix ${CMAKE_BINARY_DIR}/tests/installed)
    set(consumer_test sh ${CMAKE_CURRENT_SOURCE_DIR}/consumer_test.sh)
    add_test(NAME library_install COMMAND ${consumer_test} install ${CMAKE_SOURCE_DIR} ${prefix} ${CMAKE_BINARY_DIR})
    set_tests_properties(library_install PROPERTIES FIXTURES_SETUP installed TIMEOUT 300)
    foreach(user c valgrind static cxx python studio)
        add_test(NAME library_from_${user} COMMAND ${consumer_test} ${user} ${CMAKE_SOURCE_DIR} ${prefix} ${CMAKE_C_COMPILER}
            ${CXX_PROGRAM})
        set_tests_properties(library_from_${user} PROPERTIES FIXTURES_REQUIRED installed TIMEOUT 600)
    endforeach()
endif()
