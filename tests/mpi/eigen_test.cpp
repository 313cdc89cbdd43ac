// Eigenvalues on ranks, against those of a dense solver, spectra that are known, and what must happen with bad input.
#include "dist/spectrum/eigen.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/generated.hpp"
#include "support/small_system.hpp"
#include "support/usable_transports.hpp"
#include "tests/support/dense_eigen.hpp"

namespace spmv::test {
namespace {

template <class T>
class Eigen : public BackendsTest {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Eigen, ValueTypes);

template <class T>
double tolerance() {
  return sizeof(RealOf<T>) == sizeof(float) ? 2e-6 : 1e-11;
}

/// All eigenvalues, ascending. A hermitian matrix is a real symmetric one of twice its size that has each of them twice.
template <class T>
std::vector<double> dense_eigenvalues(const SmallSystem<T>& system) {
  const auto n = static_cast<int>(system.rows);
  Dense dense(2 * n);
  for (const Entry<T>& e : system.entries) {
    const std::complex<double> value(e.value);
    const int i = static_cast<int>(e.row), j = static_cast<int>(e.col);
    dense(i, j) += value.real();
    dense(n + i, n + j) += value.real();
    dense(i, n + j) -= value.imag();
    dense(n + i, j) += value.imag();
  }
  const std::vector<double> twice = lowest_eigenvalues(dense, 2 * n);
  std::vector<double> once;
  for (std::size_t i = 0; i < twice.size(); i += 2) once.push_back(twice[i]);
  return once;
}

/// The first `count` from the wanted end.
std::vector<double> wanted_of(std::vector<double> ascending, Which which, int count) {
  if (which == Which::highest) std::reverse(ascending.begin(), ascending.end());
  ascending.resize(static_cast<std::size_t>(count));
  return ascending;
}

template <class T>
std::vector<Wide<T>> wide_vector(const std::vector<T>& narrow) {
  return {narrow.begin(), narrow.end()};
}

/// The vectors are orthonormal, and the residuals are what they are said to be.
template <class T>
void check_vectors(const Solved<T>& solved, const SmallSystem<T>& system, const EigenResult<T>& result,
                   double at_most) {
  constexpr double eps = std::numeric_limits<RealOf<T>>::epsilon();
  std::vector<std::vector<Wide<T>>> vectors;
  for (const Vector<T>& vector : result.vectors) vectors.push_back(wide_vector(solved.whole(vector)));
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j)
      EXPECT_NEAR(static_cast<double>(std::abs(wide_dot<T>(vectors[j], vectors[i]))), i == j ? 1 : 0,
                  100 * eps)
          << i << ' ' << j;
    auto residual = system.product(vectors[i]);
    for (std::size_t k = 0; k < residual.size(); ++k)
      residual[k] -= static_cast<long double>(result.values[i]) * vectors[i][k];
    const auto norm = static_cast<double>(std::sqrt(std::real(wide_dot<T>(residual, residual))));
    EXPECT_LE(norm, at_most * result.norm + 10 * eps * result.norm) << i;
    EXPECT_NEAR(norm, result.residuals[i], 0.1 * norm + 10 * eps * result.norm) << i;
  }
}

