// What goes wrong in a parallel region of OpenMP is thrown behind it.
#pragma once

#include <atomic>
#include <exception>

#include "core/types.hpp"

namespace spmv {

/// No exception may leave a parallel region, nor an iteration of its loops: the process would end on the spot, and
/// with it a solver that could have gone on. Whatever may throw in a region, as all that allocates may, is done
/// through an object of this class, made before the region:
///
///     RegionFailure failure;
///     #pragma omp parallel for
///     for (offset i = 0; i < count; ++i) failure.guard([&] { work(i); });
///     failure.rethrow();
class RegionFailure {
 public:
  /// Does the work, unless some has failed already: then what it makes is not going to be used. Any thread. Local.
  template <class Work>
  void guard(const Work& work) noexcept {
    if (failed_.load(std::memory_order_relaxed)) return;
    try {
      work();
    } catch (...) {
      if (!failed_.exchange(true)) first_ = std::current_exception();
    }
  }
  /// Throws what the first work threw that failed, if any did. Behind the region, whose end orders the threads. Local.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::atomic<bool> failed_ = false;
  std::exception_ptr first_;
};

/// Does work(i, scratch) for every i from 0 to count - 1, each thread a connected part of them with a Scratch of its
/// own, which is made without allocating anything. Throws what the first work threw that failed. Local.
template <class Scratch, class Work>
void for_all(offset count, const Work& work) {
  RegionFailure failure;
#pragma omp parallel
  {
    Scratch scratch;
#pragma omp for schedule(static)
    for (offset i = 0; i < count; ++i) failure.guard([&] { work(i, scratch); });
  }
  failure.rethrow();
}

}  // namespace spmv
