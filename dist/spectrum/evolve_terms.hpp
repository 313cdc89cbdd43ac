// Coefficients of Chebyshev's expansion of an exponential.
#pragma once

#include <complex>
#include <vector>

namespace spmv {

enum class Time {
  real,       // exp(-i A t)
  imaginary,  // exp(-A t)
};

/// J_k(z) for real time, or I_k(z) exp(-z) for imaginary time, z >= 0; as many as it takes for the rest, each counted twice and
/// times unseen_growth() from the last term on, to sum up to less than `tolerance`. By Miller's recursion from large k to small
/// ones [Abramowitz 1964, sect. 9.12]. Pure.
std::vector<double> bessel(double z, Time time, double tolerance);

/// How much a part of the vector outside the bounds may grow in the step after term k: growing like this it has come from a
/// rounding error to the size of the vector, where it is seen. Pure.
double unseen_growth(double k);

/// exp(-i A t) or exp(-A t) = exp(exponent) sum_k terms[k] T_k((A - c) / h). In imaginary time the sum is at most 1. Pure.
struct Exponential {
  std::vector<std::complex<double>> terms;
  double exponent = 0;
};
/// By Chebyshev's expansion [Tal-Ezer 1984], of which the tolerance is left out. Pure.
Exponential expand_exponential(double centre, double half_width, double t, Time time, double tolerance);

}  // namespace spmv
