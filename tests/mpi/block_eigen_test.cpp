// Searches by blocks: every copy of every eigenvalue comes out, on matrices whose spectra are known.
#include "dist/spectrum/block_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dist/solve/hypre/levels.hpp"
#include "dist/spectrum/dense.hpp"
#include "kernels/dense/block_data.hpp"
#include "support/known_spectra.hpp"

namespace spmv::test {
namespace {

template <class T>
class BlockEigen : public BackendsTest {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(BlockEigen, ValueTypes);

template <class T>
double tight() {
  return sizeof(RealOf<T>) == sizeof(float) ? 3e-6 : 1e-11;
}

/// Pair i of a result, on every rank.
template <class T>
std::vector<Wide<T>> vector_of(const Solved<T>& solved, const EigenResult<T>& result, std::size_t i) {
  const auto columns = static_cast<std::size_t>(solved.A().columns());
  const std::vector<T> block = solved.whole(result.vectors[i / columns]);
  std::vector<Wide<T>> vector;
  for (std::size_t e = i % columns; e < block.size(); e += columns) vector.push_back(Wide<T>(block[e]));
  return vector;
}

/// The search converges, its values are those that are known, its vectors are orthonormal, and residuals are what they are said
/// to be.
template <class T>
void check_result(const Solved<T>& solved, const Known<T>& known, const EigenOptions& options,
                  const EigenResult<T>& result) {
  ASSERT_EQ(result.stop, Stop::converged) << result.reason;
  std::vector<double> want = known.values;
  std::sort(want.begin(), want.end());
  if (options.which == Which::highest) std::reverse(want.begin(), want.end());
  ASSERT_EQ(result.values.size(), static_cast<std::size_t>(options.count));
  ASSERT_EQ(result.residuals.size(), result.values.size());
  ASSERT_EQ(static_cast<int>(result.history.size()), result.restarts + 1);
  constexpr double eps = std::numeric_limits<RealOf<T>>::epsilon();
  const double scale = std::max(std::abs(want.front()), result.norm);
  std::vector<std::vector<Wide<T>>> vectors;
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    EXPECT_NEAR(result.values[i], want[i], (options.tolerance + 10 * eps) * scale) << i;
    vectors.push_back(vector_of(solved, result, i));
    for (std::size_t j = 0; j <= i; ++j)
      EXPECT_NEAR(static_cast<double>(std::abs(wide_dot<T>(vectors[j], vectors[i]))), i == j ? 1 : 0,
                  100 * eps)
          << i << ' ' << j;
    auto residual = known.system.product(vectors[i]);
    for (std::size_t e = 0; e < residual.size(); ++e)
      residual[e] -= static_cast<long double>(result.values[i]) * vectors[i][e];
    const auto norm = static_cast<double>(std::sqrt(std::real(wide_dot<T>(residual, residual))));
    EXPECT_LE(norm, (options.tolerance + 10 * eps) * scale) << i;
    EXPECT_NEAR(norm, result.residuals[i], 0.1 * norm + 10 * eps * scale) << i;
  }
}

template <class T>
void check_search(const Known<T>& known, int block, const EigenOptions& options,
                  const std::string& preconditioner = "none",
                  const TestBackend& backend = product_backends().front()) {
  SCOPED_TRACE(known.system.name + ", " + std::to_string(options.count) + ' ' + to_string(options.which) +
               " by blocks of " + std::to_string(block) + ", " + preconditioner);
  Solved<T> solved(known.system, backend, pick(modes<T>(), "vector", "mode"), "staged", "sell", block);
  const auto M = preconditioner == "none" ? nullptr : Solved<T>::make(preconditioner, solved.request());
  check_result(solved, known, options, block_eigen(solved.on(), solved.A(), M.get(), options));
}

/// Grids with as many points each way: most eigenvalues are there twice, three or six times.
TYPED_TEST(BlockEigen, FindsEveryCopyOnGrids) {
  using T = TypeParam;
  for (const int block : world().size() > 1 ? std::vector<int>{5} : std::vector<int>{2, 5, 8})
    for (const Which which : {Which::lowest, Which::highest}) {
      check_search(cube<T>(14, 2), block, {.count = 6, .which = which, .tolerance = tight<T>()});
      check_search(cube<T>(6, 3), block, {.count = 11, .which = which, .tolerance = tight<T>()});
    }
}

/// Eigenvalues that are there 2 to 8 times, evenly spread, ever farther apart, or in clusters.
template <class T>
Known<T> several_times(Random& random) {
  const int different = between(random, 10, 80), shape = between(random, 0, 3);
  const double gap = std::pow(10, -3 * unit(random));
  std::vector<double> values;
  double value = 2 * unit(random) - 1;
  for (int i = 0; i < different; ++i) {
    values.insert(values.end(), static_cast<std::size_t>(between(random, 2, 8)), value);
    const double u = 0.1 + unit(random);
    value += shape == 0   ? u
             : shape == 1 ? u * (i + 1)
             : shape == 2 ? u * std::pow(1.05, i)
             : i % 3 == 0 ? gap
                          : u;
  }
  return reflected<T>(std::to_string(different) + " different ones", values, random);
}

/// A hundred matrices, 25 of each type.
TYPED_TEST(BlockEigen, OfDrawnMatrices) {
  using T = TypeParam;
  const unsigned draws = world().size() == 1 ? 25 : 3;
  for (unsigned seed = 0; seed < draws; ++seed) {
    SCOPED_TRACE(seed);
    Random random(1000 * static_cast<unsigned>(number_of<T>) + seed);
    const Known<T> known = several_times<T>(random);
    EigenOptions options;
    options.count = between(random, 1, 20);
    if (random() % 2 != 0) options.which = Which::highest;
    options.tolerance = tight<T>() * (random() % 2 != 0 ? 1 : sizeof(RealOf<T>) == sizeof(float) ? 10 : 1000);
    options.start_seed = static_cast<unsigned>(between(random, 1, 65535));
    check_search(known, between(random, 1, 12), options);
  }
}

/// Smaller than a block or than the subspace, one value or two, more copies than a block has vectors.
TYPED_TEST(BlockEigen, OfSmallMatricesAndLargeEigenspaces) {
  using T = TypeParam;
  Random random(1);
  std::vector<std::size_t> sizes{3, 30, 1, 2, 5, 9};
  std::vector<int> few{4, 32, 1, 8};
  if (world().size() > 1) sizes.resize(2), few.resize(2);
  for (const std::size_t rows : sizes)
    for (const double other : {0.0, 2.0, 1.0, 1 + 1e-9}) {
      std::vector<double> values(rows, 1.0);
      for (std::size_t i = 0; i < rows; i += 3) values[i] = other;
      const Known<T> known = reflected<T>("two values", values, random);
      const int n = static_cast<int>(rows);
      for (const int count : {1, (n + 1) / 2, n})
        for (const int block : {1, 4, 8, 32})
          check_search(known, block, {.count = count, .tolerance = tight<T>()});
    }
  for (const int block : world().size() > 1 ? std::vector<int>{6} : std::vector<int>{2, 6, 20})
    check_search(paths<T>(20, 7, random), block, {.count = 45, .tolerance = tight<T>()});
}

/// Ten of the lowest, which a block that small can fill with other ones: seven copies of the first, three of the second.
TYPED_TEST(BlockEigen, FindsMoreCopiesThanABlockHasVectors) {
  using T = TypeParam;
  Random random(2);
  for (const int block : {1, 2, 3})
    check_search(paths<T>(7, 20, random), block, {.count = 10, .tolerance = tight<T>()});
}

/// All eigenvalues of a grid that is no cube, by LAPACK.
TYPED_TEST(BlockEigen, AreThoseOfADenseSolver) {
  using T = TypeParam;
  Known<T> known{grid<T>("grid", 9, 7, 0.7, true), {}};
  const int n = static_cast<int>(known.system.rows);
  Dense<DenseElement<T>> dense(n, n), one(n, n);
  for (int i = 0; i < n; ++i) one(i, i) = 1;
  for (const Entry<T>& e : known.system.entries)
    dense(static_cast<int>(e.row), static_cast<int>(e.col)) += DenseElement<T>(e.value);
  known.values = hermitian_eigen(world(), dense, one).values;
  for (const Which which : {Which::lowest, Which::highest})
    check_search(known, 3, {.count = 7, .which = which, .tolerance = tight<T>()}, "none",
                 product_backends().back());
}

/// Fewer products with a polynomial, or a multigrid cycle, near the inverse; and the same eigenvalues.
TYPED_TEST(BlockEigen, ByPreconditioners) {
  using T = TypeParam;
  const Known<T> known = cube<T>(16, 2);
  std::vector<std::string> names{"none", "chebyshev", "jacobi"};
  if (!is_complex<T> && hypre::is_there()) names.emplace_back("multigrid");
  std::vector<int> products;
  for (const std::string& name : names) {
    Solved<T> solved(known.system, product_backends().front(), pick(modes<T>(), "vector", "mode"), "staged",
                     "sell", 4);
    const auto M = name == "none" ? nullptr : Solved<T>::make(name, solved.request());
    const EigenOptions options{.count = 6, .tolerance = tight<T>()};
    const EigenResult<T> result = block_eigen(solved.on(), solved.A(), M.get(), options);
    SCOPED_TRACE(name);
    check_result(solved, known, options, result);
    products.push_back(result.products);
  }
  EXPECT_LT(products[1], 0.6 * products[0]);
  if (products.size() > 3) {
    EXPECT_LT(products[3], 0.5 * products[0]);
  }
}

TEST_F(BackendsTest, BlockEigenSaysWhyItStops) {
  const SmallSystem<double> system = grid<double>("grid", 20, 17, 0.7, false);
  for (const TestBackend& backend : {product_backends().front(), product_backends().back()}) {
    Solved<double> solved(system, backend, pick(modes<double>(), "vector", "mode"), "staged", "sell", 4);
    const auto search = [&](const EigenOptions& options) {
      return block_eigen<double>(solved.on(), solved.A(), nullptr, options);
    };
    const auto few = search({.max_restarts = 1});
    EXPECT_EQ(few.stop, Stop::iterations);
    EXPECT_EQ(few.restarts, 1);
    EXPECT_GT(few.residuals.back(), 1e-6);
    EXPECT_NE(few.reason.find("copies may be missing"), std::string::npos) << few.reason;
    const auto asked =
        search({.watch = [](int products, double) { return world().rank() == 0 && products > 8; }});
    EXPECT_EQ(asked.stop, Stop::asked);
    EXPECT_LT(asked.products, 30);
    const auto stagnated = search({.tolerance = 0});
    EXPECT_EQ(stagnated.stop, Stop::stagnated);
    EXPECT_LT(*std::max_element(stagnated.residuals.begin(), stagnated.residuals.end()),
              1e-13 * stagnated.norm);
    const auto once = search({}), other = search({.start_seed = 2});
    EXPECT_EQ(once.history, search({}).history);
    EXPECT_NE(once.history, other.history);
    for (const double value : world().all_gather(once.values[3])) EXPECT_EQ(value, once.values[3]);
  }
}

TEST_F(BackendsTest, BlockEigenRefusesWhatCannotBe) {
  SmallSystem<double> system = grid<double>("grid", 6, 5, 1, false);
  const auto code_of = [&](const EigenOptions& options, const char* preconditioner) {
    Solved<double> solved(system, product_backends().front(), pick(modes<double>(), "vector", "mode"),
                          "staged", "sell", 3);
    const auto M = *preconditioner == 0 ? nullptr : Solved<double>::make(preconditioner, solved.request());
    try {
      const auto result = block_eigen(solved.on(), solved.A(), M.get(), options);
      EXPECT_EQ(result.stop, Stop::not_finite);
      EXPECT_TRUE(result.values.empty() && result.vectors.empty());
    } catch (const AgreedError& error) {
      return error.code();
    }
    return ExitCode::ok;
  };
  EXPECT_EQ(code_of({.count = 31}, ""), ExitCode::usage);
  EXPECT_EQ(code_of({.count = 0}, ""), ExitCode::usage);
  EXPECT_EQ(code_of({.count = 4, .subspace = 12}, ""), ExitCode::usage);
  EXPECT_EQ(code_of({.which = Which::highest}, "jacobi"), ExitCode::usage);
  for (Entry<double>& e : system.entries)
    if (e.row == 20 && e.col == 21) e.value *= 1.5;
  EXPECT_EQ(code_of({}, ""), ExitCode::input);
  for (Entry<double>& e : system.entries) e.value = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(code_of({}, ""), ExitCode::ok);
}

}  // namespace
}  // namespace spmv::test
