# A run as other programs see it: VTK, assimp, Blender and a reader of USD text. A program that is not installed makes its test
# fail: tools/setup test brings them.
add_executable(write_surfaces write_surfaces.c)
target_include_directories(write_surfaces PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
set_target_properties(write_surfaces PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
target_link_libraries(write_surfaces PRIVATE coulis_program coulis coulis_flags)

set(samples ${CMAKE_BINARY_DIR}/tests/surfaces)
set(run ${CMAKE_BINARY_DIR}/tests/exchange_run)
add_test(NAME write_surfaces COMMAND write_surfaces ${samples})
add_test(NAME exchange_run COMMAND coulis_main run ${CMAKE_CURRENT_SOURCE_DIR}/data/exchange.lua --out ${run} --quiet)
add_test(NAME exchange_surfaces COMMAND write_surfaces --run ${run})
add_test(NAME exchange_usda COMMAND coulis_main export ${run} --to usda --quiet)
set_tests_properties(write_surfaces PROPERTIES FIXTURES_SETUP sample_surfaces)
set_tests_properties(exchange_run PROPERTIES FIXTURES_SETUP exchange_run)
set_tests_properties(exchange_surfaces PROPERTIES FIXTURES_SETUP exchange_surfaces FIXTURES_REQUIRED exchange_run)
set_tests_properties(exchange_usda PROPERTIES FIXTURES_SETUP exchange_usda FIXTURES_REQUIRED "exchange_run;exchange_surfaces")

add_test(NAME vtk_reads_surfaces COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/read_surfaces.py ${samples} ${run})
set_tests_properties(vtk_reads_surfaces PROPERTIES FIXTURES_REQUIRED "sample_surfaces;exchange_run;exchange_surfaces")
foreach(extension obj ply)
    add_test(NAME assimp_reads_surface_${extension} COMMAND assimp info ${samples}/sphere.${extension})
    string(CONCAT sphere "Faces: +6400[^0-9].*Minimum point +\\(-0.249[0-9]* 0.500000 -0.499[0-9]*\\)"
        ".*Maximum point +\\(0.749[0-9]* 1.500000 0.499[0-9]*\\)")
    set_tests_properties(assimp_reads_surface_${extension} PROPERTIES FIXTURES_REQUIRED sample_surfaces
        PASS_REGULAR_EXPRESSION "${sphere}")
endforeach()
add_test(NAME vtk_frames_are_read COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/foreign_frames.py
    $<TARGET_FILE:coulis_main> ${CMAKE_BINARY_DIR}/tests/foreign)
add_test(NAME usda_is_right COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/check_usda.py ${run})
set_tests_properties(usda_is_right PROPERTIES FIXTURES_REQUIRED "exchange_run;exchange_surfaces;exchange_usda")

# Blender loads the run and saves it; then the saved file, opened by itself, must still follow the frames.
set(blender blender --background --factory-startup --enable-autoexec --python-exit-code 1)
add_test(NAME blender_loads_run COMMAND ${blender} --python ${CMAKE_SOURCE_DIR}/tools/blender/coulis_import.py
    --python ${CMAKE_CURRENT_SOURCE_DIR}/blender_test.py -- ${run} --save ${CMAKE_BINARY_DIR}/tests/exchange.blend)
add_test(NAME blender_keeps_run COMMAND ${blender} ${CMAKE_BINARY_DIR}/tests/exchange.blend
    --python ${CMAKE_CURRENT_SOURCE_DIR}/blender_test.py -- ${run})
set_tests_properties(blender_loads_run PROPERTIES FIXTURES_SETUP exchange_blend)
set_tests_properties(blender_keeps_run PROPERTIES FIXTURES_REQUIRED "exchange_run;exchange_surfaces;exchange_blend")
set_tests_properties(blender_loads_run PROPERTIES FIXTURES_REQUIRED "exchange_run;exchange_surfaces")
set_tests_properties(blender_loads_run blender_keeps_run PROPERTIES
    PASS_REGULAR_EXPRESSION "coulis test: all as in the run's files" ENVIRONMENT "HOME=${CMAKE_BINARY_DIR}/tests;PYTHONPATH=")
# The same run with foam and with another look, saved ready to render; a look of things that the run has not is refused.
add_test(NAME exchange_foam COMMAND coulis_main foam ${run} --format vtp,ply --force --air-min 0 --air-max 0.1 --speed-min 0
    --speed-max 0.1 --air-rate 500)
set_tests_properties(exchange_foam PROPERTIES FIXTURES_REQUIRED exchange_run FIXTURES_SETUP exchange_foam)
set(import ${blender} --python ${CMAKE_SOURCE_DIR}/tools/blender/coulis_import.py)
add_test(NAME blender_saves_look COMMAND ${import} -- ${run} --save ${CMAKE_BINARY_DIR}/tests/look.blend --samples 7
    --size 320x180 --frames 2-4 --look ${CMAKE_CURRENT_SOURCE_DIR}/data/blender_look.json)
add_test(NAME blender_keeps_look COMMAND ${blender} ${CMAKE_BINARY_DIR}/tests/look.blend
    --python ${CMAKE_CURRENT_SOURCE_DIR}/blender_look_test.py -- ${run})
add_test(NAME blender_refuses COMMAND ${import} -- ${run} --look ${run}/run.json)
set_tests_properties(blender_saves_look PROPERTIES FIXTURES_REQUIRED "exchange_run;exchange_surfaces;exchange_foam"
    FIXTURES_SETUP look_blend PASS_REGULAR_EXPRESSION "frames 2 to 4")
set_tests_properties(blender_keeps_look PROPERTIES FIXTURES_REQUIRED "exchange_run;exchange_surfaces;exchange_foam;look_blend"
    PASS_REGULAR_EXPRESSION "coulis test: looks as it was asked to")
set_tests_properties(blender_refuses PROPERTIES FIXTURES_REQUIRED "exchange_run;exchange_surfaces"
    PASS_REGULAR_EXPRESSION "run.json: has neither materials nor bodies nor cameras")
set_tests_properties(blender_saves_look blender_keeps_look blender_refuses PROPERTIES
    ENVIRONMENT "HOME=${CMAKE_BINARY_DIR}/tests;PYTHONPATH=")
