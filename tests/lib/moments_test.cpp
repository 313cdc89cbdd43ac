// Moments and time evolution through the public interface for C++.
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "callers_grid.hpp"
#include "spmv_dist/spectrum.hpp"

namespace spmv::test {
namespace {

using spmv_dist::Bounds;
using spmv_dist::Code;
using spmv_dist::Context;
using spmv_dist::EvolveOptions;
using spmv_dist::Matrix;
using spmv_dist::Moments;
using spmv_dist::MomentsOptions;
using spmv_dist::Side;
using spmv_dist::Stop;
using spmv_dist::Vector;

template <class T>
class LibraryMoments : public testing::Test {};
using MomentsValues = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LibraryMoments, MomentsValues);

template <class T>
constexpr double exact = sizeof(RealOf<T>) == sizeof(float) ? 1e-5 : 1e-12;

/// (a, b) over all ranks.
template <class T>
std::complex<double> dot_of(const std::vector<T>& a, const std::vector<T>& b) {
  std::complex<double> sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += std::conj(std::complex<double>(a[i])) * std::complex<double>(b[i]);
  return {world().sum(sum.real()), world().sum(sum.imag())};
}

/// mu_1 and mu_2 of x by its product b = A x.
TYPED_TEST(LibraryMoments, AreThoseOfTheCallersVector) {
  using T = TypeParam;
  const CallersGrid<T> mine;
  const double xx = dot_of(mine.x, mine.x).real(), xb = dot_of(mine.x, mine.b).real(),
               bb = dot_of(mine.b, mine.b).real();
  for (const std::string backend : {"host", "debug"})
    for (const std::string partition : {"keep", "metis"}) {
      const Context context(world_comm(), {{"backend", backend}});
      Matrix<T> A(context, mine.view, {{"transport", "staged"}, {"partition", partition}});
      auto x = A.make_x();
      x.set(A.to_matrix(Side::x, mine.x));
      MomentsOptions options;
      options.moments = 5;
      const Moments found = moments_of(A, x, options);
      EXPECT_EQ(found.bounds_from, "estimated");
      ASSERT_EQ(found.of_vector.size(), 1U);
      ASSERT_EQ(found.of_vector[0].size(), 5U);
      const double c = (found.bounds.low + found.bounds.high) / 2,
                   h = (found.bounds.high - found.bounds.low) / 2;
      EXPECT_EQ(found.of_vector[0][0], 1);
      EXPECT_NEAR(found.of_vector[0][1], (xb / xx - c) / h, exact<T>);
      EXPECT_NEAR(found.of_vector[0][2], 2 * (bb / xx - 2 * c * xb / xx + c * c) / (h * h) - 1, exact<T>);
      EXPECT_NEAR(found.norm, std::sqrt(xx), exact<T> * std::sqrt(xx));
      EXPECT_EQ(x.get(), A.to_matrix(Side::x, mine.x)) << "the start vector changed";
    }
}

/// The same random vectors in every partition, and the trace by them.
TYPED_TEST(LibraryMoments, OfRandomVectorsDoNotDependOnThePartition) {
  using T = TypeParam;
  const CallersGrid<T> mine;
  const Context context(world_comm(), {{"backend", "host"}});
  MomentsOptions options;
  options.moments = 40;
  options.vectors = 30;
  options.bounds = Bounds{-0.5, 9};
  Matrix<T> kept(context, mine.view, {{"transport", "staged"}});
  Matrix<T> moved(context, mine.view, {{"transport", "staged"}, {"partition", "metis"}});
  const Moments a = moments(kept, options), b = moments(moved, options);
  ASSERT_EQ(a.of_vector.size(), 30U);
  EXPECT_EQ(a.products, 30 * 20);
  double mean = 0;
  for (std::size_t i = 0; i < 30; ++i) {
    for (std::size_t n = 0; n < 40; ++n) EXPECT_NEAR(a.of_vector[i][n], b.of_vector[i][n], 40 * exact<T>);
    mean += a.of_vector[i][1] / 30;
  }
  EXPECT_NEAR(mean, (4.2 - 4.25) / 4.75, 0.02) << "the diagonal is 4.2";
  const spmv_dist::Density density = density_of_states(a, 300);
  EXPECT_NEAR(density.integral, 1, 1e-3);
  EXPECT_EQ(density.error.size(), 300U);
}

/// There and back again, and the derivative at the begin.
TYPED_TEST(LibraryMoments, EvolutionIsReversible) {
  using T = TypeParam;
  const CallersGrid<T> mine;
  const Context context(world_comm(), {{"backend", "debug"}});
  Matrix<T> A(context, mine.view, {{"transport", "staged"}, {"partition", "metis"}});
  const std::vector<T> x0 = A.to_matrix(Side::x, mine.x), b = A.to_matrix(Side::y, mine.b);
  auto x = A.make_x();
  x.set(x0);
  EvolveOptions options;
  options.imaginary_time = !is_complex<T>;
  const auto forth = evolve(A, x, 0.5, options);
  options.bounds = forth.bounds;
  EXPECT_GT(distance(x.get(), x0), 0.1);
  const auto back = evolve(A, x, -0.5, options);
  EXPECT_LE(distance(x.get(), x0), 1e3 * exact<T> + 1e-8);
  EXPECT_EQ(back.bounds_from, "given");
  EXPECT_NEAR(back.norm_after, forth.norm_before, 1e3 * exact<T> * forth.norm_before + 1e-8);
  if (is_complex<T>) {
    EXPECT_NEAR(forth.norm_after, forth.norm_before, 10 * exact<T> * forth.norm_before);
  }
  constexpr double t = 0.02;
  std::vector<T> after[2];
  for (const int backwards : {0, 1}) {
    x.set(x0);
    evolve(A, x, backwards == 1 ? -t : t, options);
    after[backwards] = x.get();
  }
  std::vector<std::complex<double>> slope, expected;
  for (std::size_t i = 0; i < x0.size(); ++i) {
    slope.push_back((std::complex<double>(after[0][i]) - std::complex<double>(after[1][i])) / (2 * t));
    expected.push_back((is_complex<T> ? std::complex<double>(0, -1) : std::complex<double>(-1)) *
                       std::complex<double>(b[i]));
  }
  EXPECT_LE(distance(slope, expected), 0.02);
}

TEST(LibraryMomentsUse, BadCallsAreRefused) {
  const CallersGrid<double> mine;
  const Context context(world_comm(), {{"backend", "host"}});
  Matrix<double> A(context, mine.view, {{"transport", "staged"}}),
      other(context, mine.view, {{"transport", "staged"}});
  auto x = A.make_x(), of_other = other.make_x();
  expect_error(Code::usage, "use complex values, or imaginary time", [&] { evolve(A, x, 1.0); });
  expect_error(Code::input, "start vector of the moments is 0", [&] { moments_of(A, x); });
  expect_error(Code::usage, "another matrix", [&] { moments_of(A, of_other); });
  MomentsOptions options;
  options.bounds = Bounds{2, 1};
  expect_error(Code::usage, "[2, 1]", [&] { moments(A, options); });
  options = MomentsOptions();
  options.seed = static_cast<unsigned>(world().rank());
  if (world().size() > 1) expect_error(Code::usage, "the seed", [&] { moments(A, options); });
  expect_error(Code::usage, "at least one moment", [&] { spmv_dist::density_of_states(Moments(), 10); });
  const CallersGrid<double> negative({5, 4, -9});
  Matrix<double> B(context, negative.view, {{"transport", "staged"}});
  options = MomentsOptions();
  options.bounds = Bounds{0, 1};
  EXPECT_NE(moments(B, options).bounds_from.find("widened"), std::string::npos);
}

/// What the last rank answers, or throws, holds for all.
TEST(LibraryMomentsUse, AreWatched) {
  using T = std::complex<double>;
  const bool last = world().rank() == world().size() - 1;
  const CallersGrid<T> mine;
  const Context context(world_comm(), {{"backend", "host"}});
  Matrix<T> A(context, mine.view, {{"transport", "staged"}});
  auto x = A.make_x();
  const std::vector<T> before = A.to_matrix(Side::x, mine.x);
  x.set(before);

  MomentsOptions of_moments;
  of_moments.moments = 40;
  of_moments.watch = [last](std::int64_t moments) { return last && moments >= 90; };
  const Moments all = [&] {
    MomentsOptions unwatched = of_moments;
    unwatched.watch = {};
    return moments(A, unwatched);
  }();
  EXPECT_EQ(all.stop, Stop::converged);
  const Moments some = moments(A, of_moments);
  EXPECT_EQ(some.stop, Stop::asked);
  ASSERT_GE(some.of_vector.size(), 2U);
  ASSERT_LT(some.of_vector.size(), 10U);
  for (std::size_t i = 0; i < some.of_vector.size(); ++i) EXPECT_EQ(some.of_vector[i], all.of_vector[i]);
  of_moments.watch = [last](std::int64_t moments) { return last && moments >= 10; };
  const Moments first = moments_of(A, x, of_moments);
  EXPECT_EQ(first.stop, Stop::asked);
  ASSERT_EQ(first.of_vector.size(), 1U);
  EXPECT_LT(first.of_vector[0].size(), 40U);

  EvolveOptions of_evolution;
  const auto after = [&](double t) {
    const spmv_dist::EvolveResult result = evolve(A, x, t, of_evolution);
    EXPECT_EQ(result.stop, Stop::asked);
    EXPECT_LT(result.products, result.terms);
    EXPECT_EQ(x.get(), before);
  };
  of_evolution.watch = [last](std::int64_t products) { return last && products >= 16; };
  after(1e4);
  of_evolution.watch = {};
  if (last) of_evolution.watch = [](std::int64_t) -> bool { throw std::string("enough"); };
  if (last)
    EXPECT_THROW(evolve(A, x, 1e4, of_evolution), std::string);
  else
    after(1e4);
}

}  // namespace
}  // namespace spmv::test
