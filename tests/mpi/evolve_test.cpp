// Time evolution by random hermitian matrices against exponentials of their spectra in long double: right, or refused for a
// reason.
#include "dist/spectrum/evolve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/dense_spectrum.hpp"
#include "support/small_system.hpp"

namespace spmv::test {
namespace {

template <class T>
constexpr double epsilon_of = static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon());

/// Numbers that depend on a seed alone.
class Draws {
 public:
  explicit Draws(unsigned seed) : seed_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * (1 + x_value<double>(drawn_++, seed_)) / 2;
  }
  unsigned below(unsigned most) { return std::min(most - 1, static_cast<unsigned>(between(0, most))); }

 private:
  unsigned seed_;
  gidx drawn_ = 0;
};

/// Eigenvalues of one kind: wide, clustered, geometric, shifted by so much that they are close to each other.
std::vector<double> some_eigenvalues(unsigned kind, std::size_t n, Draws& draws) {
  std::vector<double> values(n);
  const double shift = kind < 3 ? 0 : std::pow(10, draws.between(1, 5)) * (kind == 3 ? 1 : -1);
  for (double& value : values) {
    value = draws.between(-1, 1);
    if (kind == 1) value = std::round(2 * value) + 1e-4 * draws.between(-1, 1);
    if (kind == 2) value = std::pow(10, 3 * value - 3);
    value += shift;
  }
  return values;
}

/// A full matrix with these eigenvalues, by reflections.
template <class T>
SmallSystem<T> with_eigenvalues(const std::vector<double>& values, Draws& draws) {
  const std::size_t n = values.size();
  LongMatrix m(n);
  for (std::size_t i = 0; i < n; ++i) m(i, i) = values[i];
  for (int reflection = 0; reflection < 2; ++reflection) {
    LongMatrix h(n);
    std::vector<LongComplex> u(n);
    long double size = 0;
    for (LongComplex& each : u) {
      each = LongComplex(draws.between(-1, 1), is_complex<T> ? draws.between(-1, 1) : 0);
      size += std::norm(each);
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        h(i, j) = (i == j ? 1.0L : 0.0L) - 2.0L * u[i] * std::conj(u[j]) / size;
    m = product(product(h, m), h);
  }
  SmallSystem<T> system{"full", static_cast<gidx>(n), {}};
  const auto add = [&](std::size_t i, std::size_t j, LongComplex value) {
    if constexpr (is_complex<T>)
      system.entries.push_back({static_cast<gidx>(i), static_cast<gidx>(j), T(value)});
    else
      system.entries.push_back({static_cast<gidx>(i), static_cast<gidx>(j), T(value.real())});
  };
  for (std::size_t i = 0; i < n; ++i) {
    add(i, i, m(i, i).real());
    for (std::size_t j = 0; j < i; ++j) {
      add(i, j, m(i, j));
      add(j, i, std::conj(m(i, j)));
    }
  }
  return system;
}

/// x(t) but for a factor exp(-reference), and what can be told of it.
struct Expected {
  std::vector<LongComplex> x;
  long double size = 0;       // |x|
  long double reference = 0;  // the exponent that is left out: of the eigenvalue that grows fastest
};

template <class T>
Expected evolved(const LongSpectrum& spectrum, const std::vector<T>& x, double t, Time time) {
  const std::size_t n = x.size();
  Expected expected{std::vector<LongComplex>(n), 0, 0};
  if (time == Time::imaginary) {
    expected.reference = -std::numeric_limits<long double>::infinity();
    for (const long double value : spectrum.value)
      expected.reference = std::max(expected.reference, -value * t);
  }
  for (std::size_t j = 0; j < n; ++j) {
    LongComplex overlap = 0;
    for (std::size_t i = 0; i < n; ++i) overlap += std::conj(spectrum.vector(i, j)) * LongComplex(x[i]);
    const LongComplex exponent = time == Time::real
                                     ? LongComplex(0, -spectrum.value[j] * t)
                                     : LongComplex(-spectrum.value[j] * t - expected.reference);
    for (std::size_t i = 0; i < n; ++i) expected.x[i] += std::exp(exponent) * overlap * spectrum.vector(i, j);
  }
  for (const LongComplex& each : expected.x) expected.size += std::norm(each);
  expected.size = std::sqrt(expected.size);
  return expected;
}

/// A start vector of one kind: random, one element, an eigenvector, or nearly orthogonal to all but one.
template <class T>
std::vector<T> some_start(unsigned kind, const LongSpectrum& spectrum, Draws& draws) {
  const std::size_t n = spectrum.value.size(), of = draws.below(static_cast<unsigned>(n));
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    LongComplex value(draws.between(-1, 1), draws.between(-1, 1));
    if (kind == 1) value = i == of ? 1 : 0;
    if (kind == 2) value = spectrum.vector(i, of);
    if (kind == 3) value = spectrum.vector(i, of) + 1e-6L * value;
    if constexpr (is_complex<T>)
      x[i] = T(value);
    else
      x[i] = T(value.real());
  }
  return x;
}

