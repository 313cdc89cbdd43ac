# Finds METIS, and keeps it apart from any other METIS that a process may have: another width, version, or Scotch's functions
# under METIS's names. SPMV_METIS_WAY is how its functions are reached:
#   loaded   a shared library, when it is needed, by its path SPMV_METIS_FILE
#   linked   of an archive, the functions that are used, under names of this library's: SPMV_METIS_OBJECT
find_package(METIS REQUIRED)
set(SPMV_METIS_OBJECT)
if(METIS_LIBRARY MATCHES "\\.a$")
  set(SPMV_METIS_WAY linked)
  if(NOT CMAKE_OBJCOPY)
    message(FATAL_ERROR "${METIS_LIBRARY} is an archive, and there is no objcopy to keep its symbols apart: set METIS_LIBRARY to a shared METIS")
  endif()
  set(spmv_metis_archives ${METIS_LIBRARY})
  if(METIS_GKLIB)
    list(APPEND spmv_metis_archives ${METIS_GKLIB})
  endif()
  set(spmv_metis_functions METIS_SetDefaultOptions METIS_PartGraphKway METIS_PartGraphRecursive)
  set(CMAKE_REQUIRED_INCLUDES ${METIS_INCLUDE_DIR})
  set(CMAKE_REQUIRED_LIBRARIES ${spmv_metis_archives} m)
  set(CMAKE_REQUIRED_LINK_OPTIONS -shared -Wl,--no-undefined)
  set(CMAKE_REQUIRED_FLAGS -fPIC)
  check_c_source_compiles("
#include <metis.h>
void* const used[] = {(void*)METIS_SetDefaultOptions, (void*)METIS_PartGraphKway, (void*)METIS_PartGraphRecursive};
int main(void) { return used[0] == 0; }" SPMV_METIS_IS_COMPLETE)
  foreach(what INCLUDES LIBRARIES LINK_OPTIONS FLAGS)
    unset(CMAKE_REQUIRED_${what})
  endforeach()
  if(NOT SPMV_METIS_IS_COMPLETE)
    message(FATAL_ERROR "${METIS_LIBRARY} cannot be linked into a shared library: build METIS with -fPIC, set METIS_GKLIB to its GKlib, or set METIS_LIBRARY to a shared METIS (CMake's log has the linker's words)")
  endif()
  set(SPMV_METIS_OBJECT ${CMAKE_CURRENT_BINARY_DIR}/spmv_metis.o)
  set(spmv_metis_undefined)
  set(spmv_metis_names)
  foreach(function ${spmv_metis_functions})
    list(APPEND spmv_metis_undefined -Wl,-u,${function})
    list(APPEND spmv_metis_names --keep-global-symbol=spmv_${function} --redefine-sym ${function}=spmv_${function})
  endforeach()
  add_custom_command(
    OUTPUT ${SPMV_METIS_OBJECT}
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib ${spmv_metis_undefined} -o ${SPMV_METIS_OBJECT} ${spmv_metis_archives}
    COMMAND ${CMAKE_OBJCOPY} ${spmv_metis_names} ${SPMV_METIS_OBJECT}
    DEPENDS ${spmv_metis_archives} VERBATIM)
  add_custom_target(spmv_metis_object DEPENDS ${SPMV_METIS_OBJECT})
else()
  set(SPMV_METIS_WAY loaded)
  # By the name that programs ask for: the one for compilers is not there where METIS is only run.
  file(REAL_PATH ${METIS_LIBRARY} spmv_metis_real)
  set(SPMV_METIS_FILE ${spmv_metis_real})
  get_filename_component(spmv_metis_folder ${METIS_LIBRARY} DIRECTORY)
  file(STRINGS ${METIS_LIBRARY} spmv_metis_names REGEX "^lib[A-Za-z0-9_]*metis[A-Za-z0-9_.-]*\\.so[.0-9]*$")
  foreach(name ${spmv_metis_names})
    if(EXISTS ${spmv_metis_folder}/${name})
      file(REAL_PATH ${spmv_metis_folder}/${name} spmv_metis_named)
      if(spmv_metis_named STREQUAL spmv_metis_real)
        set(SPMV_METIS_FILE ${spmv_metis_folder}/${name})
      endif()
    endif()
  endforeach()
  get_filename_component(SPMV_METIS_NAME ${SPMV_METIS_FILE} NAME)
endif()
message(STATUS "METIS: ${SPMV_METIS_WAY}, ${METIS_LIBRARY}")
