// A caller's function that is called between ranks that wait for each other.
#pragma once

#include <exception>
#include <functional>

namespace spmv::lib {

/// The caller's watch, that keeps what it throws until all ranks have stopped.
class GuardedWatch {
 public:
  explicit GuardedWatch(const std::function<bool(int, double)>& watch) : watch_(watch) {}
  /// For every rank, also for one that does not watch: they agree on the answer together.
  std::function<bool(int, double)> function() {
    return [this](int done, double residual) {
      try {
        return thrown_ != nullptr || (watch_ && watch_(done, residual));
      } catch (...) {
        thrown_ = std::current_exception();
        return true;
      }
    };
  }
  void rethrow() const {
    if (thrown_ != nullptr) std::rethrow_exception(thrown_);
  }

 private:
  const std::function<bool(int, double)>& watch_;
  std::exception_ptr thrown_;
};

}  // namespace spmv::lib
