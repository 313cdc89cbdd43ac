// Searches with `copies`: one that has converged has every copy of every eigenvalue, on matrices whose spectra are known.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dist/spectrum/eigen.hpp"
#include "support/known_spectra.hpp"

namespace spmv::test {
namespace {

template <class T>
class EigenCopies : public BackendsTest {};
using ValueTypes = ::testing::Types<float, double, std::complex<double>>;
TYPED_TEST_SUITE(EigenCopies, ValueTypes);

template <class T>
double tight() {
  return sizeof(RealOf<T>) == sizeof(float) ? 3e-6 : 1e-11;
}

/// The search converges, its values are those that are known, and its vectors are orthonormal.
template <class T>
void check_copies(const Known<T>& known, EigenOptions options) {
  SCOPED_TRACE(known.system.name + ", " + std::to_string(options.count) + ' ' + to_string(options.which));
  Solved<T> solved(known.system, product_backends().front(), pick(modes<T>(), "vector", "mode"), "staged");
  options.copies = true;
  const EigenResult<T> result = eigen(solved.on(), solved.A(), options);
  ASSERT_EQ(result.stop, Stop::converged) << result.reason;
  std::vector<double> want = known.values;
  std::sort(want.begin(), want.end());
  if (options.which == Which::highest) std::reverse(want.begin(), want.end());
  constexpr double eps = std::numeric_limits<RealOf<T>>::epsilon();
  std::vector<std::vector<Wide<T>>> vectors;
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    EXPECT_NEAR(result.values[i], want[i], (options.tolerance + 10 * eps) * result.norm) << i;
    const std::vector<T> vector = solved.whole(result.vectors[i]);
    vectors.emplace_back(vector.begin(), vector.end());
    for (std::size_t j = 0; j <= i; ++j)
      EXPECT_NEAR(static_cast<double>(std::abs(wide_dot<T>(vectors[j], vectors[i]))), i == j ? 1 : 0,
                  1000 * eps)
          << i << ' ' << j;
  }
}

/// Among them are some in which a search once lost copies, lost orthogonality behind a vector that nearly vanished, or could
/// not reach its tolerance because of what earlier pairs lacked.
TYPED_TEST(EigenCopies, OfDrawnMatrices) {
  using T = TypeParam;
  std::vector<unsigned> seeds{171, 98, 18, 22, 32, 4, 8, 48, 56, 68, 73, 79, 84, 88, 97, 107, 126, 130};
  if (world().size() > 1) seeds.resize(3);
  for (const unsigned seed : seeds) {
    Random random(seed);
    const Known<T> known = drawn<T>(random);
    EigenOptions options{.max_restarts = 5000};
    options.count = between(random, 1, 12);
    if (random() % 2 != 0) options.which = Which::highest;
    options.tolerance = tight<T>() * (random() % 2 != 0 ? 1 : 1000);
    if (random() % 4 == 0) options.subspace = options.count + between(random, 3, 12);
    options.start_seed = static_cast<unsigned>(between(random, 1, 65535));
    check_copies(known, options);
  }
}

/// With defaults, copies come up long after the next eigenvalues have converged.
TYPED_TEST(EigenCopies, OfSquareGrids) {
  using T = TypeParam;
  for (const int points : {40, 45})
    for (const int count : {1, 3, 6})
      check_copies(cube<T>(points, 2), {.count = count, .tolerance = tight<T>() < 1e-9 ? 1e-8 : 1e-5});
}

/// A mixture of a copy and the next eigenvalue, twice the tolerance away, has a small residual before the copy comes out.
TYPED_TEST(EigenCopies, BesideTheNextEigenvalue) {
  using T = TypeParam;
  const double tolerance = tight<T>() < 1e-9 ? 1e-8 : 1e-5;
  Random random(7);
  std::vector<double> values{0, 0, 2 * tolerance, 2 * tolerance, 2 * tolerance, 1};
  for (int i = 0; i < 200; ++i) values.push_back(0.3 + 0.7 * unit(random));
  const Known<T> known = reflected<T>("near", values, random);
  std::vector<unsigned> seeds{1519, 2424, 2654, 3884};  // had nearly nothing of the copy
  while (seeds.size() < (world().size() == 1 ? 200 : 8)) seeds.push_back(static_cast<unsigned>(seeds.size()));
  for (const unsigned seed : seeds)
    check_copies(known, {.count = 2, .tolerance = tolerance, .start_seed = seed});
}

/// As many eigenvalues as rows and fewer, all the same or nearly, and more copies than the subspace has vectors.
TYPED_TEST(EigenCopies, OfSmallMatricesAndLargeEigenspaces) {
  using T = TypeParam;
  Random random(1);
  std::vector<std::size_t> sizes{3, 30, 1, 2, 5, 9};
  if (world().size() > 2) sizes.resize(2);
  for (const std::size_t rows : sizes)
    for (const double other : {0.0, 2.0, 1.0, 1 + 1e-9}) {
      std::vector<double> values(rows, 1.0);
      for (std::size_t i = 0; i < rows; i += 3) values[i] = other;
      const Known<T> known = reflected<T>("two values", values, random);
      const int n = static_cast<int>(rows);
      for (const int count : {1, (n + 1) / 2, n - 1, n})
        for (const int subspace : {0, count + 3})
          if (count > 0) check_copies(known, {.count = count, .tolerance = tight<T>(), .subspace = subspace});
    }
  for (const int subspace : {0, 15})
    check_copies(paths<T>(20, 7, random), {.count = 12, .tolerance = tight<T>(), .subspace = subspace});
}

}  // namespace
}  // namespace spmv::test
