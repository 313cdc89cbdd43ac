// The states of several oscillators with a cut on their total number of quanta.
#pragma once

#include <array>
#include <vector>

#include "core/types.hpp"

namespace spmv {

/// Occupations (m_0, ..., m_{modes-1}) with m_0 + ... <= cut, numbered lexicographically, m_0 slowest.
/// Immutable.
///
/// With N(r, q) = C(r + q, q) the number of states of q modes with at most r quanta, and r_j the quanta still
/// allowed after modes 0 .. j, a state's number is the combinatorial number system counted from the end:
///   index = size - 1 - sum_j N(r_j - 1, modes - j).
/// By Pascal's rule a change of m_k by one moves the index by a sum of N over j >= k.
class PhononBasis {
 public:
  static constexpr int max_modes = 31;
  static constexpr int max_cut = 1000;

  struct State {
    int total;                              // quanta in all modes
    std::array<int, max_modes> occupation;  // m_j
    std::array<int, max_modes> allowed;     // r_j
  };

  /// 0 <= modes <= max_modes, 0 <= cut <= max_cut. Throws Error(usage) if there are more states than 64-bit
  /// ids.
  PhononBasis(int modes, int cut);

  int modes() const { return modes_; }
  int cut() const { return cut_; }
  gidx size() const { return size_; }

  /// Fills the first modes() elements of the state's arrays.
  void state(gidx index, State& state) const;

  /// Steps for all modes at once: index + raise[k] is the state with m_k + 1 (only if total < cut),
  /// index - lower[k] the one with m_k - 1 (only if m_k > 0). Both grow towards smaller k.
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
