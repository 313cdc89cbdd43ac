// The density of states that moments stand for: sum_n g_n mu_n T_n(x) with the kernel g of Jackson [Weisse 2006].
#pragma once

#include <vector>

#include "dist/spectrum/kpm.hpp"

namespace spmv {

/// States per unit of energy; all states together are 1. With the kernel, an eigenvalue in the middle of the range becomes a
/// peak of width pi h / moments, where h is half the width of the range.
struct Density {
  std::vector<double> energy;  // ascending, closer to each other near the ends of the range
  std::vector<double> density;
  std::vector<double> error;  // standard error of the mean over start vectors; empty if there is one
  double integral = 0;        // over these points, by trapezoids
};

/// The moments averaged over start vectors. Pure.
std::vector<double> mean_moments(const Moments& moments);

/// At so many energies. Pure.
Density density_of_states(const Moments& moments, int energies);

}  // namespace spmv
