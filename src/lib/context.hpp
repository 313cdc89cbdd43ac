// The state of spmv_dist::Context.
#pragma once

#include <memory>
#include <string>

#include "comm/communicator.hpp"
#include "dist/machine/bandwidth.hpp"
#include "dist/machine/place.hpp"

namespace spmv::lib {

struct ContextState {
  Communicator communicator;
  Place place;
  double tuning_bandwidth = 0;  // measured with the first matrix that needs it; 0: not yet
};

/// Gives the calling thread the context's device and number of threads; the destructor restores its own.
class Scope {
 public:
  /// `threads`: of OpenMP in this thread.
  Scope(Backend& backend, int threads);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Backend& backend_;
  int device_before_;
  int threads_before_;
};

}  // namespace spmv::lib
