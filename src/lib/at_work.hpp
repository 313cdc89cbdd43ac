// One solver or search at a time works on a matrix.
#pragma once

#include "comm/communicator.hpp"

namespace spmv::lib {

/// Marks a matrix as long as this lives.
class AtWork {
 public:
  /// Collective; throws AgreedError(usage) if the matrix is marked already: where a function of the caller's that a solver
  /// calls has called another solver of the same matrix.
  AtWork(const Communicator& all, bool& mark) : mark_(mark) {
    all.together([&] {
      if (mark_)
        throw Error(
            ExitCode::usage,
            "a solver of this matrix is at work: a function that it calls cannot call another one of the "
            "same matrix; make a second Matrix for that");
    });
    mark_ = true;
  }
  ~AtWork() { mark_ = false; }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

 private:
  bool& mark_;
};

}  // namespace spmv::lib
