// The solvers' functions.
#pragma once

#include <memory>

#include "dist/solve/solver.hpp"

namespace spmv {

template <class T>
std::unique_ptr<Solver<T>> make_cg(const System<T>& system);
template <class T>
std::unique_ptr<Solver<T>> make_cg_classical(const System<T>& system);
template <class T>
std::unique_ptr<Solver<T>> make_cg_pipelined(const System<T>& system);
template <class T>
std::unique_ptr<Solver<T>> make_minres(const System<T>& system);
template <class T>
std::unique_ptr<Solver<T>> make_bicgstab(const System<T>& system);
template <class T>
std::unique_ptr<Solver<T>> make_bicgstab_2(const System<T>& system);

}  // namespace spmv
