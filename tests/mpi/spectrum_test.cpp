// Moments and time evolution on ranks, against dense spectra and exponentials in long double.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dist/spectrum/chebyshev_vectors.hpp"
#include "dist/spectrum/evolve.hpp"
#include "dist/spectrum/kpm_density.hpp"
#include "support/dense_spectrum.hpp"
#include "support/random_phases_battery.hpp"
#include "support/small_system.hpp"

namespace spmv::test {
namespace {

template <class T>
class Spectra : public BackendsTest {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Spectra, ValueTypes);

template <class T>
constexpr double rounding = sizeof(RealOf<T>) == sizeof(float) ? 2e-5 : 1e-13;

/// Hermitian, with eigenvalues of both signs. Some leave ranks without rows.
template <class T>
std::vector<SmallSystem<T>> hermitian_systems() {
  return {grid<T>("grid", 5, 4, 0.7, false, -1.5), grid<T>("scaled", 4, 4, 0.3, true),
          grid<T>("line", 17, 1, 0, false, 0.4), grid<T>("two rows", 2, 1, 1, false)};
}

template <class T>
std::vector<T> some_vector(gidx rows, unsigned number) {
  std::vector<T> v;
  for (gidx i = 0; i < rows; ++i) v.push_back(x_value<T>(i, number));
  return v;
}

std::vector<gidx> all_ids(gidx rows) {
  std::vector<gidx> ids(static_cast<std::size_t>(rows));
  std::iota(ids.begin(), ids.end(), gidx{0});
  return ids;
}

/// A backend that does its work at once, and one that does it late; a mode for each.
template <class T>
std::vector<Solved<T>> on_backends(const SmallSystem<T>& system) {
  std::vector<Solved<T>> all;
  all.emplace_back(system, product_backends().front(), pick(modes<T>(), "task", "mode"), "staged");
  all.emplace_back(system, product_backends().back(), pick(modes<T>(), "vector", "mode"), "staged");
  return all;
}

template <class T>
const std::vector<gidx>& ids_of(Solved<T>& solved) {
  return solved.request().rows.original_row;
}

void expect_same_on_ranks(const std::vector<double>& numbers) {
  for (const double number : numbers)
    for (const double other : world().all_gather(number)) ASSERT_EQ(number, other);
}

template <class T>
void expect_moments(const std::vector<double>& mu, const std::vector<double>& expected) {
  ASSERT_EQ(mu.size(), expected.size());
  for (std::size_t n = 0; n < mu.size(); ++n)
    ASSERT_NEAR(mu[n], expected[n], rounding<T> * static_cast<double>(n + 1)) << "moment " << n;
  expect_same_on_ranks(mu);
}

/// All numbers of moments that end a group of steps in another way.
TYPED_TEST(Spectra, MomentsOfAVectorAreThoseOfTheDenseSpectrum) {
  using T = TypeParam;
  for (const SmallSystem<T>& system : hermitian_systems<T>()) {
    const LongSpectrum spectrum = diagonalised(dense(system));
    const std::vector<T> v = some_vector<T>(system.rows, 5);
    for (Solved<T>& solved : on_backends(system)) {
      Vector<T> start = solved.A().make_vector();
      solved.set(start, v);
      const Bounds bounds = find_range<T>(solved.on(), solved.A(), std::nullopt).bounds;
      for (const int count : {2, 3, 4, 5, 6, 7, 60}) {
        SCOPED_TRACE(system.name + " " + std::to_string(count));
        const Moments moments =
            moments_of(solved.on(), solved.A(), start, {.moments = count, .bounds = bounds});
        EXPECT_EQ(moments.range.from, "given");
        EXPECT_EQ(moments.products, count / 2);
        ASSERT_EQ(moments.of_vector.size(), 1U);
        expect_moments<T>(moments.of_vector[0], moments_by_spectrum(spectrum, v, moments.range.centre(),
                                                                    moments.range.half_width(), count));
        long double squares = 0;
        for (const T& value : v) squares += std::norm(LongComplex(value));
        EXPECT_NEAR(moments.norm, static_cast<double>(std::sqrt(squares)), rounding<T> * moments.norm);
        EXPECT_EQ(solved.whole(start), v) << "the start vector changed";
      }
    }
  }
}

/// What ranks make of ids is what one would make of all ids: the moments are those of the whole vector.
TYPED_TEST(Spectra, RandomVectorsDependOnSeedAndIdsAlone) {
  using T = TypeParam;
  const SmallSystem<T> system = grid<T>("grid", 5, 4, 0.7, false, -1.5);
  const LongSpectrum spectrum = diagonalised(dense(system));
  const MomentsOptions options{.moments = 12, .vectors = 3, .seed = 7, .bounds = Bounds{-7, 7}};
  auto all = on_backends(system);
  // A format with an order of rows of its own.
  all.emplace_back(system, product_backends().back(), pick(modes<T>(), "vector", "mode"), "staged", "pjds");
  for (Solved<T>& solved : all) {
    const Moments moments = moments_of_random(solved.on(), solved.A(), ids_of(solved), options);
    ASSERT_EQ(moments.of_vector.size(), 3U);
    EXPECT_EQ(moments.products, 3 * 6);
    EXPECT_EQ(moments.range.from, "given");
    for (unsigned i = 0; i < 3; ++i) {
      const std::vector<T> v = expected_phases<T>(all_ids(system.rows), 7, i);
      expect_moments<T>(moments.of_vector[i], moments_by_spectrum(spectrum, v, 0, 7, 12));
    }
    EXPECT_NE(moments.of_vector[0], moments.of_vector[1]);
  }
}

/// At a request to stop, vectors that are finished are kept with the moments that they have anyway; or the beginning of the
/// first.
TYPED_TEST(Spectra, MomentsUntilARequestToStopAreKept) {
  using T = TypeParam;
  const SmallSystem<T> system = grid<T>("grid", 5, 4, 0.7, false, -1.5);
  for (Solved<T>& solved : on_backends(system)) {
    MomentsOptions options{.moments = 40, .vectors = 5, .bounds = Bounds{-7, 7}};
    const Moments all = moments_of_random(solved.on(), solved.A(), ids_of(solved), options);
    EXPECT_FALSE(all.asked);
    const auto until = [&](int least) {
      int asked = 0;
      options.watch = [&asked, least](int moments) {
        asked += 1;
        EXPECT_LE(moments, 200);
        return world().rank() == world().size() - 1 && moments >= least;
      };
      const Moments some = moments_of_random(solved.on(), solved.A(), ids_of(solved), options);
      EXPECT_GT(asked, 0);
      EXPECT_TRUE(some.asked);
      for (const int others : world().all_gather(static_cast<int>(some.of_vector.size())))
        EXPECT_EQ(static_cast<std::size_t>(others), some.of_vector.size());
      return some.of_vector;
    };
    EXPECT_TRUE(until(0).empty());
    const auto first = until(2);
    ASSERT_EQ(first.size(), 1U);
    ASSERT_GE(first[0].size(), 2U);
    const auto several = until(90);
    ASSERT_GE(several.size(), 2U);
    for (const auto& found : {first, several})
      for (std::size_t i = 0; i < found.size(); ++i)
        for (std::size_t n = 0; n < found[i].size(); ++n) EXPECT_EQ(found[i][n], all.of_vector[i][n]);
    for (const auto& mu : several) EXPECT_EQ(mu.size(), 40U);
  }
}

/// Many vectors approach the trace as fast as their spread says.
TYPED_TEST(Spectra, RandomVectorsAverageToTheTrace) {
  using T = TypeParam;
  const SmallSystem<T> system = grid<T>("grid", 6, 5, 0.7, false, -1.5);
  const LongSpectrum spectrum = diagonalised(dense(system));
  Solved<T> solved(system, product_backends().front(), pick(modes<T>(), "vector", "mode"), "staged");
  constexpr int vectors = 60;
  const Moments moments =
      moments_of_random(solved.on(), solved.A(), ids_of(solved), {.moments = 8, .vectors = vectors});
  const std::vector<double> mean = mean_moments(moments);
  EXPECT_DOUBLE_EQ(mean[0], 1);
  for (std::size_t n = 1; n < mean.size(); ++n) {
    double trace = 0, spread = 0;
    for (const long double value : spectrum.value)
      trace += static_cast<double>(
          std::cos(static_cast<long double>(n) *
                   std::acos((value - moments.range.centre()) / moments.range.half_width())));
    for (const auto& mu : moments.of_vector) spread += (mu[n] - mean[n]) * (mu[n] - mean[n]);
    const double error = std::sqrt(spread) / vectors;
    EXPECT_NEAR(mean[n], trace / static_cast<double>(system.rows), 4 * error + 1e-5) << n;
  }
}

/// An infinite chain has 1 / (pi sqrt(4 - E^2)) states per energy. A ring is one as long as no step goes around.
TEST_F(BackendsTest, DensityOfAChainIsKnown) {
  constexpr gidx rows = 300;
  SmallSystem<double> ring{"ring", rows, {}};
  for (gidx i = 0; i < rows; ++i) {
    ring.entries.push_back({i, (i + 1) % rows, -1});
    ring.entries.push_back({i, (i + rows - 1) % rows, -1});
  }
  Solved<double> solved(ring, product_backends().front(), pick(modes<double>(), "vector", "mode"), "staged");
  Vector<double> start = solved.A().make_vector();
  std::vector<double> site(rows, 0.0);
  site[77] = 3;
  solved.set(start, site);
  const Moments moments = moments_of(solved.on(), solved.A(), start, {.moments = 256});
  const Density local = density_of_states(moments, 1000);
  EXPECT_NEAR(local.integral, 1, 1e-3);
  EXPECT_TRUE(local.error.empty());
  const Density all = density_of_states(
      moments_of_random(solved.on(), solved.A(), ids_of(solved), {.moments = 64, .vectors = 20}), 1000);
  EXPECT_NEAR(all.integral, 1, 1e-3);
  int within = 0, seen = 0;
  for (std::size_t k = 0; k < local.energy.size(); ++k) {
    const auto known = [](double energy) { return 1 / (std::acos(-1.0) * std::sqrt(4 - energy * energy)); };
    if (std::abs(local.energy[k]) < 1.6) {
      ASSERT_NEAR(local.density[k], known(local.energy[k]), 5e-3 * known(local.energy[k]));
    }
    if (std::abs(all.energy[k]) > 1.6) continue;
    ++seen;
    if (std::abs(all.density[k] - known(all.energy[k])) < 2 * all.error[k] + 5e-3) ++within;
  }
  EXPECT_GT(within, 0.8 * seen);
}

TYPED_TEST(Spectra, BoundsThatAreTooNarrowAreWidenedOnce) {
  using T = TypeParam;
  const SmallSystem<T> system = grid<T>("grid", 5, 4, 0.7, false, -1.5);
  const LongSpectrum spectrum = diagonalised(dense(system));
  for (Solved<T>& solved : on_backends(system)) {
    Vector<T> start = solved.A().make_vector();
    const std::vector<T> v = some_vector<T>(system.rows, 5);
    solved.set(start, v);
    const Moments moments =
        moments_of(solved.on(), solved.A(), start, {.moments = 20, .bounds = Bounds{-0.5, 1}});
    EXPECT_NE(moments.range.from.find("widened from [-0.5, 1]"), std::string::npos) << moments.range.from;
    expect_moments<T>(moments.of_vector[0], moments_by_spectrum(spectrum, v, moments.range.centre(),
                                                                moments.range.half_width(), 20));
    EXPECT_GT(moments.products, moments.range.products + 10);
  }
}

TYPED_TEST(Spectra, BoundsAreWidenedOnceOnly) {
  using T = TypeParam;
  const SmallSystem<T> system = convection<T>("convection", 8, 6, 4);
  Solved<T> solved(system, product_backends().back(), pick(modes<T>(), "vector", "mode"), "staged");
  expect_refused(
      [&] {
        moments_of_random(solved.on(), solved.A(), ids_of(solved),
                          {.moments = 400, .bounds = Bounds{0, 1}, .check = false});
      },
      {"widened already", "moment "});
  expect_refused([&] { moments_of_random(solved.on(), solved.A(), ids_of(solved), {}); },
                 {"(u, A v)", "a density of states"});
}

template <class T>
void expect_usage(const std::function<void()>& work, const std::string& word) {
  try {
    work();
    ADD_FAILURE() << "accepted";
  } catch (const AgreedError& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

TYPED_TEST(Spectra, BadInputIsNamed) {
  using T = TypeParam;
  SmallSystem<T> system = grid<T>("grid", 5, 4, 0.7, false);
  Solved<T> solved(system, product_backends().back(), pick(modes<T>(), "vector", "mode"), "staged");
  Vector<T> x = solved.A().make_vector();
  const auto of_x = [&](const MomentsOptions& options) { moments_of(solved.on(), solved.A(), x, options); };
  expect_refused([&] { of_x({}); }, {"start vector of the moments is 0"});
  expect_usage<T>([&] { of_x({.moments = 1}); }, "at least 2 moments");
  expect_usage<T>([&] { of_x({.bounds = Bounds{1, 1}}); }, "[1, 1]");
  expect_usage<T>([&] { moments_of_random(solved.on(), solved.A(), ids_of(solved), {.vectors = 0}); },
                  "0 vectors");
  if (!is_complex<T>)
    expect_usage<T>([&] { evolve(solved.on(), solved.A(), x, 1, {}); },
                    "use complex values, or imaginary time");
  const EvolveOptions imaginary{.time = Time::imaginary};
  expect_usage<T>([&] { evolve(solved.on(), solved.A(), x, 1, {.time = Time::imaginary, .tolerance = 0}); },
                  "tolerance");
  EXPECT_EQ(evolve(solved.on(), solved.A(), x, 1, imaginary).norm_after, 0);
  std::vector<T> not_finite = some_vector<T>(system.rows, 3);
  not_finite[7] = T(std::numeric_limits<RealOf<T>>::infinity());
  solved.set(x, not_finite);
  expect_refused([&] { of_x({}); }, {"not finite"});
  expect_refused([&] { evolve(solved.on(), solved.A(), x, 1, imaginary); }, {"not finite"});
  system.entries[30].value = T(std::numeric_limits<RealOf<T>>::quiet_NaN());
  Solved<T> bad(system, product_backends().back(), pick(modes<T>(), "vector", "mode"), "staged");
  expect_refused([&] { moments_of_random(bad.on(), bad.A(), ids_of(bad), {}); }, {"not finite"});
  expect_refused(
      [&] {
        moments_of_random(bad.on(), bad.A(), ids_of(bad), {.bounds = Bounds{-9, 9}});
      },
      {"not finite"});
}

/// |x - expected| / |expected|
template <class T>
double distance(const std::vector<T>& x, const std::vector<LongComplex>& expected) {
  long double off = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    off += std::norm(LongComplex(x[i]) - expected[i]);
    size += std::norm(expected[i]);
  }
  return static_cast<double>(std::sqrt(off / size));
}

template <class T>
void check_evolution(Solved<T>& solved, const SmallSystem<T>& system, double t, Time time,
                     const std::optional<Bounds>& bounds, const std::string& from) {
  SCOPED_TRACE(system.name + (time == Time::real ? " real time " : " imaginary time ") + std::to_string(t));
  const std::vector<T> before = some_vector<T>(system.rows, 9);
  const LongComplex factor = time == Time::real ? LongComplex(0, -t) : LongComplex(-t);
  const auto expected = product(exponential(dense(system), factor), before);
  Vector<T> x = solved.A().make_vector();
  solved.set(x, before);
  const EvolveResult result =
      evolve(solved.on(), solved.A(), x, t, {.time = time, .tolerance = 1e-12, .bounds = bounds});
  const std::vector<T> after = solved.whole(x);
  // Rounding errors of about one for every product, which a narrow result stands out of the less.
  const double fair =
      (time == Time::real ? 1 : result.norm_before / result.norm_after + 1) *
      std::exp(time == Time::real ? 0 : std::abs(t) * result.range.half_width() - t * result.range.centre());
  EXPECT_LE(distance(after, expected), 10 * rounding<T> * fair + 1e-11 * fair);
  if (time == Time::real) {
    EXPECT_NEAR(result.norm_after, result.norm_before, 10 * rounding<T> * result.norm_before);
  }
  EXPECT_EQ(result.range.from.substr(0, from.size()), from);
  double size = 0;
  for (const T& value : after) size += std::norm(std::complex<double>(value));
  EXPECT_NEAR(std::sqrt(size), result.norm_after, 1e-4 * result.norm_after);
  expect_same_on_ranks({result.norm_after, std::abs(std::complex<double>(after[0]))});
}

TYPED_TEST(Spectra, EvolutionIsTheDenseExponential) {
  using T = TypeParam;
  for (const SmallSystem<T>& system : hermitian_systems<T>())
    for (Solved<T>& solved : on_backends(system)) {
      const SpectralRange range = find_range<T>(solved.on(), solved.A(), std::nullopt);
      for (const double t : {0.0, 0.01, 0.6, -1.3})
        check_evolution(solved, system, t, Time::imaginary, range.bounds, "given");
      if constexpr (is_complex<T>)
        for (const double t : {0.0, 0.01, -1.3, 25.0})
          check_evolution(solved, system, t, Time::real, range.bounds, "given");
    }
}

TYPED_TEST(Spectra, EvolutionWidensBoundsOnce) {
  using T = TypeParam;
  const SmallSystem<T> system = grid<T>("grid", 5, 4, 0.7, false, -1.5);
  for (Solved<T>& solved : on_backends(system)) {
    check_evolution<T>(solved, system, 3, Time::imaginary, Bounds{0, 1}, "widened from [0, 1]");
    if constexpr (is_complex<T>)
      check_evolution<T>(solved, system, 30, Time::real, Bounds{-1, 2}, "widened from [-1, 2]");
    check_evolution<T>(solved, system, 1, Time::imaginary, std::nullopt, "estimated");
  }
  if constexpr (is_complex<T>) {
    const SmallSystem<T> wrong = convection<T>("convection", 8, 6, 4);
    Solved<T> solved(wrong, product_backends().back(), pick(modes<T>(), "vector", "mode"), "staged");
    Vector<T> x = solved.A().make_vector();
    const std::vector<T> before = some_vector<T>(wrong.rows, 4);
    solved.set(x, before);
    const EvolveOptions options{.bounds = Bounds{0, 1}, .check = false};
    expect_refused([&] { evolve(solved.on(), solved.A(), x, 40, options); }, {"widened already"});
    EXPECT_EQ(solved.whole(x), before) << "x changed";
  }
}

}  // namespace
}  // namespace spmv::test