/// Bounds that a caller may give: none, good ones, ones far out, and ones without the ends of the spectrum.
std::optional<Bounds> some_bounds(unsigned kind, double low, double high, Draws& draws) {
  const double width = high - low;
  if (kind == 1) return Bounds{low - 1e-3 * width, high + 1e-3 * width};
  if (kind == 2) return Bounds{low - draws.between(0, 3) * width, high + draws.between(0, 3) * width};
  if (kind == 3)
    return Bounds{low + draws.between(-0.1, 0.4) * width, high - draws.between(-0.1, 0.4) * width};
  return std::nullopt;
}

struct Counts {
  int right = 0;
  int refused = 0;
};

template <class T>
struct Case {
  SmallSystem<T> system;
  LongSpectrum spectrum;
  std::vector<T> x;
  double t;
  Time time;
  EvolveOptions options;
  double low, high;

  double size() const { return std::max(std::abs(low), std::abs(high)); }
  std::string text() const {
    return (time == Time::real ? "real time " : "imaginary time ") + std::to_string(t) + ", spectrum " +
           to_text({low, high}) + ", " +
           (options.bounds ? "given " + to_text(*options.bounds) : std::string("estimated"));
  }
};

template <class T>
Case<T> some_case(unsigned number, double longest) {
  Draws draws(number);
  const std::size_t n = 3 + draws.below(12);
  const Time time = is_complex<T> && number % 2 == 0 ? Time::real : Time::imaginary;
  std::vector<double> values = some_eigenvalues(number / 2 % 5, n, draws);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double largest = std::max(std::abs(*least), std::abs(*most));
  const double t =
      std::pow(10, draws.between(-3, std::log10(longest))) / largest * (draws.below(2) == 0 ? 1 : -1);
  // Where exp(-A t) would be beyond the value type: a constant on the diagonal keeps it there.
  if (time == Time::imaginary && number % 4 != 0) {
    const double away = (t > 0 ? *least : *most) + draws.between(-3, 3) / t;
    for (double& value : values) value -= away;
  }
  Case<T> c{with_eigenvalues<T>(values, draws), {{}, LongMatrix(0)}, {}, t, time, {}, 0, 0};
  c.spectrum = diagonalised(dense(c.system));
  const auto [low, high] = std::minmax_element(c.spectrum.value.begin(), c.spectrum.value.end());
  c.low = static_cast<double>(*low);
  c.high = static_cast<double>(*high);
  c.x = some_start<T>(draws.below(4), c.spectrum, draws);
  c.options = {.time = time,
               .tolerance = number % 3 == 0 ? 1e-4 : 1e-10,
               .bounds = some_bounds(draws.below(4), c.low, c.high, draws)};
  return c;
}

/// What the manual promises for x(t), of its norm.
template <class T>
double promised(const Case<T>& c) {
  const double least = c.time == Time::imaginary ? 1000 * epsilon_of<T> : 30 * epsilon_of<T>;
  return std::max(c.options.tolerance, least) + 8 * epsilon_of<T> * c.size() * std::abs(c.t);
}

