// Matrix, and the rows that it is made of.
#include <optional>
#include <string>

#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <spmv_dist/multivector.hpp>

#include "bindings.hpp"

namespace spmv_python {
namespace {

using spmv_dist::Context, spmv_dist::LoadedRows, spmv_dist::Matrix, spmv_dist::MultiVector,
    spmv_dist::Options, spmv_dist::Side, spmv_dist::Vector;

template <class T>
void bind_rows(nb::module_& m) {
  nb::class_<HeldRows<T>>(m, "Rows").def(
      "__init__",
      [](HeldRows<T>* at, std::int64_t global_rows, std::int64_t global_cols, Array<std::int64_t> row_ids,
         Array<std::int64_t> row_ptr, Array<std::int64_t> columns, Array<T> values,
         std::optional<Array<std::int64_t>> x_ids) {
        auto* held = new (at) HeldRows<T>{{}, row_ptr, columns, row_ids, x_ids.value_or(row_ids), values};
        spmv_dist::Rows<T>& view = held->view;
        view.global_rows = global_rows;
        view.global_cols = global_cols;
        view.rows = static_cast<std::int64_t>(row_ids.size());
        view.row_ids = held->row_ids.data();
        view.row_ptr = held->row_ptr.data();
        view.columns = held->columns.data();
        view.values = held->values.data();
        view.elements = static_cast<std::int64_t>(values.size());
        view.where = spmv_dist::Where::host;
        if (x_ids) {
          view.x_size = static_cast<std::int64_t>(x_ids->size());
          view.x_ids = held->x_ids.data();
        }
      },
      nb::arg("global_rows"), nb::arg("global_cols"), nb::arg("row_ids"), nb::arg("row_ptr"),
      nb::arg("columns"), nb::arg("values"), nb::arg("x_ids").none() = nb::none());
}

/// Y = A X or y = A x; the second of each pair does not wait.
template <class Vectors, class Bound, class T>
void add_products(Bound& bound, T /*value*/) {
  bound.def(
      "multiply", [](Matrix<T>& A, Vectors& x, Vectors& y) { multiply(A, x, y); }, Waits());
  bound.def(
      "multiply_queued", [](Matrix<T>& A, Vectors& x, Vectors& y) { multiply_queued(A, x, y); }, Waits());
}

template <class T>
void bind_matrix(T value, nb::module_& m) {
  bind_rows<T>(m);
  auto bound = nb::class_<Matrix<T>>(m, "Matrix");
  bound
      .def("__init__",
           [](Matrix<T>* at, const Context& context, const HeldRows<T>& rows, const Options& options) {
             const nb::gil_scoped_release no_gil;
             new (at) Matrix<T>(context, rows.view, options);
           })
      .def_static(
          "read",
          [](const Context& context, const std::string& path, const Options& options) {
            const auto rows = LoadedRows<T>::read(context, path);
            return Matrix<T>(context, rows.view(), options);
          },
          Waits())
      .def_static(
          "generate",
          [](const Context& context, const std::string& text, const Options& options) {
            const auto rows = LoadedRows<T>::generate(context, text);
            return Matrix<T>(context, rows.view(), options);
          },
          Waits())
      .def("global_rows", &Matrix<T>::global_rows)
      .def("global_cols", &Matrix<T>::global_cols)
      .def("global_elements", &Matrix<T>::global_elements)
      .def("size", [](const Matrix<T>& A, int side) { return A.size(static_cast<Side>(side)); })
      .def("capacity", [](const Matrix<T>& A, int side) { return A.capacity(static_cast<Side>(side)); })
      .def("ids",
           [](const Matrix<T>& A, int side) {
             auto* ids = new std::vector<std::int64_t>(A.ids(static_cast<Side>(side)));
             const nb::capsule owner(ids, [](void* at) noexcept { delete static_cast<decltype(ids)>(at); });
             return nb::ndarray<nb::numpy, const std::int64_t>(ids->data(), {ids->size()}, owner);
           })
      .def(
          "make", [](const Matrix<T>& A, int side) { return A.make(static_cast<Side>(side)); }, Waits())
      .def(
          "view",
          [](const Matrix<T>& A, int side, std::uintptr_t at, std::int64_t count) {
            return A.view(static_cast<Side>(side), reinterpret_cast<T*>(at), count);
          },
          Waits())
      .def(
          "multiply_add",
          [](Matrix<T>& A, const T& alpha, Vector<T>& x, const T& beta, Vector<T>& y) {
            multiply_add(alpha, A, x, beta, y);
          },
          Waits())
      .def(
          "multiply_transposed",
          [](Matrix<T>& A, Vector<T>& x, Vector<T>& y) { multiply_transposed(A, x, y); }, Waits())
      .def(
          "multiply_adjoint", [](Matrix<T>& A, Vector<T>& x, Vector<T>& y) { multiply_adjoint(A, x, y); },
          Waits())
      .def("update_values",
           [](Matrix<T>& A, const Array<T>& values) {
             const nb::gil_scoped_release no_gil;
             A.update_values(values.data(), static_cast<std::int64_t>(values.size()), spmv_dist::Where::host);
           })
      .def("order_with",
           [](Matrix<T>& A, std::uintptr_t stream) { A.order_with(reinterpret_cast<void*>(stream)); })
      .def("order_with_none", &Matrix<T>::order_with_none)
      .def("synchronize", &Matrix<T>::synchronize, Waits())
      .def("mode", &Matrix<T>::mode)
      .def("layout", &Matrix<T>::layout)
      .def("transport", &Matrix<T>::transport)
      .def("format", &Matrix<T>::format)
      .def("describe", &Matrix<T>::describe);
  add_products<Vector<T>>(bound, value);
  add_products<MultiVector<T>>(bound, value);
  add_destroy(bound);
}

}  // namespace

void bind_matrices(Submodules& to) {
  to.each([](auto value, nb::module_& m) { bind_matrix(value, m); });
}

}  // namespace spmv_python
