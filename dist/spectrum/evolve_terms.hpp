// Coefficients of Chebyshev's expansion of an exponential.
#pragma once

#include <complex>
#include <vector>

namespace spmv {

enum class Time {
  real,       // exp(-i A t)
  imaginary,  // exp(-A t)
};

/// J_k(z) for real time, or I_k(z) exp(-z) for imaginary time, z >= 0; as many as it takes for the rest, each counted twice, to
/// sum up to less than `tolerance`. By Miller's recursion from large k to small ones [Abramowitz 1964, sect. 9.12]. Pure.
std::vector<double> bessel(double z, Time time, double tolerance);

/// C_k of exp(-i A t) = sum_k C_k T_k((A - c) / h), or of exp(-A t) [Tal-Ezer 1984]. Pure.
std::vector<std::complex<double>> expand_exponential(double centre, double half_width, double t, Time time,
                                                     double tolerance);

}  // namespace spmv
