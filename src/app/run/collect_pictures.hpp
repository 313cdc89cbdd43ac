#pragma once

#include "app/report/pictures.hpp"
#include "app/run/problem.hpp"
#include "app/run/run.hpp"

namespace spmv {

/// The data of a run's figures. Reads at most some millions of a rank's nonzeros and exchanges one halo of ids. Complete on
/// rank 0. Collective.
template <class T>
Pictures collect_pictures(const Run& run, const Problem<T>& problem);

}  // namespace spmv
