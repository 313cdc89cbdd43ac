// The states of several oscillators with a limit on the total number of quanta.
#pragma once

#include <array>
#include <vector>

#include "core/types.hpp"

namespace spmv {

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
