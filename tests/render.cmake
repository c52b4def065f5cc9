# Surfaces, pictures and film as a user meets them: files, resumed and stopped commands, frames of other programs, bad input.
find_program(BASH_PROGRAM bash REQUIRED)
add_test(NAME render_program COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/test_render.sh $<TARGET_FILE:coulis_main>
    ${CMAKE_SOURCE_DIR})
add_test(NAME colors_program COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/test_colors.sh $<TARGET_FILE:coulis_main>
    ${CMAKE_SOURCE_DIR})
add_test(NAME foam_program COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/test_foam.sh $<TARGET_FILE:coulis_main>
    ${CMAKE_SOURCE_DIR})
