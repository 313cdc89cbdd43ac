# How tests are declared. A test has a label for its kind (unit, mpi, cli, ...) and perhaps one for when it runs:
#   quick      after every change: jobs/test.sh quick
#   (neither)  before a change is handed over: jobs/test.sh
#   thorough   slow tests that rarely find what the others miss: jobs/test.sh thorough

# The environment of every test: few threads, because ranks share the cores; root may start ranks, and more ranks than cores.
# MPIEXEC_TIMEOUT ends ranks that ctest cannot reach. The time limit only ends tests that hang: a busy machine or a sanitizer
# may slow any test down ten times.
set(spmv_test_seconds 7200)
set(spmv_test_environment
    OMP_PROC_BIND=false
    OMP_NUM_THREADS=1
    OMP_WAIT_POLICY=passive
    OMPI_ALLOW_RUN_AS_ROOT=1
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_hwloc_base_binding_policy=none
    OMPI_MCA_mpi_yield_when_idle=1
    OMPI_MCA_btl_base_warn_component_unused=0
    PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    PRTE_MCA_hwloc_default_binding_policy=none
    MPIEXEC_TIMEOUT=${spmv_test_seconds}
    GTEST_BRIEF=1  # googletest prints failures alone, so that none is cut off with the middle of a long output
    PMIX_MCA_psec=native  # if munge has left a socket behind, every start waits two seconds for it
    XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/tests/cache
    ASAN_OPTIONS=detect_leaks=1
    "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0"
    "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1"
    "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp:ignore_noninstrumented_modules=1:halt_on_error=0")

# Waiting ranks sleep, because they share their cores with each other and with other tests. (A sanitizer must be loaded first.)
add_library(spmv_patient_yield MODULE patient_yield.cpp)
target_link_libraries(spmv_patient_yield PRIVATE spmv_flags)
set(spmv_patient_labels mpi lib cli cuda)

# The targets that each set of tests needs. `all` contains them.
add_custom_target(spmv_quick_tests DEPENDS spmv_patient_yield)
add_custom_target(spmv_default_tests DEPENDS spmv_quick_tests)

# spmv_set_test(NAME LABELS kind... [QUICK | THOROUGH] [PROCESSORS n] [ENVIRONMENT name=value...] [COST seconds])
# A quick test first builds what it needs (test `build`). COST: on two cores; ctest starts long tests first while it has no
# times of its own.
function(spmv_set_test name)
  cmake_parse_arguments(TEST "QUICK;THOROUGH" "PROCESSORS;COST" "LABELS;ENVIRONMENT" ${ARGN})
  if(NOT TEST_PROCESSORS)
    set(TEST_PROCESSORS 1)
  endif()
  list(GET TEST_LABELS 0 kind)
  if(TEST_QUICK)
    list(APPEND TEST_LABELS quick)
    set_property(TEST ${name} PROPERTY FIXTURES_REQUIRED build)
  elseif(TEST_THOROUGH)
    list(APPEND TEST_LABELS thorough)
  endif()
  if(TEST_COST)
    set_property(TEST ${name} PROPERTY COST ${TEST_COST})
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${TEST_LABELS}" PROCESSORS ${TEST_PROCESSORS}
                                          TIMEOUT ${spmv_test_seconds})
  set(environment ${spmv_test_environment} ${TEST_ENVIRONMENT})
  if(kind IN_LIST spmv_patient_labels AND NOT SPMV_SANITIZE)
    list(APPEND environment LD_PRELOAD=$<TARGET_FILE:spmv_patient_yield>)
  endif()
  set_property(TEST ${name} PROPERTY ENVIRONMENT ${environment})
endfunction()

# spmv_add_test_binary(NAME source...): a googletest binary; the caller links the library that it
# tests.
function(spmv_add_test_binary name)
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE SPMV_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  # Compiling tests takes longer than running them.
  target_compile_options(${name} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${SPMV_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # With unity builds GCC takes sources for headers, and warns about types with members of an
    # anonymous namespace.
    target_compile_options(${name} PRIVATE $<$<AND:$<BOOL:${SPMV_UNITY}>,$<COMPILE_LANGUAGE:CXX>>:-Wno-subobject-linkage>)
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)  # GCC 12 warns about its own std::string (GCC bug 105651)
      target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
    endif()
  endif()
  target_link_libraries(${name} PRIVATE spmv_flags GTest::gtest nlohmann_json::nlohmann_json ZLIB::ZLIB fmt::fmt
                                        OpenMP::OpenMP_CXX)
  # The headers that every test includes. All binaries share the first one's precompiled header.
  get_property(owner GLOBAL PROPERTY spmv_precompiled_headers)
  if(owner)
    target_precompile_headers(${name} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:<gtest/gtest.h$<ANGLE-R>>"
                                              "$<$<COMPILE_LANGUAGE:CXX>:<filesystem$<ANGLE-R>>"
                                              "$<$<COMPILE_LANGUAGE:CXX>:<fmt/format.h$<ANGLE-R>>")
    set_property(GLOBAL PROPERTY spmv_precompiled_headers ${name})
  endif()
endfunction()

# spmv_add_mpi_test(NAME RANKS LABELS ... COMMAND ... [QUICK | THOROUGH] [COST seconds]): runs a
# binary on RANKS ranks.
function(spmv_add_mpi_test name ranks)
  cmake_parse_arguments(MPI "" "" "COMMAND" ${ARGN})
  add_test(NAME ${name} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS}
                                ${MPI_COMMAND} ${MPIEXEC_POSTFLAGS})
  set(cores ${ranks})
  if(NOT SPMV_SANITIZE)
    set(cores 1)  # most ranks sleep while they wait for another
    if(ranks GREATER 3)
      set(cores 2)
    endif()
  endif()
  spmv_set_test(${name} PROCESSORS ${cores} ${MPI_UNPARSED_ARGUMENTS})
endfunction()
