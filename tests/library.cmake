# The library as others use it.
find_package(ODE MODULE REQUIRED)
target_link_libraries(test_base PRIVATE ODE::ODE) # its hooks
target_compile_definitions(test_base PRIVATE COU_PROJECT_VERSION="${PROJECT_VERSION}" $<$<BOOL:${COULIS_SANITIZE}>:COU_SANITIZED>)
