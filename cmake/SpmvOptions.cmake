# Options of the build and the flags that follow from them.
include(CMakeDependentOption)
include(CheckCXXCompilerFlag)
include(CheckLinkerFlag)
include(GNUInstallDirs)
# In a build of somebody else's, by add_subdirectory or FetchContent, the library is all that is wanted, and what concerns the
# whole build is left as it is.
if(PROJECT_IS_TOP_LEVEL)
  option(BUILD_SHARED_LIBS "Install a shared library; the program needs none either way" ON)
elseif(NOT DEFINED BUILD_SHARED_LIBS)
  set(BUILD_SHARED_LIBS ON)
endif()
option(SPMV_BUILD_PROGRAM "Build the program spmv_dist" ${PROJECT_IS_TOP_LEVEL})
option(SPMV_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(SPMV_BUILD_BENCHMARKS "Build the benchmarks of jobs/bench" ${PROJECT_IS_TOP_LEVEL})
option(SPMV_INSTALL "Install what is built" ${PROJECT_IS_TOP_LEVEL})
option(SPMV_BUILD_FUZZERS "Build the libFuzzer harnesses of tests/fuzz: needs clang; take the preset fuzz" OFF)
option(SPMV_NATIVE "Compile for the processor of this machine (off: a portable binary)" ON)
option(SPMV_UNITY "Compile ten sources at a time: a whole build takes half as long, a change of one of them longer" OFF)
option(SPMV_CUDA_QUICK "Compile GPU code in half the time, without most optimisation: for builds that no GPU will run" OFF)
option(SPMV_WARNINGS_AS_ERRORS "Treat warnings as errors" OFF)
set(SPMV_CUDA "AUTO" CACHE STRING "Build the CUDA backend: AUTO (when an nvcc is found), ON, OFF")
set(SPMV_CUSPARSE "AUTO" CACHE STRING "Build the cuSPARSE baselines: AUTO (with the CUDA backend, from CUDA 13), ON, OFF")
set(SPMV_NCCL "AUTO" CACHE STRING "Build the transport nccl: AUTO (with the CUDA backend, where NCCL is found), ON, OFF")
set(SPMV_SCOTCH "AUTO" CACHE STRING "Build the partitioner scotch: AUTO (where a PT-Scotch for this MPI is found), ON, OFF")
set(SPMV_SANITIZE "" CACHE STRING "Sanitizers for host code, such as address,undefined or thread")
set(SPMV_HYPRE "AUTO" CACHE STRING "Build preconditioner multigrid, whose levels hypre makes: AUTO (where it is found), ON, OFF")
if(PROJECT_IS_TOP_LEVEL)
  set(build_python AUTO)
else()
  set(build_python OFF)
endif()
set(SPMV_BUILD_PYTHON ${build_python} CACHE STRING "Build what `import spmv_dist` needs in Python: AUTO (where headers of Python and nanobind are found), ON, OFF")
set_property(CACHE SPMV_CUDA SPMV_CUSPARSE SPMV_NCCL SPMV_SCOTCH SPMV_HYPRE SPMV_BUILD_PYTHON PROPERTY STRINGS AUTO ON OFF)

if(SPMV_BUILD_TESTS OR SPMV_BUILD_BENCHMARKS)
  set(SPMV_BUILD_PROGRAM ON)  # they use it or its parts
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  else()
    message(NOTICE "spmv_dist: no CMAKE_BUILD_TYPE is set, so products are compiled without optimisation; set it to Release")
  endif()
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # what the shared library is made of is what the program is made of
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

add_library(spmv_flags INTERFACE)
target_compile_options(spmv_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${SPMV_WARNINGS_AS_ERRORS}>>:-Werror>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${SPMV_NATIVE}>>:-march=native>)
# Debian builds MPI's C++ bindings into mpi.h; nothing here uses them.
target_compile_definitions(spmv_flags INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
if(SPMV_SANITIZE)
  # Line numbers are all that a finding needs; more debugging information doubles the time of the build.
  target_compile_options(spmv_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${SPMV_SANITIZE} -fno-omit-frame-pointer -g1>)
  target_link_options(spmv_flags INTERFACE -fsanitize=${SPMV_SANITIZE})
endif()

if(NOT BUILD_SHARED_LIBS)
  # Symbols that GCC marks as unique, such as one of std::make_shared, would be defined twice where joined objects meet others.
  check_cxx_compiler_flag(-fno-gnu-unique SPMV_COMPILER_HAS_GNU_UNIQUE)
  if(SPMV_COMPILER_HAS_GNU_UNIQUE)
    target_compile_options(spmv_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-gnu-unique>
                                                $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fno-gnu-unique>)
  endif()
endif()

# Joins objects, of these targets, to one file in which hidden symbols are local.
function(spmv_join_objects joined)
  cmake_parse_arguments(JOIN "" "" "TARGETS;OBJECTS" ${ARGN})
  add_custom_command(
    OUTPUT ${joined}
    COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -Wl,--force-group-allocation -o ${joined} ${JOIN_OBJECTS}
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${joined}
    DEPENDS ${JOIN_TARGETS} ${JOIN_OBJECTS}
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

# A static library of one box: its sources, its public include root, and the boxes it may use.
function(spmv_add_box name)
  cmake_parse_arguments(BOX "" "" "SOURCES;USES" ${ARGN})
  add_library(${name} STATIC ${BOX_SOURCES})
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden
                                           VISIBILITY_INLINES_HIDDEN ON
                                           UNITY_BUILD ${SPMV_UNITY} UNITY_BUILD_BATCH_SIZE 10)
  # GCC takes a source that is included for a header, whose types must not have members of an anonymous namespace.
  if(SPMV_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)  # GCC 12 warns about its own std::string (GCC bug 105651)
      target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
    endif()
  endif()
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC ${BOX_USES} PRIVATE spmv_flags)
endfunction()
