// The Holstein-Hubbard model once more, from explicit operator matrices: no bit tricks, no ranking, no shared
// code.
#pragma once

#include <vector>

#include "tests/support/dense_eigen.hpp"

namespace spmv::test {

struct DenseModel {
  int sites, up, down;
  double t, u, omega, g;
};

/// Annihilator of fermion mode `at` of `modes`: Z x ... x Z x a x 1 x ... (Jordan-Wigner).
inline Dense fermion(int at, int modes) {
  Dense z = identity(2), a(2), result = identity(1);
  z(1, 1) = -1;
  a(0, 1) = 1;
  for (int i = 0; i < modes; ++i) result = kron(result, i < at ? z : i == at ? a : identity(2));
  return result;
}

/// Annihilator of oscillator `at` of `modes`, each with 0 .. cut quanta.
inline Dense boson(int at, int modes, int cut) {
  Dense b(cut + 1), result = identity(1);
  for (int m = 1; m <= cut; ++m) b(m - 1, m) = std::sqrt(m);
  for (int i = 0; i < modes; ++i) result = kron(result, i == at ? b : identity(cut + 1));
  return result;
}

/// H for oscillators B_k = sum_i modes[k][i] b_i with orthonormal rows and at most `cut` quanta in total;
/// without the constant of missing modes. Spins alternate in the fermion order: site i up is mode 2 i, down
/// 2 i + 1.
inline Dense dense_hamiltonian(const DenseModel& m, const std::vector<std::vector<double>>& modes, int cut) {
  const int fermions = 2 * m.sites;
  std::vector<Dense> c, density;
  for (int i = 0; i < fermions; ++i) {
    c.push_back(fermion(i, fermions));
    density.push_back(product(transpose(c[i]), c[i]));
  }
  Dense electronic(c[0].n);
  for (int i = 0; i < m.sites; ++i) {
    add(electronic, m.u, product(density[2 * i], density[2 * i + 1]));
    const int next = (i + 1) % m.sites;
    if (m.sites == 1 || (m.sites == 2 && i == 1)) continue;  // one bond for two sites
    for (const int spin : {0, 1}) {
      const Dense hop = product(transpose(c[2 * i + spin]), c[2 * next + spin]);
      add(electronic, -m.t, hop);
      add(electronic, -m.t, transpose(hop));
    }
  }
  std::vector<int> sector;
  for (int s = 0; s < electronic.n; ++s) {
    double up = 0, down = 0;
    for (int i = 0; i < m.sites; ++i) {
      up += density[2 * i](s, s);
      down += density[2 * i + 1](s, s);
    }
    if (up == m.up && down == m.down) sector.push_back(s);
  }

  const int count = static_cast<int>(modes.size());
  std::vector<Dense> b;
  for (int k = 0; k < count; ++k) b.push_back(boson(k, count, cut));
  Dense quanta = count > 0 ? Dense(b[0].n) : Dense(1);
  for (const Dense& mode : b) add(quanta, 1, product(transpose(mode), mode));
  std::vector<int> allowed;
  for (int s = 0; s < quanta.n; ++s) {
    if (quanta(s, s) < cut + 0.5) allowed.push_back(s);
  }

  const Dense one = identity(static_cast<int>(allowed.size()));
  Dense h = kron(restrict_to(electronic, sector), one);
  add(h, m.omega, kron(identity(static_cast<int>(sector.size())), restrict_to(quanta, allowed)));
  for (int k = 0; k < count; ++k) {
    Dense coupled(electronic.n);
    for (int i = 0; i < m.sites; ++i) {
      add(coupled, modes[k][i], density[2 * i]);
      add(coupled, modes[k][i], density[2 * i + 1]);
    }
    Dense displacement = b[k];
    add(displacement, 1, transpose(b[k]));
    add(h, -m.g * m.omega, kron(restrict_to(coupled, sector), restrict_to(displacement, allowed)));
  }
  return h;
}

}  // namespace spmv::test
