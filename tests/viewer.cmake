# The live viewer: the server against a viewer in Python, and the page in a browser.
find_program(PYTHON python3 REQUIRED)
add_test(NAME viewer_server COMMAND ${PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/viewer_test.py $<TARGET_FILE:coulis_main>
    ${CMAKE_BINARY_DIR}/tests)
if(COULIS_SANITIZE) # which keep freed memory for a while
    set_tests_properties(viewer_server PROPERTIES ENVIRONMENT ASAN_OPTIONS=detect_leaks=1)
endif()

# The page is the same in every build.
if(COULIS_SHARED)
    add_test(NAME viewer_bundle COMMAND ${CMAKE_SOURCE_DIR}/tools/page check)
    add_test(NAME viewer_page COMMAND ${CMAKE_SOURCE_DIR}/tools/page test $<TARGET_FILE:coulis_main>)
    set_tests_properties(viewer_page PROPERTIES COST 50)
    # Builds the library once more, by emscripten: minutes, so it is left to `make test-long`.
    add_test(NAME playground COMMAND ${CMAKE_SOURCE_DIR}/tools/playground --test $<TARGET_FILE:coulis_main>)
    set_tests_properties(playground PROPERTIES LABELS slow)
endif()
