# What `cmake --install` leaves: libraries, headers, CMake package, pkg-config files; program, scenes, completion; docs.
# A shared library knows what it needs. The users of a static one must be told: ODE, qhull, threads, maths, perhaps OpenMP; and
# for the studio Lua, HDF5 and so on. These are the targets of the package's component `static`, and the private libraries of the
# pkg-config files.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/coulis)

# install_part(NAME EXPORT_NAME)
function(install_part name export_name)
    set_target_properties(${name} PROPERTIES EXPORT_NAME ${export_name}_static)
    install(TARGETS ${name} EXPORT coulisStaticTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    if(COULIS_SHARED)
        set_target_properties(${name}_shared PROPERTIES EXPORT_NAME ${export_name})
        install(TARGETS ${name}_shared EXPORT coulisTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    endif()
endfunction()

install_part(coulis coulis)
if(COULIS_STUDIO)
    install_part(coulis_studio studio)
else()
    set(no_studio_headers REGEX "/(checkpoint|font|frames|mesh_file|picture|scene|solid_file|studio|surface_file)\\.h$" EXCLUDE)
endif()
install(EXPORT coulisStaticTargets NAMESPACE coulis:: DESTINATION ${package_dir})
if(COULIS_SHARED)
    install(EXPORT coulisTargets NAMESPACE coulis:: DESTINATION ${package_dir})
endif()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/coulis DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h"
    ${no_studio_headers})

configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/coulisConfig.cmake.in ${CMAKE_BINARY_DIR}/coulisConfig.cmake
    INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/coulisConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/coulisConfig.cmake ${CMAKE_BINARY_DIR}/coulisConfigVersion.cmake
    ${CMAKE_SOURCE_DIR}/cmake/FindODE.cmake DESTINATION ${package_dir})

# append_flags(LIST FILE...): -lNAME for library files, with -L where the linker does not look by itself; flags stay as they are.
function(append_flags list)
    foreach(file ${ARGN})
        if(file MATCHES "^-")
            list(APPEND ${list} ${file})
            continue()
        endif()
        get_filename_component(folder ${file} DIRECTORY)
        get_filename_component(name ${file} NAME)
        if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
            list(APPEND ${list} -L${folder})
        endif()
        string(REGEX REPLACE "^lib(.*)\\.(so|a)([.0-9]*)$" "-l\\1" flag ${name})
        list(APPEND ${list} ${flag})
    endforeach()
    set(${list} ${${list}} PARENT_SCOPE)
endfunction()

# install_pc(NAME FLAG...): the pkg-config file. Its own folder tells it the prefix, so that an installed tree can be moved. The
# flags are for those who link the static library; everyone, where there is no shared one.
function(install_pc name)
    list(JOIN ARGN " " COULIS_PC_PRIVATE)
    if(NOT COULIS_SHARED)
        set(COULIS_PC_LIBS " ${COULIS_PC_PRIVATE}")
        set(COULIS_PC_PRIVATE "")
    endif()
    file(RELATIVE_PATH COULIS_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
    string(REGEX REPLACE "/$" "" COULIS_PC_PREFIX "${COULIS_PC_PREFIX}")
    configure_file(${CMAKE_SOURCE_DIR}/cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

append_flags(core_flags ${ODE_LIBRARY} -lqhull_r -lm ${CMAKE_THREAD_LIBS_INIT})
if(COULIS_OPENMP)
    foreach(name ${OpenMP_C_LIB_NAMES})
        append_flags(core_flags -l${name})
    endforeach()
endif()
install_pc(coulis ${core_flags})
if(COULIS_STUDIO)
    get_target_property(png_file PNG::PNG LOCATION)
    get_target_property(zlib_file ZLIB::ZLIB LOCATION)
    append_flags(studio_flags ${LUA_LINK_LIBRARIES} ${HDF5_C_LIBRARIES} ${png_file} ${zlib_file} -lembree3 -lOpenEXRCore
        ${ASSIMP_LINK_LIBRARIES} ${FREETYPE_LINK_LIBRARIES} ${JANSSON_LINK_LIBRARIES} -lm)
    install_pc(coulis-studio ${studio_flags})
endif()

if(COULIS_PROGRAM)
    install(TARGETS coulis_main RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES ${CMAKE_SOURCE_DIR}/tools/completion.bash RENAME coulis OPTIONAL
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${CMAKE_SOURCE_DIR}/tools/completion.zsh RENAME _coulis OPTIONAL
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${CMAKE_SOURCE_DIR}/tools/completion.fish RENAME coulis.fish OPTIONAL
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
    # Made from the program's own help when it is built.
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/coulis.1 DEPENDS coulis_main ${CMAKE_SOURCE_DIR}/tools/man
        COMMAND ${CMAKE_SOURCE_DIR}/tools/man $<TARGET_FILE:coulis_main> > ${CMAKE_BINARY_DIR}/coulis.1 VERBATIM)
    add_custom_target(coulis_man ALL DEPENDS ${CMAKE_BINARY_DIR}/coulis.1)
    install(FILES ${CMAKE_BINARY_DIR}/coulis.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
endif()
if(COULIS_PROGRAM)
    install(FILES ${CMAKE_SOURCE_DIR}/tools/blender/coulis_import.py DESTINATION ${CMAKE_INSTALL_DATADIR}/coulis/blender)
endif()
if(COULIS_STUDIO)
    install(DIRECTORY ${CMAKE_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/coulis OPTIONAL)
endif()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
