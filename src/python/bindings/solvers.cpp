// Solver and Hierarchy.
#include <stdexcept>
#include <string>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <spmv_dist/hierarchy.hpp>
#include <spmv_dist/multivector.hpp>
#include <spmv_dist/solve.hpp>

#include "bindings.hpp"

namespace spmv_python {
namespace {

using spmv_dist::Hierarchy, spmv_dist::HierarchyOptions, spmv_dist::Matrix, spmv_dist::SolveOptions,
    spmv_dist::MultiVector, spmv_dist::Solver, spmv_dist::SolveResult, spmv_dist::Vector;

/// A Solver whose watch and preconditioner may be functions of Python's.
template <class T>
struct SolverWithCallbacks {
  std::shared_ptr<Callback> watch, preconditioner;  // nullptr: none
  Solver<T> solver;
};

std::function<bool(int, double)> watch_of(const std::shared_ptr<Callback>& callback) {
  return [callback](int iterations, double residual) { return callback->call(true, iterations, residual); };
}

/// Throws where Python's function raises, so that all ranks stop.
template <class T>
typename Solver<T>::PreconditionerFunction preconditioner_of(const std::shared_ptr<Callback>& callback) {
  if (callback == nullptr) return {};
  return [callback](Vector<T>& r, Vector<T>& z) {
    callback->call(true, r, z);
    if (callback->has_raised()) throw std::runtime_error("the preconditioner's function raised an exception");
  };
}

std::shared_ptr<Callback> callback_of(const nb::object& function) {
  return function.is_none() ? nullptr : std::make_shared<Callback>(function);
}

/// Of vectors or multivectors.
template <class T, class Vectors>
auto solve(SolverWithCallbacks<T>& with, const Vectors& b, Vectors& x) {
  return call_with({with.preconditioner.get(), with.watch.get()}, [&] { return with.solver.solve(b, x); });
}

template <class T>
void bind_solver(T /*value*/, nb::module_& m) {
  auto hierarchy = nb::class_<Hierarchy<T>>(m, "Hierarchy");
  hierarchy
      .def("__init__",
           [](Hierarchy<T>* at, Matrix<T>& A, const std::vector<std::vector<const HeldRows<T>*>>& levels,
              const HierarchyOptions& options) {
             std::vector<spmv_dist::Level<T>> coarser;
             for (const auto& level : levels) {
               coarser.push_back({level.at(0)->view, level.at(1)->view});
               if (level.size() > 2) coarser.back().R = level[2]->view;
             }
             const nb::gil_scoped_release no_gil;
             new (at) Hierarchy<T>(A, coarser, options);
           })
      .def("apply", &Hierarchy<T>::apply, Waits())
      .def("describe", &Hierarchy<T>::describe);
  add_destroy(hierarchy);

  auto solver = nb::class_<SolverWithCallbacks<T>>(m, "Solver");
  solver
      .def("__init__",
           [](SolverWithCallbacks<T>* at, Matrix<T>& A, SolveOptions options, const nb::object& watch,
              const Hierarchy<T>& M) {
             const auto watching = callback_of(watch);
             options.watch = watch_of(watching);
             const nb::gil_scoped_release no_gil;
             new (at) SolverWithCallbacks<T>{watching, nullptr, Solver<T>(A, M, options)};
           })
      .def(
          "__init__",
          [](SolverWithCallbacks<T>* at, Matrix<T>& A, SolveOptions options, const nb::object& watch,
             const nb::object& preconditioner) {
            const auto watching = callback_of(watch), conditioning = callback_of(preconditioner);
            options.watch = watch_of(watching);
            const nb::gil_scoped_release no_gil;
            new (at) SolverWithCallbacks<T>{watching, conditioning,
                                            Solver<T>(A, options, preconditioner_of<T>(conditioning))};
          },
          nb::arg("A"), nb::arg("options"), nb::arg("watch"), nb::arg("preconditioner").none())
      .def("solve", &solve<T, Vector<T>>)
      .def("solve", &solve<T, MultiVector<T>>)
      .def("preconditioner", [](const SolverWithCallbacks<T>& with) { return with.solver.preconditioner(); });
  add_destroy(solver);
}

}  // namespace

void bind_solvers(nb::module_& extension, Submodules& to) {
  nb::class_<HierarchyOptions>(extension, "HierarchyOptions")
      .def(nb::init<>())
      .def_rw("smoother", &HierarchyOptions::smoother)
      .def_rw("degree", &HierarchyOptions::degree)
      .def_rw("cycle", &HierarchyOptions::cycle)
      .def_rw("largest_coarse", &HierarchyOptions::largest_coarse);
  nb::class_<SolveOptions>(extension, "SolveOptions")
      .def(nb::init<>())
      .def_rw("solver", &SolveOptions::solver)
      .def_rw("preconditioner", &SolveOptions::preconditioner)
      .def_rw("tolerance", &SolveOptions::tolerance)
      .def_rw("max_iterations", &SolveOptions::max_iterations)
      .def_rw("degree", &SolveOptions::degree)
      .def_rw("block_size", &SolveOptions::block_size)
      .def_rw("largest_eigenvalue", &SolveOptions::largest_eigenvalue)
      .def_rw("inner", &SolveOptions::inner);
  nb::class_<SolveResult>(extension, "SolveResult")
      .def_prop_ro("stop", [](const SolveResult& result) { return spmv_dist::to_string(result.stop); })
      .def_ro("iterations", &SolveResult::iterations)
      .def_ro("restarts", &SolveResult::restarts)
      .def_ro("residual", &SolveResult::residual)
      .def_ro("history", &SolveResult::history)
      .def_ro("seconds", &SolveResult::seconds)
      .def_ro("reason", &SolveResult::reason)
      .def_ro("updates", &SolveResult::updates);
  to.each([](auto value, nb::module_& m) { bind_solver(value, m); });
}

}  // namespace spmv_python
