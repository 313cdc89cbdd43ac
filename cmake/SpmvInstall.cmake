# What `cmake --install` brings: the program, the library, its headers, the tools in Python, and how CMake and pkg-config find them.
include(CMakePackageConfigHelpers)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/spmv_dist)
install(TARGETS spmv_dist_library EXPORT spmv_dist_targets)
install(DIRECTORY include/spmv_dist TYPE INCLUDE PATTERN *.in EXCLUDE)
foreach(header version abi_mpi abi_cxx)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/include/spmv_dist/${header}.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spmv_dist)
endforeach()
install(EXPORT spmv_dist_targets NAMESPACE spmv_dist:: FILE spmv_distTargets.cmake DESTINATION ${config_dir})
set(SPMV_WITH_HWLOC ${Hwloc_FOUND})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/spmv_distConfig.cmake.in
                              ${CMAKE_CURRENT_BINARY_DIR}/spmv_distConfig.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/spmv_distConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/spmv_distConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/spmv_distConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindHwloc.cmake ${PROJECT_SOURCE_DIR}/cmake/FindNCCL.cmake ${PROJECT_SOURCE_DIR}/cmake/FindScotch.cmake
        DESTINATION ${config_dir})

# For pkg-config: what a static library needs, in words of the linker.
set(pc_private -lstdc++ -lm ${OpenMP_CXX_FLAGS} -lpthread -ldl -lfmt -lz ${LAPACK_LIBRARIES})
if(Hwloc_FOUND)
  list(APPEND pc_private ${HWLOC_LIBRARY})
endif()
if(SPMV_HAVE_SCOTCH)
  list(APPEND pc_private ${PTSCOTCH_LIBRARY} ${SCOTCH_LIBRARY} ${SCOTCH_ERROR_LIBRARY})
endif()
if(SPMV_HAVE_CUDA)
  list(APPEND pc_private -L${CUDAToolkit_LIBRARY_DIR} -lcudart)
endif()
if(SPMV_HAVE_CUSPARSE)
  list(APPEND pc_private -lcusparse)
endif()
if(SPMV_HAVE_NCCL)
  list(APPEND pc_private ${NCCL_LIBRARY})
endif()
set(pc_cflags ${MPI_C_INCLUDE_DIRS})
list(TRANSFORM pc_cflags PREPEND -I)
list(JOIN pc_cflags " " SPMV_PC_CFLAGS)
list(JOIN MPI_C_LIBRARIES " " SPMV_PC_MPI_LIBRARIES)
list(JOIN pc_private " " SPMV_PC_PRIVATE)
file(RELATIVE_PATH SPMV_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/spmv_dist.pc.in ${CMAKE_CURRENT_BINARY_DIR}/spmv_dist.pc @ONLY)
# The tools in Python, which look for the program in ../../../bin; pip brings them, too, without the program.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/python/spmv_dist DESTINATION ${CMAKE_INSTALL_DATADIR}/spmv_dist/python
        PATTERN __pycache__ EXCLUDE)
# An environment module, which finds the rest from where it lies.
install(FILES ${PROJECT_SOURCE_DIR}/jobs/site/modulefiles/spmv_dist
        DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/spmv_dist RENAME ${PROJECT_VERSION})
install(FILES ${PROJECT_SOURCE_DIR}/jobs/site/completion.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME spmv_dist)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/spmv_dist.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
