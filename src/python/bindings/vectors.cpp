// Vector and MultiVector. Arrays of Python's come as addresses, which the package has checked, in host or device memory.
#include <vector>

#include <nanobind/stl/vector.h>
#include <spmv_dist/multivector.hpp>

#include "bindings.hpp"

namespace spmv_python {
namespace {

using spmv_dist::Matrix, spmv_dist::MultiVector, spmv_dist::Vector;

/// set, get, and the elements as they are stored, which keep their memory alive.
template <class T, class Bound>
void add_elements(Bound& bound) {
  using Vectors = typename Bound::Type;
  bound.def("size", &Vectors::size)
      .def(
          "set",
          [](Vectors& v, std::uintptr_t natural, std::int64_t count) {
            v.set(reinterpret_cast<const T*>(natural), count);
          },
          Waits())
      .def(
          "get",
          [](const Vectors& v, std::uintptr_t natural, std::int64_t count) {
            v.get(reinterpret_cast<T*>(natural), count);
          },
          Waits())
      .def("address", [](Vectors& v) { return reinterpret_cast<std::uintptr_t>(v.data()); })
      .def("on_host",
           [](Vectors& v, std::size_t count) {
             const nb::capsule owner(new Vectors(v),
                                     [](void* at) noexcept { delete static_cast<Vectors*>(at); });
             return nb::ndarray<nb::numpy, T>(v.data(), {count}, owner);
           })
      .def("on_device", [](Vectors& v, const std::vector<std::size_t>& shape, int device) {
        const nb::capsule owner(new Vectors(v), [](void* at) noexcept { delete static_cast<Vectors*>(at); });
        return nb::ndarray<T, nb::device::cuda>(v.data(), shape.size(), shape.data(), owner, nullptr,
                                                nb::dtype<T>(), nb::device::cuda::value, device);
      });
}

template <class T>
void bind_vector(T /*value*/, nb::module_& m) {
  auto vector = nb::class_<Vector<T>>(m, "Vector");
  add_elements<T>(vector);
  vector.def("is_copied", &Vector<T>::is_copied);

  auto several = nb::class_<MultiVector<T>>(m, "MultiVector");
  several.def("__init__", [](MultiVector<T>* at, Matrix<T>& A, int side, int columns) {
    const nb::gil_scoped_release no_gil;
    new (at) MultiVector<T>(A, static_cast<spmv_dist::Side>(side), columns);
  });
  add_elements<T>(several);
  several.def("columns", &MultiVector<T>::columns)
      .def("set_column", &MultiVector<T>::set_column, Waits())
      .def("column", &MultiVector<T>::column, Waits());
}

}  // namespace

void bind_vectors(Submodules& to) {
  to.each([](auto value, nb::module_& m) { bind_vector(value, m); });
}

}  // namespace spmv_python