template <class T>
void check_pairs(Solved<T>& solved, const SmallSystem<T>& system, const std::vector<double>& all,
                 const EigenOptions& options) {
  SCOPED_TRACE(system.name + " " + to_string(options.which));
  const EigenResult<T> result = eigen(solved.on(), solved.A(), options);
  ASSERT_EQ(result.stop, Stop::converged) << result.reason;
  const std::vector<double> want = wanted_of(all, options.which, options.count);
  ASSERT_EQ(result.values.size(), want.size());
  ASSERT_EQ(result.vectors.size(), want.size());
  ASSERT_EQ(static_cast<int>(result.history.size()), result.restarts + 1);
  for (std::size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(result.values[i], want[i], options.tolerance * result.norm) << i;
  check_vectors(solved, system, result, options.tolerance);
}

template <class T>
std::vector<SmallSystem<T>> systems() {
  return {grid<T>("grid", 9, 8, 0.7, false), grid<T>("one row", 1, 1, 1, false),
          grid<T>("scaled", 10, 6, 0.05, true), grid<T>("indefinite line", 40, 1, 0, false, -1.7),
          grid<T>("two rows", 2, 1, 1, false)};
}

/// Every mode and transport in turn. Value types share the work.
TYPED_TEST(Eigen, FindsBothEndsInEveryMode) {
  using T = TypeParam;
  const auto all = systems<T>();
  std::vector<std::vector<double>> dense;
  for (const auto& system : all) dense.push_back(dense_eigenvalues(system));
  std::size_t turn = 0;
  for (const TestBackend& backend : product_backends())
    for (const Transport* transport : usable_transports(world(), backend.make(world())))
      for (const Mode<T>& mode : modes<T>()) {
        if (mode.needs_queued_exchange && world().size() > 1 && !only_queues_work(transport->name)) continue;
        const std::size_t at = turn++;
        if (at % 4 != number_of<T>) continue;
        SCOPED_TRACE(std::string(backend.name) + " " + mode.name + " " + transport->name);
        const std::size_t s = at / 4 % all.size();
        Solved<T> solved(all[s], backend, mode, transport->name);
        const Which which = at / 8 % 2 == 0 ? Which::lowest : Which::highest;
        check_pairs(solved, all[s], dense[s],
                    {.count = static_cast<int>(std::min<gidx>(3, all[s].rows)),
                     .which = which,
                     .tolerance = tolerance<T>()});
      }
}

/// Small and large bases, few eigenvalues and all.
TYPED_TEST(Eigen, FindsAsManyAsWanted) {
  using T = TypeParam;
  for (const SmallSystem<T>& system : systems<T>()) {
    const auto dense = dense_eigenvalues(system);
    Solved<T> solved(system, product_backends().front(), pick(modes<T>(), "vector", "mode"), "staged");
    for (const int count : {1, 2, 5, 12, 40})
      for (const int more : {0, 2, 7, 30}) {
        if (count > system.rows || (more == 2 && count < 5)) continue;
        SCOPED_TRACE(std::to_string(count) + " of a subspace of " + std::to_string(more) + " more");
        check_pairs(solved, system, dense,
                    {.count = count,
                     .which = count % 2 == 0 ? Which::lowest : Which::highest,
                     .tolerance = tolerance<T>(),
                     .subspace = more == 0 ? 0 : count + more,
                     .max_restarts = 10000});
      }
  }
}

SmallSystem<double> generated(const std::string& specification) {
  const RowBlock<double> rows = whole(specification);
  SmallSystem<double> system{specification, rows.rows(), {}};
  for (gidx i = 0; i < rows.rows(); ++i)
    for (offset k = rows.row_ptr[static_cast<std::size_t>(i)];
         k < rows.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      system.entries.push_back(
          {i, rows.col[static_cast<std::size_t>(k)], rows.value[static_cast<std::size_t>(k)]});
  return system;
}

/// The Laplacians of five and seven points with zero around: 2 - 2 cos in each direction.
TEST_F(BackendsTest, EigenvaluesOfStencilsAreTheKnownOnes) {
  struct Stencil {
    const char* generator;
    std::vector<int> points;
  };
  for (const Stencil& stencil : {Stencil{"stencil5:13,11", {13, 11}}, Stencil{"stencil7:7,6,5", {7, 6, 5}}}) {
    std::vector<double> known{0};
    for (const int points : stencil.points) {
      std::vector<double> sums;
      for (const double sum : known)
        for (int k = 1; k <= points; ++k)
          sums.push_back(sum + 2 - 2 * std::cos(k * std::numbers::pi / (points + 1)));
      known = sums;
    }
    std::sort(known.begin(), known.end());
    const SmallSystem<double> system = generated(stencil.generator);
    Solved<double> solved(system, product_backends().front(), pick(modes<double>(), "vector", "mode"),
                          "staged");
    for (const Which which : {Which::lowest, Which::highest})
      check_pairs(solved, system, known, {.count = 6, .which = which, .tolerance = 1e-11});
  }
}

/// Two electrons on two sites: (U - sqrt(U^2 + 16 t^2)) / 2, 0, U and (U + sqrt(U^2 + 16 t^2)) / 2.
TEST_F(BackendsTest, EigenvaluesOfTheHubbardDimerAreTheKnownOnes) {
  constexpr double u = 4, t = 1;
  const double root = std::sqrt(u * u + 16 * t * t);
  const SmallSystem<double> system = generated("holstein-hubbard:2,1,1,0,t=1,u=4,omega=1,g=0");
  ASSERT_EQ(system.rows, 4);
  Solved<double> solved(system, product_backends().front(), pick(modes<double>(), "vector", "mode"),
                        "staged");
  check_pairs(solved, system, {(u - root) / 2, 0, u, (u + root) / 2}, {.count = 4, .tolerance = 1e-13});
}

TEST_F(BackendsTest, EigenvaluesOfHolsteinHubbardAreThoseOfADenseSolver) {
  const SmallSystem<double> system = generated("holstein-hubbard:3,1,1,4");
  Solved<double> solved(system, product_backends().front(), pick(modes<double>(), "vector", "mode"),
                        "staged");
  check_pairs(solved, system, dense_eigenvalues(system), {.count = 2, .tolerance = 1e-11});
}

template <class T>
SmallSystem<T> diagonal(const std::string& name, const std::vector<double>& values) {
  SmallSystem<T> system{name, static_cast<gidx>(values.size()), {}};
  for (std::size_t i = 0; i < values.size(); ++i)
    system.entries.push_back(
        {static_cast<gidx>(i), static_cast<gidx>(i), T(static_cast<RealOf<T>>(values[i]))});
  return system;
}

/// Where the vectors so far span an invariant subspace, a random vector goes on: all copies of an eigenvalue are found.
TYPED_TEST(Eigen, GoesOnFromInvariantSubspaces) {
  using T = TypeParam;
  std::vector<double> few(30), ones(30, 1.0), zeros(30, 0.0);
  for (std::size_t i = 0; i < few.size(); ++i) few[i] = i % 3 == 0 ? -1 : i % 3 == 1 ? 0.5 : 2;
  for (const TestBackend& backend : {product_backends().front(), product_backends().back()})
    for (const auto& [name, values] : {std::pair{"three values", few}, {"identity", ones}, {"zero", zeros}}) {
      const SmallSystem<T> system = diagonal<T>(name, values);
      Solved<T> solved(system, backend, pick(modes<T>(), "vector", "mode"), "staged");
      std::vector<double> sorted = values;
      std::sort(sorted.begin(), sorted.end());
      for (const int count :
           backend.name == product_backends().front().name ? std::vector<int>{2, 7, 30} : std::vector<int>{7})
        check_pairs(solved, system, sorted, {.count = count, .tolerance = tolerance<T>()});
    }
}

/// On a square grid every other eigenvalue is there twice.
TYPED_TEST(Eigen, FindsCopiesIfAsked) {
  using T = TypeParam;
  const SmallSystem<T> system = grid<T>("square", 11, 11, 1, false);
  Solved<T> solved(system, product_backends().front(), pick(modes<T>(), "vector", "mode"), "staged");
  const auto dense = dense_eigenvalues(system);
  for (const int count : {2, 3, 6, 9})
    check_pairs(solved, system, dense, {.count = count, .tolerance = tolerance<T>(), .copies = true});
  // A search that ends where copies are first looked for has not converged.
  const auto once = eigen(solved.on(), solved.A(), {.count = 3, .tolerance = tolerance<T>()});
  const auto few =
      eigen(solved.on(), solved.A(),
            {.count = 3, .tolerance = tolerance<T>(), .max_restarts = once.restarts, .copies = true});
  EXPECT_EQ(few.stop, Stop::iterations);
  EXPECT_NE(few.reason.find("copies may be missing"), std::string::npos) << few.reason;
}

/// The same bits on all ranks, in every run, and however far the host is behind.
TYPED_TEST(Eigen, RepeatsItself) {
  using T = TypeParam;
  for (const SmallSystem<T>& system :
       {grid<T>("grid", 9, 8, 0.7, false), diagonal<T>("identity", std::vector<double>(20, 1.0))}) {
    std::vector<double> values;
    std::vector<std::vector<T>> vectors(3);
    for (const TestBackend& backend : {product_backends().front(), product_backends().back()}) {
      Solved<T> solved(system, backend, pick(modes<T>(), "vector", "mode"), "staged");
      const EigenResult<T> result = eigen(solved.on(), solved.A(), {.count = 3, .tolerance = tolerance<T>()});
      if (values.empty()) values = result.values;
      EXPECT_EQ(values, result.values);
      for (std::size_t i = 0; i < vectors.size(); ++i) {
        if (vectors[i].empty()) vectors[i] = solved.whole(result.vectors[i]);
        EXPECT_EQ(vectors[i], solved.whole(result.vectors[i]));
        for (const double last : world().all_gather(result.residuals[i]))
          EXPECT_EQ(last, result.residuals[i]);
        for (const double last : world().all_gather(result.values[i])) EXPECT_EQ(last, result.values[i]);
      }
    }
  }
}

TEST_F(BackendsTest, EigenSaysWhyItStops) {
  const SmallSystem<double> system = grid<double>("grid", 20, 17, 0.7, false);
  for (const TestBackend& backend : {product_backends().front(), product_backends().back()}) {
    Solved<double> solved(system, backend, pick(modes<double>(), "vector", "mode"), "staged");
    const auto few = eigen(solved.on(), solved.A(), {.max_restarts = 1});
    EXPECT_EQ(few.stop, Stop::iterations);
    EXPECT_EQ(few.restarts, 1);
    check_vectors(solved, system, few, 1);
    const auto watch = [](int products, double residual) {
      EXPECT_GT(residual, 0);
      return world().rank() == 0 && products > 30;
    };
    const auto asked = eigen(solved.on(), solved.A(), {.watch = watch});
    EXPECT_EQ(asked.stop, Stop::asked);
    EXPECT_LT(asked.products, 60);
    check_vectors(solved, system, asked, 1);
    const auto other = eigen(solved.on(), solved.A(), {.start_seed = 2});
    check_vectors(solved, system, other, 1e-8);
    EXPECT_NE(other.history, eigen(solved.on(), solved.A(), {}).history);
    EXPECT_EQ(other.history, eigen(solved.on(), solved.A(), {.start_seed = 2}).history);
    const auto stagnated = eigen(solved.on(), solved.A(), {.tolerance = 1e-18});
    EXPECT_EQ(stagnated.stop, Stop::stagnated);
    EXPECT_NE(stagnated.reason.find("out of reach"), std::string::npos);
    check_vectors(solved, system, stagnated, 1e-14);
  }
}

TEST_F(BackendsTest, EigenFindsValuesThatAreNotFinite) {
  SmallSystem<double> system = grid<double>("grid", 6, 5, 1, false);
  for (auto& e : system.entries)
    if (e.row == 17 && e.col == 17) e.value = std::numeric_limits<double>::quiet_NaN();
  for (const TestBackend& backend : {product_backends().front(), product_backends().back()}) {
    Solved<double> solved(system, backend, pick(modes<double>(), "vector", "mode"), "staged");
    const auto result = eigen(solved.on(), solved.A(), {});
    EXPECT_EQ(result.stop, Stop::not_finite);
    EXPECT_TRUE(result.values.empty() && result.vectors.empty());
  }
}

TYPED_TEST(Eigen, RefusesMatricesThatAreNotHermitian) {
  using T = TypeParam;
  SmallSystem<T> system = grid<T>("grid", 8, 6, 1, false);
  for (auto& e : system.entries)
    if (e.row == 20 && e.col == 21) e.value *= T(1.5F);
  Solved<T> solved(system, product_backends().front(), pick(modes<T>(), "vector", "mode"), "staged");
  expect_refused([&] { eigen(solved.on(), solved.A(), {}); }, {"(u, A v)", "eigenvalues"});
}

TEST_F(BackendsTest, EigenRefusesWhatCannotBe) {
  const SmallSystem<double> system = grid<double>("grid", 4, 3, 1, false);
  Solved<double> solved(system, product_backends().front(), pick(modes<double>(), "vector", "mode"),
                        "staged");
  for (const EigenOptions& options :
       {EigenOptions{.count = 13}, EigenOptions{.count = 0}, EigenOptions{.count = 4, .subspace = 5},
        EigenOptions{.subspace = -1}, EigenOptions{.count = 4, .subspace = 6, .copies = true}}) {
    try {
      eigen(solved.on(), solved.A(), options);
      ADD_FAILURE() << "accepted";
    } catch (const AgreedError& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
    }
  }
}

}  // namespace
}  // namespace spmv::test