/// By how much rounding errors exceed x(t) if the bounds are as near as they can be estimated.
template <class T>
double worst(const Case<T>& c, const Expected& expected) {
  long double before = 0;
  for (const T& value : c.x) before += std::norm(LongComplex(value));
  const double width = std::max(c.high - c.low, 64 * epsilon_of<T> * c.size());
  const double steps = 4 + std::sqrt(width * std::abs(c.t));
  constexpr double of_bounds = 30;
  return of_bounds * epsilon_of<T> * (1 + c.size() / width) * steps *
         static_cast<double>(std::sqrt(before) / expected.size);
}

template <class T>
void check_refusal(const Case<T>& c, const Expected& expected, const std::string& reason) {
  if (reason.find("beyond the value type") != std::string::npos) {
    const auto exponent = static_cast<double>(expected.reference + std::log(expected.size));
    EXPECT_GT(std::abs(exponent), std::log(static_cast<double>(std::numeric_limits<RealOf<T>>::max())) - 20);
  } else if (reason.find("of which x has too little") != std::string::npos) {
    EXPECT_EQ(c.time, Time::imaginary);
    EXPECT_GT(worst(c, expected), c.options.tolerance) << reason;
  } else {
    ADD_FAILURE() << "refused: " << reason;
  }
}

template <class T>
void check_case(const Case<T>& c, Counts& counts) {
  SCOPED_TRACE(c.text());
  const Expected expected = evolved(c.spectrum, c.x, c.t, c.time);
  Solved<T> solved(c.system, product_backends().front(), pick(modes<T>(), "vector", "mode"), "staged");
  Vector<T> x = solved.A().make_vector();
  solved.set(x, c.x);
  try {
    const EvolveResult result = evolve(solved.on(), solved.A(), x, c.t, c.options);
    ++counts.right;
    const std::vector<T> after = solved.whole(x);
    const long double factor = std::exp(expected.reference);
    long double off = 0;
    for (std::size_t i = 0; i < after.size(); ++i)
      off += std::norm(LongComplex(after[i]) - factor * expected.x[i]);
    const long double size = factor * expected.size;
    EXPECT_LE(static_cast<double>(std::sqrt(off) / size), promised(c)) << result.range.from;
    EXPECT_NEAR(static_cast<double>(result.norm_after / size), 1, 2 * promised(c));
    for (const double other : world().all_gather(result.norm_after)) EXPECT_EQ(result.norm_after, other);
  } catch (const AgreedError& error) {
    ++counts.refused;
    check_refusal(c, expected, error.what());
    EXPECT_EQ(solved.whole(x), c.x) << "x changed";
  }
}

template <class T>
class Evolutions : public BackendsTest {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Evolutions, ValueTypes);

TYPED_TEST(Evolutions, OfRandomMatricesAreRightOrRefused) {
  using T = TypeParam;
  const double longest = 1e5;
  Counts counts;
  for (unsigned number = 0; number < 100; ++number) {
    SCOPED_TRACE(number);
    check_case(some_case<T>(number, longest), counts);
  }
  this->RecordProperty("refused", counts.refused);
  EXPECT_GT(counts.right, 2 * counts.refused);
}

/// The heat in a rod without loss stays the same, however much the terms of the expansion cancel.
TYPED_TEST(Evolutions, OfHeatKeepItsSum) {
  using T = TypeParam;
  SmallSystem<T> rod = grid<T>("rod", 50, 1, 0, false);
  for (Entry<T>& e : rod.entries) {
    e.value = e.row == e.col ? T(2) : T(-1);
    if (e.row == e.col && (e.row == 0 || e.row == rod.rows - 1)) e.value = T(1);
  }
  Solved<T> solved(rod, product_backends().front(), pick(modes<T>(), "vector", "mode"), "staged");
  Vector<T> x = solved.A().make_vector();
  std::vector<T> start(50);
  start[0] = T(1);
  const bool single = sizeof(RealOf<T>) == sizeof(float);
  for (const double t : {10.0, 500.0, 1000.0, 20000.0}) {
    if (single && t > 500) continue;
    for (const auto& bounds : {std::optional<Bounds>(), std::optional<Bounds>({-1, 5})}) {
      SCOPED_TRACE(t);
      solved.set(x, start);
      evolve(solved.on(), solved.A(), x, t,
             {.time = Time::imaginary, .tolerance = single ? 0.05 : 1e-10, .bounds = bounds});
      LongComplex sum = 0;
      for (const T& value : solved.whole(x)) sum += LongComplex(value);
      EXPECT_NEAR(static_cast<double>(std::abs(sum)), 1, single ? 0.05 : 1e-9);
    }
  }
}

