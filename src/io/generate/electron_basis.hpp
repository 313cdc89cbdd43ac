// The states of one spin species of electrons on a ring, and where one hop leads.
#pragma once

#include <cstdint>
#include <vector>

#include "core/types.hpp"

namespace spmv {

/// Occupation patterns (bit i: site i is occupied) with a fixed number of electrons, ascending. Immutable.
///
/// A state is c+_{i1} c+_{i2} ... |0> with i1 < i2 < .... Every pair of neighbouring sites is one bond:
/// `sites` bonds, but 1 for 2 sites and none for 1. A hop between i and i + 1 passes no electron; one over
/// the closing bond (sites - 1, 0) passes all the others and has the sign (-1)^(electrons - 1).
class ElectronBasis {
 public:
  static constexpr int max_sites = 32;
  static constexpr gidx max_size = 200'000;  // keeps the tables of a rank below 100 MB

  struct Hop {
    lidx target;  // state reached
    int sign;     // <target| c+_i c_j |state> = +1 or -1
  };

  /// 1 <= sites <= max_sites, 0 <= electrons <= sites. Throws Error(usage) beyond max_size states.
  ElectronBasis(int sites, int electrons);

  int sites() const { return sites_; }
  lidx size() const { return static_cast<lidx>(patterns_.size()); }
  std::uint32_t pattern(lidx state) const { return patterns_[state]; }

  /// The hops from a state, by ascending target; no target comes twice.
  const Hop* hops_begin(lidx state) const { return hops_.data() + first_hop_[state]; }
  const Hop* hops_end(lidx state) const { return hops_.data() + first_hop_[state + 1]; }
  int hops(lidx state) const { return static_cast<int>(first_hop_[state + 1] - first_hop_[state]); }

 private:
  void add_hops(std::uint32_t pattern, int closing_sign);
  lidx index(std::uint32_t pattern) const;

  int sites_;
  std::vector<std::uint32_t> patterns_;
  std::vector<offset> first_hop_{0};
  std::vector<Hop> hops_;
};

}  // namespace spmv
