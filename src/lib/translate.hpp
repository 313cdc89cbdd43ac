// Between the public interface and namespace spmv: exceptions, options, handles.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "core/as_error.hpp"
#include "spmv_dist/spmv_dist.hpp"

namespace spmv_dist::internal {

/// Access to the private members of the public classes.
struct Access {
  /// Throws Error(usage) for a handle that was moved from.
  template <class State, class Handle>
  static std::shared_ptr<State> state(const Handle& handle) {
    if (handle.state_ == nullptr)
      throw spmv::Error(
          spmv::ExitCode::usage,
          "a context, matrix or vector was used after it had been moved from: use the one that it was moved to");
    return std::static_pointer_cast<State>(handle.state_);
  }
  static const std::map<std::string, std::string>& settings(const Options& options);
  template <class T>
  static LoadedRows<T> make_loaded(std::shared_ptr<void> state) {
    return LoadedRows<T>(std::move(state));
  }
  template <class T>
  static Vector<T> make_vector(std::shared_ptr<void> state) {
    return Vector<T>(std::move(state));
  }
};

/// Runs work() and turns every exception into the library's Error.
template <class Work>
auto translated(const Work& work) {
  try {
    return work();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& thrown) {
    const spmv::Error error = spmv::as_error(thrown);
    throw Error(static_cast<Code>(error.code()), error.what());
  }
}

}  // namespace spmv_dist::internal
