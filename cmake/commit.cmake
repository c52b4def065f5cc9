# cmake -DSOURCE=DIR -DOUTPUT=FILE -P commit.cmake: a header with the commit that SOURCE is at, for run.json; touched only when it
# has changed. "-dirty" behind it: with changes that are in no commit. Without git, or outside of a repository, it is unknown.
execute_process(COMMAND ${CMAKE_COMMAND} -E env GIT_OPTIONAL_LOCKS=0
    git -C ${SOURCE} describe --always --dirty --abbrev=40 --exclude=*
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR NOT commit MATCHES "^[0-9a-f]+(-dirty)?$")
    set(commit unknown)
endif()
set(text "#define COU_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS ${OUTPUT})
    file(READ ${OUTPUT} old)
endif()
if(NOT text STREQUAL old)
    file(WRITE ${OUTPUT} "${text}")
endif()
