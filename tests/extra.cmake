# Frames as other programs see them. A reader that is not installed makes its test fail: tools/setup test brings them.
add_executable(write_frames write_frames.c)
target_include_directories(write_frames PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
set_target_properties(write_frames PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
target_link_libraries(write_frames PRIVATE coulis_program coulis coulis_flags)

set(frames ${CMAKE_BINARY_DIR}/tests/frames)
set(frame_counts 0 1 1003 100003)
add_test(NAME write_frames COMMAND write_frames ${frames} ${frame_counts})
# Debian's own Python has Debian's VTK; another python3 may come first on the path.
add_test(NAME vtk_reads_frames COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/read_frames.py ${frames} ${frame_counts})
# Without -r assimp wants faces, which particles do not have.
add_test(NAME assimp_reads_ply COMMAND assimp info ${frames}/sample_100003.ply -r)
string(CONCAT sample "Vertices: +100003[^0-9].*Minimum point +\\(0.000000 -49.500000 0.000000\\)"
    ".*Maximum point +\\(25000.500000 0.000000 124.875000\\)")
set_tests_properties(assimp_reads_ply PROPERTIES PASS_REGULAR_EXPRESSION "${sample}")
set_tests_properties(write_frames PROPERTIES FIXTURES_SETUP sample_frames)
set_tests_properties(vtk_reads_frames assimp_reads_ply PROPERTIES FIXTURES_REQUIRED sample_frames)
