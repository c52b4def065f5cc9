# The Python package as it was built, by pytest; one test for each file, so that they run side by side. The notebook is slow: it
# runs a validation case. Needs the shared libraries.
if(COULIS_SHARED)
    set(library_dir $<TARGET_FILE_DIR:coulis_shared>)
    set(package_parent ${CMAKE_BINARY_DIR}/python)
    foreach(part api plans columns world scene pictures readme wheel notebook)
        add_test(NAME python_${part} COMMAND ${CFFI_PYTHON} -m pytest -q -p no:cacheprovider
            ${CMAKE_SOURCE_DIR}/python/tests/test_${part}.py)
        set_tests_properties(python_${part} PROPERTIES TIMEOUT 3600 ENVIRONMENT
            "PYTHONPATH=${package_parent};PYTHONDONTWRITEBYTECODE=1;CC=${CMAKE_C_COMPILER};COULIS_LIBRARY_DIR=${library_dir}")
    endforeach()
    set_tests_properties(python_notebook PROPERTIES LABELS slow)
endif()
