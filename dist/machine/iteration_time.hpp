// How long an iteration of a solver takes, predicted from what it moves and from rates of a described machine.
#pragma once

#include <cstddef>
#include <vector>

#include "dist/machine/product_time.hpp"

namespace spmv {

/// What an iteration consists of.
struct IterationWork {
  int products = 0;
  int sums = 0;             // reductions over all ranks
  bool hides_sums = false;  // messages between nodes travel beside the products
  int passes = 0;           // over a vector, beside those of the products
};

/// Seconds of its parts, on the slowest rank.
struct IterationTimes {
  double products = 0;
  double vectors = 0;
  double sums = 0;  // that nothing hides
  double all() const { return products + vectors + sums; }
};

/// Seconds until all ranks have a sum, in the rounds of dist/solve/sum_rounds.hpp. The ranks of a node store their sums to each
/// other at the same time; a round between nodes takes launches, and every message counts. Pure.
double predict_sum(int ranks, const Machine& machine);

/// `product_s`: of one product in the mode that is used. Each sum ends one kernel over vectors, and starts another. Pure.
IterationTimes predict_iteration(const std::vector<PartShare>& shares, const IterationWork& work,
                                 double product_s, std::size_t value_bytes, const Machine& machine);

}  // namespace spmv
