#pragma once

#include <array>
#include <vector>

#include "app/run/problem.hpp"
#include "app/run/run.hpp"

namespace spmv {

/// The rows as read, and what their products must be, at their owners. References are made from the rows as read,
/// before anything is moved or renumbered, and travel with their rows: a mistake in partitioning cannot hide in them.
/// `x`: what was read, empty where nothing was. Collective; throws AgreedError.
template <class T>
Problem<T> place_rows(const Run& run, const Ownership& read, RowBlock<T> block,
                      std::array<Reference<T>, distinct_x> reference, const Moves& moves,
                      const std::vector<T>& x);

}  // namespace spmv
