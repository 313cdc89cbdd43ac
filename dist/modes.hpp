// How one product is ordered [Kreutzer 2012, sect. 3.1]. dist/modes.cpp is the table; a mode is one file in
// dist/modes/.
#pragma once

#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "core/phase_log.hpp"
#include "core/pick.hpp"
#include "dist/dist_matrix.hpp"
#include "dist/layouts.hpp"

namespace spmv {

/// Table row: a mode by name.
template <class T>
struct Mode {
  const char* name;
  const char* summary;
  std::vector<std::string> layouts;  // of the DistMatrix, any of them; the first is the standard one
  ThreadLevel thread_level;          // the least that MPI must provide
  bool needs_queued_exchange;        // the transport must only queue work, see HaloExchange::is_queued()
  bool uses_comm_thread;             // a core is set aside for it where the rank has more than one
  /// Where no mode was measured, the one with the highest rank that works is taken on GPUs; a mode that cannot
  /// work gives way to the next lower one. 0: never taken unless it is named.
  int rank = 0;
  /// y = A x. Collective. The owned elements of x are given, its halo is overwritten; y is complete after
  /// matrix.compute_queue().synchronize(). `log` may be nullptr.
  void (*product)(DistMatrix<T>& matrix, T* x, T* y, PhaseLog* log);
};

template <class T>
const std::vector<Mode<T>>& modes();

/// Whether a product of the mode on this layout may use the communication thread: only beside an interior.
template <class T>
bool uses_comm_thread(const Mode<T>& mode, const std::string& layout) {
  return mode.uses_comm_thread && pick(layouts<T>(), layout, "layout").has_interior;
}

}  // namespace spmv
