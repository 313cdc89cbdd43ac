// The Holstein-Hubbard Hamiltonian on a ring of L sites, energies in units of t (default t = 1):
//
//   H = - t sum_{<i,j>, s} (c+_{i,s} c_{j,s} + c+_{j,s} c_{i,s}) + U sum_i n_{i,up} n_{i,down}
//       - g omega sum_i (b+_i + b_i) n_i + omega sum_i b+_i b_i,        n_i = n_{i,up} + n_{i,down}
//
// <i,j>: every pair of neighbouring sites once (L bonds; 1 bond for L = 2; none for L = 1). Electrons keep
// their numbers N_up and N_down; a basis state has all up operators before all down operators, so that a hop
// of one spin never passes the other.
//
// Normal modes. B_k = sum_i Q_ki b_i, with Q orthogonal and real, the discrete Hartley transform
//   Q_ki = (cos(2 pi k i / L) + sin(2 pi k i / L)) / sqrt(L),   k = 0 .. L - 1,
// gives  H_phonon = sum_k [ omega B+_k B_k - g omega (B+_k + B_k) S_k ],   S_k = sum_i Q_ki n_i.
// The uniform mode couples to S_0 = N_e / sqrt(L), a constant: completing the square,
//   omega B+_0 B_0 - g omega (B+_0 + B_0) S_0 = omega (B_0 - g S_0)+ (B_0 - g S_0) - g^2 omega N_e^2 / L,
// an oscillator of its own. The matrix is H on that oscillator's ground state, exactly: the modes k >= 1, and
// the constant energy -g^2 omega N_e^2 / L on the diagonal, so that the lowest eigenvalue is the full model's
// up to the cut.
//
// Basis. Row = (up * down states + down) * phonon states + phonon; at most PHONONS quanta in the modes k >= 1
// together. Dimension C(L, N_up) C(L, N_down) C(PHONONS + L - 1, L - 1): 400 x 15504 = 6,201,600 for
// 6,3,3,15, the size and the off-diagonals of the matrix HMEp (Kreutzer et al., arXiv:1112.5588,
// section 1.3).
//
// Nonzeros. The diagonal is always stored. A coupling is left out where S_k vanishes, decided as
// |S_k| <= 1e-12: rounding of the sum stays below 1e-14. Hartley's modes weigh sine and cosine equally; on 6
// sites S_k then vanishes only where the whole Fourier component does: the fewest zeros of any real Fourier
// basis, 14.17 nonzeros a row for 6,3,3,15.
#pragma once

#include <memory>
#include <string>

#include "io/generate/generator.hpp"

namespace spmv {

/// Parameters "SITES,UP,DOWN,PHONONS" and the options t, u, omega (>= 0), energies, and g, dimensionless.
/// Throws Error(usage).
std::unique_ptr<RowSource> make_holstein_hubbard(const std::string& parameters);

}  // namespace spmv
