#include "app/report/shares.hpp"

#include <algorithm>

namespace spmv {

Spread spread(const std::vector<PartShare>& shares, gidx PartShare::*number) {
  Spread s;
  for (const PartShare& share : shares) {
    s.most = std::max(s.most, share.*number);
    s.sum += share.*number;
  }
  return s;
}

double balance(const std::vector<PartShare>& shares) {
  const Spread nonzeros = spread(shares, &PartShare::nonzeros);
  return nonzeros.sum > 0 ? static_cast<double>(nonzeros.most) * static_cast<double>(shares.size()) /
                                static_cast<double>(nonzeros.sum)
                          : 1;
}

Json shares_json(const std::vector<PartShare>& shares) {
  Json json = Json::array();
  for (const PartShare& s : shares)
    json.push_back({{"rows", s.rows},
                    {"nonzeros", s.nonzeros},
                    {"halo", s.halo},
                    {"neighbours", s.neighbours},
                    {"near_halo", s.near_halo},
                    {"near_neighbours", s.near_neighbours},
                    {"sent", s.sent}});
  return json;
}

}  // namespace spmv
