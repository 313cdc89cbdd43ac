// What the sources of the extension have in common: its submodules, one for each value type, and how calls wait.
#pragma once

#include <complex>
#include <exception>
#include <initializer_list>
#include <memory>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <spmv_dist/spmv_dist.hpp>

namespace spmv_python {

namespace nb = nanobind;

/// For calls that wait for ranks, devices or files: other threads of Python run meanwhile.
using Waits = nb::call_guard<nb::gil_scoped_release>;

/// The submodules, such as _spmv_dist.float64, with the classes of that value type.
struct Submodules {
  explicit Submodules(nb::module_& extension)
      : float32(extension.def_submodule("float32")),
        float64(extension.def_submodule("float64")),
        complex64(extension.def_submodule("complex64")),
        complex128(extension.def_submodule("complex128")) {}
  nb::module_ float32, float64, complex64, complex128;
  /// Calls bind(T{}, submodule) for each value type.
  template <class Bind>
  void each(const Bind& bind) {
    bind(float{}, float32);
    bind(double{}, float64);
    bind(std::complex<float>{}, complex64);
    bind(std::complex<double>{}, complex128);
  }
};

/// Adds `destroy`, which is Collective where destroying the last copy is, to a class of handles. A handle is useless afterwards:
/// the library refuses it.
template <class Class>
void add_destroy(Class& bound) {
  using Handle = typename Class::Type;
  bound.def(
      "destroy", [](Handle& handle) { const Handle last = std::move(handle); }, Waits());
}

/// A function of Python's that the library calls while ranks wait for each other: what it raises is kept until they have stopped.
class Callback {
 public:
  explicit Callback(nb::object function) : function_(std::move(function)) {}
  ~Callback() {
    const nb::gil_scoped_acquire gil;
    function_.reset();
    raised_ = nullptr;
  }
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;
  /// Of Python's function; `otherwise` if it raises, now or earlier. Takes the GIL.
  template <class Result, class... Arguments>
  Result call(Result otherwise, Arguments&&... arguments) {
    const nb::gil_scoped_acquire gil;
    if (raised_ != nullptr) return otherwise;
    try {
      return nb::cast<Result>(function_(std::forward<Arguments>(arguments)...));
    } catch (...) {
      raised_ = std::current_exception();
      return otherwise;
    }
  }
  /// Raises it, once. Needs the GIL.
  void reraise() {
    if (raised_ != nullptr) std::rethrow_exception(std::exchange(raised_, nullptr));
  }
  bool has_raised() const { return raised_ != nullptr; }

 private:
  nb::object function_;
  std::exception_ptr raised_;
};

/// What work() returns, which waits for other ranks without the GIL. Raises what these callbacks, which may be nullptr, have raised.
template <class Work>
auto call_with(std::initializer_list<Callback*> callbacks, const Work& work) {
  const auto raise = [&] {
    for (Callback* const callback : callbacks)
      if (callback != nullptr) callback->reraise();
  };
  try {
    auto result = [&] {
      const nb::gil_scoped_release no_gil;
      return work();
    }();
    raise();
    return result;
  } catch (...) {
    raise();
    throw;
  }
}

/// Arrays of Python's that Rows refer to.
template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// This rank's rows, and the arrays that they are in.
template <class T>
struct HeldRows {
  spmv_dist::Rows<T> view;
  Array<std::int64_t> row_ptr, columns, row_ids, x_ids;
  Array<T> values;
};

void bind_matrices(Submodules& to);
void bind_vectors(Submodules& to);
void bind_solvers(nb::module_& extension, Submodules& to);
void bind_spectra(nb::module_& extension, Submodules& to);
void bind_workspaces(nb::module_& extension, Submodules& to);

}  // namespace spmv_python