/// The fewer terms, the less is seen of what lies outside: an expansion of a short time has few.
TEST_F(BackendsTest, ShortEvolutionsSeeThatBoundsAreTooNarrow) {
  using T = std::complex<double>;
  const SmallSystem<T> line = grid<T>("line", 20, 1, 0, false);
  const LongSpectrum spectrum = diagonalised(dense(line));
  const auto at = [&](long double value) {
    std::size_t nearest = 0;
    for (std::size_t j = 0; j < spectrum.value.size(); ++j)
      if (std::abs(spectrum.value[j] - value) < std::abs(spectrum.value[nearest] - value)) nearest = j;
    return nearest;
  };
  Solved<T> solved(line, product_backends().front(), pick(modes<T>(), "vector", "mode"), "staged");
  Vector<T> x = solved.A().make_vector();
  const auto error_of = [&](const std::vector<T>& start, double t, Time time, const Bounds& bounds) {
    solved.set(x, start);
    evolve(solved.on(), solved.A(), x, t, {.time = time, .bounds = bounds, .check = false});
    const Expected expected = evolved(spectrum, start, t, time);
    const std::vector<T> after = solved.whole(x);
    long double off = 0;
    for (std::size_t i = 0; i < after.size(); ++i)
      off += std::norm(LongComplex(after[i]) - std::exp(expected.reference) * expected.x[i]);
    return static_cast<double>(std::sqrt(off) / expected.size / std::exp(expected.reference));
  };
  double worst = 0;
  for (const Bounds& bounds : {Bounds{1.4, 1.6}, Bounds{1, 2}, Bounds{0, 3.9}})
    for (const Time time : {Time::real, Time::imaginary})
      for (double t = 1e-3; t < 2; t *= 1.7)
        for (double part = 1; part > 1e-13; part /= 4) {
          std::vector<T> start;
          for (std::size_t i = 0; i < 20; ++i)
            start.push_back(
                T(spectrum.vector(i, at(1.5)) + static_cast<long double>(part) * spectrum.vector(i, at(4))));
          worst = std::max(worst, error_of(start, time == Time::real ? t : -t, time, bounds));
          worst = std::max(worst, error_of(start, t, time, bounds));
        }
  EXPECT_LE(worst, 1e-10);
}

TEST_F(BackendsTest, EvolutionsTakeTheTermsOfTheWidth) {
  using T = std::complex<double>;
  std::vector<int> terms;
  for (const double shift : {0.0, 1e3, -1e7}) {
    const SmallSystem<T> line = grid<T>("line", 80, 1, 0, false, shift);
    Solved<T> solved(line, product_backends().front(), pick(modes<T>(), "vector", "mode"), "staged");
    Vector<T> x = solved.A().make_vector();
    solved.set(x, std::vector<T>(80, T(1)));
    terms.push_back(evolve(solved.on(), solved.A(), x, 1, {}).terms);
    for (const double t : {1e-300, 5e-324}) {
      EXPECT_EQ(evolve(solved.on(), solved.A(), x, t, {}).terms, 1);
      EXPECT_EQ(evolve(solved.on(), solved.A(), x, t, {.time = Time::imaginary}).terms, 1);
    }
    for (const double tolerance : {std::numeric_limits<double>::infinity(), std::nan(""), 0.0, -1.0})
      EXPECT_THROW(evolve(solved.on(), solved.A(), x, 1, {.tolerance = tolerance}), AgreedError);
  }
  EXPECT_LE(terms[0], 20);
  EXPECT_EQ(terms[1], terms[0]);
  EXPECT_EQ(terms[2], terms[0]);
}

}  // namespace
}  // namespace spmv::test
