// What reports say of the shares of all ranks.
#pragma once

#include <vector>

#include "app/report/report_json.hpp"
#include "dist/partition/part_shares.hpp"

namespace spmv {

/// Largest and sum of one number over all ranks.
struct Spread {
  gidx most = 0;
  gidx sum = 0;
};

/// Pure.
Spread spread(const std::vector<PartShare>& shares, gidx PartShare::*number);

/// Nonzeros of the rank that has most over those of an average one. Pure.
double balance(const std::vector<PartShare>& shares);

/// Everything, an object for each rank. Pure.
Json shares_json(const std::vector<PartShare>& shares);

}  // namespace spmv
