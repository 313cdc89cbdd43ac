// The states of electrons and of oscillators on a ring, for the Holstein-Hubbard model. Local.
#pragma once

#include <array>
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

/// Occupations (m_0, ..., m_{modes-1}) with m_0 + ... <= cut, numbered lexicographically: m_0 changes most slowly. Immutable.
///
/// Let N(r, q) = C(r + q, q) be the number of states of q modes with at most r quanta, and r_j the number of quanta that are
/// still allowed after modes 0 .. j. Then the combinatorial number system, counted from the end, gives the number of a state:
///   index = size - 1 - sum_j N(r_j - 1, modes - j).
/// By Pascal's rule, a change of m_k by one changes the index by a sum of N over j >= k.
class PhononBasis {
 public:
  static constexpr int max_modes = 31;
  static constexpr int max_cut = 1000;

  struct State {
    int total;                              // quanta in all modes together
    std::array<int, max_modes> occupation;  // m_j
    std::array<int, max_modes> allowed;     // r_j
  };

  /// 0 <= modes <= max_modes, 0 <= cut <= max_cut. Throws Error(usage) if the states exceed 64-bit ids.
  PhononBasis(int modes, int cut);

  int modes() const { return modes_; }
  gidx size() const { return size_; }

  /// Fills the first modes() elements of the arrays in `state`.
  void state(gidx index, State& state) const;

  /// Steps for all modes: index + raise[k] is the state with m_k + 1 (only if total < cut), index - lower[k] the state with
  /// m_k - 1 (only if m_k > 0). Both arrays have modes() elements and descend with k.
  void steps(const State& state, gidx* raise, gidx* lower) const;

 private:
  /// N(r - 1, q) for 0 <= r <= cut + 1; 0 for r = 0.
  gidx below(int r, int q) const { return below_[q * (cut_ + 2) + r]; }

  int modes_;
  int cut_;
  std::vector<gidx> below_;
  gidx size_;
};

}  // namespace spmv
