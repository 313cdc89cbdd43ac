# Finds a Python that can build the bindings: with headers and nanobind. SPMV_HAVE_PYTHON says whether there is one.
set(SPMV_HAVE_PYTHON OFF)
if(NOT SPMV_BUILD_PYTHON STREQUAL "OFF" AND NOT SPMV_SANITIZE)  # a sanitizer would have to be loaded before Python
  # What jobs/test.sh makes comes first, unless Python_EXECUTABLE names one.
  if(NOT DEFINED Python_EXECUTABLE AND EXISTS ${PROJECT_BINARY_DIR}/python/bin/python3)
    set(Python_EXECUTABLE ${PROJECT_BINARY_DIR}/python/bin/python3)
  endif()
  find_package(Python 3.10 COMPONENTS Interpreter Development.Module)
  if(Python_FOUND)
    execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir RESULT_VARIABLE no_nanobind
                    OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(no_nanobind EQUAL 0)
      find_package(nanobind CONFIG)
      set(SPMV_HAVE_PYTHON ${nanobind_FOUND})
    endif()
  endif()
  if(SPMV_BUILD_PYTHON STREQUAL "ON" AND NOT SPMV_HAVE_PYTHON)
    message(FATAL_ERROR "SPMV_BUILD_PYTHON=ON, but no Python from 3.10 on with its headers (python3-dev) and nanobind (pip install "
                        "nanobind) was found: name one by -DPython_EXECUTABLE=FILE")
  endif()
endif()
set(SPMV_HAVE_PYTHON ${SPMV_HAVE_PYTHON} CACHE INTERNAL "For the scripts in jobs")
message(STATUS "Python: import spmv_dist: ${SPMV_HAVE_PYTHON}")
