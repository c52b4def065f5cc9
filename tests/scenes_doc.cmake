# The pages with tables made by the program: tools/update-docs renews them, a stale one fails here. Lua on the pages must pass
# the check.
set(generated_pages ${CMAKE_SOURCE_DIR}/docs/scenes.md ${CMAKE_SOURCE_DIR}/docs/materials.md ${CMAKE_SOURCE_DIR}/docs/methods.md)
pkg_check_modules(LUA REQUIRED IMPORTED_TARGET lua5.4)
add_executable(gen_scene_tables gen_scene_tables.c)
target_include_directories(gen_scene_tables PRIVATE ${CMAKE_SOURCE_DIR}/src)
set_target_properties(gen_scene_tables PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
target_link_libraries(gen_scene_tables PRIVATE coulis_program coulis coulis_flags PkgConfig::LUA)
add_custom_target(update_docs COMMAND gen_scene_tables ${generated_pages})
add_test(NAME generated_docs COMMAND gen_scene_tables --check ${generated_pages})

find_program(PYTHON python3 REQUIRED)
add_test(NAME library_index COMMAND ${PYTHON} ${CMAKE_SOURCE_DIR}/tools/index-library --check)
add_test(NAME scenes_doc
    COMMAND ${PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/scenes_doc_test.py $<TARGET_FILE:coulis_main> ${CMAKE_SOURCE_DIR})
set_tests_properties(scenes_doc PROPERTIES TIMEOUT 600)
