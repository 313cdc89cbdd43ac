// The states of the electrons of one spin on a ring, and their hops.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/types.hpp"

namespace spmv {

/// Occupation patterns (bit i: site i is occupied) with a fixed number of electrons, ascending. Immutable.
///
/// A state is c+_{i1} c+_{i2} ... |0> with i1 < i2 < .... Every pair of neighbouring sites is one bond: `sites` bonds, 1 for 2
/// sites, none for 1. A hop between i and i + 1 passes no electron. A hop over the closing bond (sites - 1, 0) passes all
/// other electrons and has the sign (-1)^(electrons - 1).
class ElectronBasis {
 public:
  static constexpr int max_sites = 32;
  static constexpr gidx max_size = 200'000;  // states; the tables of a rank stay below 100 MB

  struct Hop {
    lidx target;  // the other state
    int sign;     // <target| c+_i c_j |state> = +1 or -1
  };

  /// 1 <= sites <= max_sites, 0 <= electrons <= sites. Throws Error(usage) for more than max_size states.
  ElectronBasis(int sites, int electrons);

  int sites() const { return sites_; }
  lidx size() const { return static_cast<lidx>(patterns_.size()); }
  std::uint32_t pattern(lidx state) const { return patterns_[state]; }

  /// The hops from a state, by ascending target, each target once.
  std::span<const Hop> hops(lidx state) const {
    return {hops_.data() + first_hop_[state], hops_.data() + first_hop_[state + 1]};
  }

 private:
  void add_hops(std::uint32_t pattern, int closing_sign);
  lidx index(std::uint32_t pattern) const;

  int sites_;
  std::vector<std::uint32_t> patterns_;
  std::vector<offset> first_hop_{0};
  std::vector<Hop> hops_;
};

}  // namespace spmv
