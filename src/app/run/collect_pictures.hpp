#pragma once

#include "app/report/pictures.hpp"
#include "app/run/problem.hpp"
#include "app/run/run.hpp"

namespace spmv {

/// What figures show of the matrix where it is multiplied. Looks at no more than some millions of a rank's nonzeros, and exchanges
/// one halo of ids. The result is complete on rank 0. Collective.
template <class T>
Pictures collect_pictures(const Run& run, const Problem<T>& problem);

}  // namespace spmv
