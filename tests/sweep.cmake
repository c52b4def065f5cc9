# Sweeps over values of a scene, and comparisons of runs.
add_test(NAME sweep COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/test_sweep.sh $<TARGET_FILE:coulis_main> ${CMAKE_SOURCE_DIR})
