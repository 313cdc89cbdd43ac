// Workspace, Combination and Number: what solvers of one's own are made of.
#include <string>
#include <tuple>
#include <vector>

#include <nanobind/operators.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <spmv_dist/solve.hpp>

#include "bindings.hpp"

namespace spmv_python {
namespace {

using spmv_dist::Combination, spmv_dist::Line, spmv_dist::LinearForm, spmv_dist::Matrix, spmv_dist::Number,
    spmv_dist::Vector, spmv_dist::Workspace;

void bind_numbers(nb::module_& m) {
  nb::class_<Number>(m, "Number")
      .def(nb::init<double>())
      .def(nb::self + nb::self)
      .def(nb::self + double())
      .def(double() + nb::self)
      .def(nb::self - nb::self)
      .def(nb::self - double())
      .def(double() - nb::self)
      .def(nb::self * nb::self)
      .def(nb::self * double())
      .def(double() * nb::self)
      .def(nb::self / nb::self)
      .def(nb::self / double())
      .def(double() / nb::self)
      .def(-nb::self)
      .def(nb::self < nb::self)
      .def(nb::self < double())
      .def(nb::self > nb::self)
      .def(nb::self > double())
      .def("__bool__", [](const Number&) -> bool {
        throw nb::type_error(
            "a Number has no value before a combination runs on the device: give conditions to require()");
      });
  m.def("slot", &spmv_dist::slot);
  m.def("root", [](const Number& a) { return root(a); });
  m.def("conjugate", [](const Number& a) { return conjugate(a); });
  m.def("where", [](const Number& condition, const Number& value) { return where(condition, value); });
  nb::class_<Line>(m, "Line").def_ro("number", &Line::number).def("__getitem__", [](const Line& line, int i) {
    if (i < 0 || i >= static_cast<int>(line.column.size()))
      throw nb::index_error("a line has columns 0 to 3");
    return line[i];
  });
}

/// A vector, its coefficient, and whether it is subtracted.
template <class T>
using Term = std::tuple<Vector<T>, Number, bool>;

template <class T>
LinearForm<T> form_of(const std::vector<Term<T>>& terms) {
  const auto term = [&terms](std::size_t i) {
    return LinearForm<T>(
        spmv_dist::Term<T>{std::get<0>(terms[i]), std::get<1>(terms[i]), std::get<2>(terms[i])});
  };
  LinearForm<T> form = term(0);
  for (std::size_t i = 1; i < terms.size(); ++i) form = form + term(i);
  return form;
}

template <class T>
void bind_workspace(T /*value*/, nb::module_& m) {
  auto workspace = nb::class_<Workspace<T>>(m, "Workspace");
  workspace
      .def("__init__",
           [](Workspace<T>* at, Matrix<T>& A) {
             const nb::gil_scoped_release no_gil;
             new (at) Workspace<T>(A);
           })
      .def("multiply", &Workspace<T>::multiply, Waits())
      .def(
          "multiply_and_sum",
          [](Workspace<T>& on, Matrix<T>& A, Vector<T>& x, Vector<T>& y, int xy, int yy) {
            on.multiply_and_sum(A, x, y, xy, yy);
          },
          Waits())
      .def(
          "multiply_and_sum",
          [](Workspace<T>& on, Matrix<T>& A, Vector<T>& x, Vector<T>& y, int xy, int yy,
             const Vector<T>& weight) { on.multiply_and_sum(A, x, y, xy, yy, weight); },
          Waits())
      .def("run", &Workspace<T>::run, Waits())
      .def("line", &Workspace<T>::line, Waits())
      .def("begin_loop", &Workspace<T>::begin_loop)
      .def("end_loop", &Workspace<T>::end_loop)
      .def("value", &Workspace<T>::value, Waits())
      .def("dot", &Workspace<T>::dot, Waits())
      .def("norm", &Workspace<T>::norm, Waits())
      .def("transport", &Workspace<T>::transport);
  add_destroy(workspace);

  auto combination = nb::class_<Combination<T>>(m, "Combination");
  combination.def(nb::init<const Workspace<T>&>())
      .def("require", &Combination<T>::require, nb::rv_policy::none)
      .def("set", [](Combination<T>& step, const Vector<T>& target,
                     const std::vector<Term<T>>& terms) { step.set(target, form_of(terms)); })
      .def("multiply", &Combination<T>::multiply, nb::rv_policy::none)
      .def("sum", &Combination<T>::sum, nb::rv_policy::none)
      .def("store", &Combination<T>::store, nb::rv_policy::none)
      .def("record", &Combination<T>::record, nb::rv_policy::none);
  add_destroy(combination);
}

}  // namespace

void bind_workspaces(nb::module_& extension, Submodules& to) {
  bind_numbers(extension);
  to.each([](auto value, nb::module_& m) { bind_workspace(value, m); });
}

}  // namespace spmv_python
