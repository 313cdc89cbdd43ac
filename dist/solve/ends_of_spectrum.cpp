#include "dist/solve/ends_of_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>
#include <vector>

#include "core/value_types.hpp"
#include "dist/solve/host_vectors.hpp"
#include "dist/solve/lapack.hpp"

namespace spmv {
namespace {

/// The eigenvalue of this rank from below, counted from 1, and how far the matrix that Lanczos took the tridiagonal one from is
/// from having the same: beta times the last component of the eigenvector. Pure.
EndOfSpectrum end_of(Tridiagonal matrix, lapack::Int number, double beta) {
  const std::size_t rows = matrix.diagonal.size();
  const auto n = static_cast<lapack::Int>(rows);
  const double no_bound = 0, finest = 0;
  matrix.off.resize(rows);
  std::vector<double> values(rows), vector(rows), work(5 * rows);
  std::vector<lapack::Int> more_work(5 * rows), failed(rows);
  lapack::Int found = 0, info = 0;
  lapack::dstevx_("V", "I", &n, matrix.diagonal.data(), matrix.off.data(), &no_bound, &no_bound, &number,
                  &number, &finest, &found, values.data(), vector.data(), &n, work.data(), more_work.data(),
                  failed.data(), &info, 1, 1);
  lapack::check(info, "dstevx");
  return {values.front(), beta * std::abs(vector.back())};
}

/// What rounding may leave of a vector that products of this size cancel.
template <class T>
double rounding_of_product(double size) {
  constexpr double some = 4;
  return some * static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon()) * size;
}

/// v = (1 / |v|) v. Returns |v|. Waits.
template <class T>
double normalise(Workspace<T>& on, const VectorRef<T>& v) {
  const double norm = on.norm(v);
  if (norm > 0) on.run(Combination<T>().set(v, 1 / norm * v));
  return norm;
}

bool all_finite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double each) { return std::isfinite(each); });
}

}  // namespace

EndsOfSpectrum ends_of(const Communicator& communicator, const Tridiagonal& matrix, double beta) {
  std::vector<double> found(4, std::numeric_limits<double>::quiet_NaN());
  communicator.together([&] {
    if (communicator.rank() > 0 || !all_finite(matrix.diagonal) || !all_finite(matrix.off)) return;
    // LAPACK's tests of convergence are not the same at every scale.
    double largest = 0;
    for (const auto* numbers : {&matrix.diagonal, &matrix.off})
      for (const double number : *numbers) largest = std::max(largest, std::abs(number));
    const int size = largest > 0 ? std::ilogb(largest) : 0;
    Tridiagonal near_one = matrix;
    for (auto* numbers : {&near_one.diagonal, &near_one.off})
      for (double& number : *numbers) number = std::ldexp(number, -size);
    const EndOfSpectrum lowest = end_of(near_one, 1, beta),
                        highest = end_of(near_one, static_cast<lapack::Int>(matrix.diagonal.size()), beta);
    found = {std::ldexp(lowest.value, size), lowest.residual, std::ldexp(highest.value, size),
             highest.residual};
  });
  found = communicator.broadcast(std::move(found));
  return {{found[0], found[1]}, {found[2], found[3]}};
}

template <class T>
EndsOfSpectrum estimate_ends(Workspace<T>& on, const Operator<T>& A, int steps,
                             const EnoughOfSpectrum& enough) {
  Vector<T> before, v, w;
  on.communicator().together([&] {
    before = A.make_vector();
    v = random_vector(on, A, 2);
    w = A.make_vector();
  });
  normalise(on, v);
  Tridiagonal of;
  EndsOfSpectrum ends;
  constexpr double of_all_products = 4;
  double beta = 0, rounding = 0;
  int look = steps, products = 0;
  while (true) {
    on.multiply(A, v, w, {0, 1});
    ++products;
    on.add_up();
    const double alpha = real_part(on.read(0));
    of.diagonal.push_back(alpha);
    on.run(Combination<T>().set(w, w - alpha * v - beta * before));
    beta = normalise(on, w);
    rounding = std::max(rounding, rounding_of_product<T>(std::abs(alpha) + beta));
    const bool all_seen = !(beta > rounding);
    if (all_seen || products >= look) {
      ends = ends_of(on.communicator(), of, beta);
      ends.products = products;
      ends.rounding = of_all_products * rounding;
      if (all_seen || !enough || enough(ends)) break;
      look += 1 + look / 8;
    }
    of.off.push_back(beta);
    std::swap(before, v);
    std::swap(v, w);
  }
  on.queue().synchronize();  // before the vectors end
  return ends;
}

template <class T>
double bound_largest_eigenvalue(const Communicator& communicator, const DistributedRows<T>& rows) {
  double largest = 0;
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows.block.rows); ++row) {
    double sum = 0;
    for (offset k = rows.block.row_ptr[row]; k < rows.block.row_ptr[row + 1]; ++k)
      sum += static_cast<double>(std::abs(rows.block.value[static_cast<std::size_t>(k)]));
    largest = std::max(largest, sum);
  }
  return communicator.max(largest);
}

SPMV_INSTANTIATE(estimate_ends);
SPMV_INSTANTIATE(bound_largest_eigenvalue);

}  // namespace spmv
