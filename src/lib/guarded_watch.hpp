// A caller's function that is called between ranks that wait for each other.
#pragma once

#include <exception>
#include <functional>

#include "comm/communicator.hpp"

namespace spmv::lib {

/// The caller's watch, that keeps what it throws until all ranks have stopped.
template <class... Done>
class GuardedWatch {
 public:
  explicit GuardedWatch(const std::function<bool(Done...)>& watch) : watch_(watch) {}
  /// For every rank, also for one that does not watch: they agree on the answer together.
  std::function<bool(Done...)> function() {
    return [this](Done... done) {
      try {
        return thrown_ != nullptr || (watch_ && watch_(done...));
      } catch (...) {
        thrown_ = std::current_exception();
        return true;
      }
    };
  }
  /// function(), or an empty one if no rank watches. Collective.
  std::function<bool(Done...)> function_if_any(const Communicator& all) {
    if (all.all_of(watch_ == nullptr)) return {};
    return function();
  }
  void rethrow() const {
    if (thrown_ != nullptr) std::rethrow_exception(thrown_);
  }

 private:
  const std::function<bool(Done...)>& watch_;
  std::exception_ptr thrown_;
};

}  // namespace spmv::lib
