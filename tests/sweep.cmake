# Sweeps over values of a scene, and comparisons of runs.
add_test(NAME sweep COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/test_sweep.sh $<TARGET_FILE:coulis_main> ${CMAKE_SOURCE_DIR})
# On a Slurm that the test sets up: minutes, and packages that only tools/setup full installs.
add_test(NAME slurm COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/slurm/test_slurm.sh $<TARGET_FILE:coulis_main> ${CMAKE_SOURCE_DIR})
set_tests_properties(slurm PROPERTIES LABELS slow SKIP_RETURN_CODE 77)
