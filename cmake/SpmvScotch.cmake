# Finds a PT-Scotch that goes with this MPI: SPMV_HAVE_SCOTCH. A library that was built over another MPI is found out by its
# symbols, or by the name of the MPI library that it asks for. Contexts came with Scotch 7.
set(SPMV_HAVE_SCOTCH OFF)
set(SPMV_SCOTCH_TEXT "none in this build")
if(NOT SPMV_SCOTCH STREQUAL "OFF")
  find_package(Scotch 7 QUIET)
  if(Scotch_FOUND)
    # What the library asks for by name must be the MPI that is linked.
    set(spmv_scotch_mpi_fits TRUE)
    if(NOT PTSCOTCH_LIBRARY MATCHES "\\.a$")
      file(REAL_PATH ${PTSCOTCH_LIBRARY} spmv_ptscotch)
      file(STRINGS ${spmv_ptscotch} spmv_scotch_mpis REGEX "^libmpi[a-z_]*\\.so[.0-9]*$")
      set(spmv_mpi_names)
      foreach(library ${MPI_C_LIBRARIES})
        get_filename_component(folder ${library} DIRECTORY)
        file(REAL_PATH ${library} spmv_mpi)
        foreach(wanted ${spmv_scotch_mpis})
          if(EXISTS ${folder}/${wanted})
            file(REAL_PATH ${folder}/${wanted} spmv_wanted)
            if(spmv_wanted STREQUAL spmv_mpi)
              list(APPEND spmv_mpi_names ${wanted})
            endif()
          endif()
        endforeach()
      endforeach()
      if(spmv_scotch_mpis AND NOT spmv_mpi_names)
        set(spmv_scotch_mpi_fits FALSE)
      endif()
    endif()
    # All that is used of it; messages as the program takes them.
    set(CMAKE_REQUIRED_LIBRARIES Scotch::PTScotch MPI::MPI_C m)
    check_c_source_compiles("
#include <stdio.h>
#include <stdint.h>
#include <mpi.h>
#include <ptscotch.h>
void SCOTCH_errorPrint(const char * const text, ...) { (void)text; }
void SCOTCH_errorPrintW(const char * const text, ...) { (void)text; }
int main(void) {
  SCOTCH_Context context; SCOTCH_Dgraph graph; SCOTCH_Dgraph bound; SCOTCH_Strat strategy; SCOTCH_Num part;
  return SCOTCH_contextInit(&context) + SCOTCH_contextOptionSetNum(&context, SCOTCH_OPTIONNUMDETERMINISTIC, 1) +
         SCOTCH_dgraphInit(&graph, MPI_COMM_WORLD) + SCOTCH_contextBindDgraph(&context, &graph, &bound) +
         SCOTCH_stratInit(&strategy) + SCOTCH_dgraphPart(&bound, 1, &strategy, &part) + SCOTCH_numSizeof();
}" SPMV_SCOTCH_LINKS)
    unset(CMAKE_REQUIRED_LIBRARIES)
    if(SPMV_SCOTCH_LINKS AND spmv_scotch_mpi_fits)
      set(SPMV_HAVE_SCOTCH ON)
      set(SPMV_SCOTCH_TEXT "${SCOTCH_VERSION}")
    endif()
  endif()
endif()
if(SPMV_SCOTCH STREQUAL "ON" AND NOT SPMV_HAVE_SCOTCH)
  message(FATAL_ERROR "SPMV_SCOTCH=ON, but it needs a PT-Scotch 7 or later that was built over this MPI: set Scotch_ROOT to where it lies")
endif()
message(STATUS "PT-Scotch: ${SPMV_HAVE_SCOTCH} ${SCOTCH_VERSION} ${PTSCOTCH_LIBRARY}")
