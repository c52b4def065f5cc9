# What `cmake --install` leaves: library, headers, CMake package, pkg-config file; program, scenes, completion; docs.
# The library is static, so that its own dependencies (ODE, threads, maths, perhaps OpenMP) are named in both package files.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/coulis)

install(TARGETS coulis EXPORT coulisTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT coulisTargets NAMESPACE coulis:: DESTINATION ${package_dir})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/coulis DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/coulisConfig.cmake.in ${CMAKE_BINARY_DIR}/coulisConfig.cmake
    INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/coulisConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/coulisConfig.cmake ${CMAKE_BINARY_DIR}/coulisConfigVersion.cmake
    ${CMAKE_SOURCE_DIR}/cmake/FindODE.cmake DESTINATION ${package_dir})

# The folder of the pkg-config file tells it the prefix, so that an installed tree can be moved.
set(COULIS_PC_LIBS "-lode -lm ${CMAKE_THREAD_LIBS_INIT}")
get_filename_component(ode_dir ${ODE_LIBRARY} DIRECTORY)
if(NOT ode_dir IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
    string(PREPEND COULIS_PC_LIBS "-L${ode_dir} ")
endif()
if(COULIS_OPENMP)
    foreach(name ${OpenMP_C_LIB_NAMES})
        string(APPEND COULIS_PC_LIBS " -l${name}")
    endforeach()
endif()
string(REGEX REPLACE " +" " " COULIS_PC_LIBS "${COULIS_PC_LIBS}")
set(pc_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH COULIS_PC_PREFIX ${pc_dir} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" COULIS_PC_PREFIX "${COULIS_PC_PREFIX}")
configure_file(${CMAKE_SOURCE_DIR}/cmake/coulis.pc.in ${CMAKE_BINARY_DIR}/coulis.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/coulis.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(COULIS_PROGRAM)
    install(TARGETS coulis_main RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(DIRECTORY ${CMAKE_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/coulis OPTIONAL)
    install(FILES ${CMAKE_SOURCE_DIR}/tools/completion.bash RENAME coulis OPTIONAL
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endif()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
