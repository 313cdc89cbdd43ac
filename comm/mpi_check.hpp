// For the sources of comm only.
#pragma once

#include <string>

#include <mpi.h>

#include "core/error.hpp"

namespace spmv {

/// Whether MPI has ended, and has taken everything that was made of it along: nothing is left to be freed.
inline bool mpi_has_ended() {
  int ended = 0;
  MPI_Finalized(&ended);
  return ended != 0;
}

/// MPI's own text for an error; its number where MPI does not run, and may not be asked.
inline std::string mpi_error_text(int status) {
  int begun = 0;
  MPI_Initialized(&begun);
  if (begun == 0 || mpi_has_ended()) return "error " + std::to_string(status);
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(status, text, &length);
  return {text, static_cast<std::size_t>(length)};
}

/// Throws Error(internal) with MPI's own text if a call failed; `doing` says what was tried.
inline void mpi_check(int status, const char* doing) {
  if (status == MPI_SUCCESS) return;
  throw Error(ExitCode::internal, std::string("MPI failed to ") + doing + ": " + mpi_error_text(status));
}

}  // namespace spmv
