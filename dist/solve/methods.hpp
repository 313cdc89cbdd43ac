// The solvers' functions.
#pragma once

#include <memory>

#include "dist/solve/solver.hpp"

namespace spmv {

template <class T>
std::unique_ptr<Solver<T>> make_cg(const System<T>& system);

}  // namespace spmv
