// Exceptions in a parallel region of OpenMP are thrown after it.
#pragma once

#include <atomic>
#include <exception>

#include "core/types.hpp"

namespace spmv {

/// No exception may leave a parallel region or an iteration of its loops: the process would end at once. Whatever may
/// throw in a region, such as everything that allocates, is done through an object of this class, made before the region:
///
///     RegionFailure failure;
///     #pragma omp parallel for
///     for (offset i = 0; i < count; ++i) failure.guard([&] { work(i); });
///     failure.rethrow();
class RegionFailure {
 public:
  /// Does the work, unless some has failed already, when the results will not be used. Any thread. Local.
  template <class Work>
  void guard(const Work& work) noexcept {
    if (failed_.load(std::memory_order_relaxed)) return;
    try {
      work();
    } catch (...) {
      if (!failed_.exchange(true)) first_ = std::current_exception();
    }
  }
  /// Throws what the first failed work threw, if any did. After the region, whose end orders the threads. Local.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::atomic<bool> failed_ = false;
  std::exception_ptr first_;
};

/// Does work(i, scratch) for every i from 0 to count - 1, each thread a contiguous part with its own Scratch, whose
/// constructor must not allocate. Throws what the first failed work threw. Local.
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
