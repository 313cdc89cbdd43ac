// What moments say of a density, and the coefficients of an exponential.
#include <cmath>
#include <complex>
#include <vector>

#include <gtest/gtest.h>

#include "dist/spectrum/evolve_terms.hpp"
#include "dist/spectrum/kpm_density.hpp"

namespace spmv::test {
namespace {

constexpr double pi = 3.14159265358979323846;

/// Moments of a few eigenvalues, of as many vectors as there are shifts: vector i sees all of them moved by shift[i].
Moments moments_of_values(const std::vector<double>& values, const Bounds& bounds, int count,
                          const std::vector<double>& shifts = {0}) {
  Moments moments;
  moments.range.bounds = bounds;
  for (const double shift : shifts) {
    std::vector<double> mu;
    for (int n = 0; n < count; ++n) {
      double sum = 0;
      for (const double value : values)
        sum += std::cos(n * std::acos((value + shift - moments.range.centre()) / moments.range.half_width()));
      mu.push_back(sum / static_cast<double>(values.size()));
    }
    moments.of_vector.push_back(mu);
  }
  return moments;
}

/// The integral of density times energy^power, by Gauss and Chebyshev, for which the energies are made: exact.
double integral(const Density& density, const Moments& moments, int power) {
  double sum = 0;
  for (std::size_t k = 0; k < density.energy.size(); ++k) {
    const double x = (density.energy[k] - moments.range.centre()) / moments.range.half_width();
    sum += density.density[k] * std::pow(density.energy[k], power) * std::sqrt(1 - x * x);
  }
  return sum * pi / static_cast<double>(density.energy.size()) * moments.range.half_width();
}

TEST(Density, KeepsSumRules) {
  const std::vector<double> values = {-1, 0.5, 0.5, 2, 3.25};
  const Moments moments = moments_of_values(values, {-2, 4.5}, 400);
  const Density density = density_of_states(moments, 1000);
  EXPECT_NEAR(integral(density, moments, 0), 1, 1e-12);
  EXPECT_NEAR(density.integral, 1, 1e-4);
  double first = 0, second = 0;
  for (const double value : values) {
    first += value / 5;
    second += value * value / 5;
  }
  // The kernel damps mu_1 by cos(pi / 401) and mu_2 likewise.
  EXPECT_NEAR(integral(density, moments, 1), first, 1e-4);
  EXPECT_NEAR(integral(density, moments, 2), second, 1e-2);
  for (const double each : density.density) EXPECT_GT(each, -1e-12) << "Jackson's kernel is positive";
}

TEST(Density, HasItsPeakAtTheEigenvalueWithTheWidthOfTheKernel) {
  const Moments moments = moments_of_values({0.3}, {-1, 1}, 200);
  const Density density = density_of_states(moments, 2000);
  std::size_t top = 0;
  double mean = 0, spread = 0;
  for (std::size_t k = 0; k < density.energy.size(); ++k)
    if (density.density[k] > density.density[top]) top = k;
  EXPECT_NEAR(density.energy[top], 0.3, 2e-3);
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t k = 1; k < density.energy.size(); ++k) {
      const double weight = density.density[k] * (density.energy[k] - density.energy[k - 1]);
      if (pass == 0) mean += weight * density.energy[k];
      if (pass == 1) spread += weight * std::pow(density.energy[k] - mean, 2);
    }
  // Weisse 2006: sigma^2 = (1 - x^2) (pi / N)^2 for many moments.
  EXPECT_NEAR(std::sqrt(spread), pi / 200 * std::sqrt(1 - 0.09), 0.05 * pi / 200);
}

TEST(Density, ErrorIsTheSpreadOfTheMean) {
  const Moments moments = moments_of_values({0, 0.5}, {-1, 1}, 50, {-0.01, 0, 0.02});
  const Density density = density_of_states(moments, 100);
  ASSERT_EQ(density.error.size(), 100U);
  std::vector<double> each;
  for (const auto& mu : moments.of_vector) {
    Moments one = moments;
    one.of_vector = {mu};
    each.push_back(density_of_states(one, 100).density[40]);
  }
  const double mean = (each[0] + each[1] + each[2]) / 3;
  double squares = 0;
  for (const double value : each) squares += (value - mean) * (value - mean);
  EXPECT_NEAR(density.density[40], mean, 1e-12);
  EXPECT_NEAR(density.error[40], std::sqrt(squares / 2 / 3), 1e-12);
}

TEST(Bounds, AreShownWithTheDigitsOfTheirWidth) {
  EXPECT_EQ(to_text(Bounds{-2, 2}), "[-2, 2]");
  EXPECT_EQ(to_text(Bounds{-6.403421, 13.98412}), "[-6.40342, 13.9841]");
  EXPECT_EQ(to_text(Bounds{9999999.96227, 10000004.03815}), "[9999999.96227, 10000004.03815]");
  EXPECT_EQ(to_text(Bounds{1, 1 + 1e-15}), "[1, 1.0000000000000011]");
  EXPECT_EQ(to_text(Bounds{1, 1}), "[1, 1]");
  EXPECT_EQ(digits_within({1e9, 1e9 + 10}, 12), 17);
}

/// Against the standard library where it is exact enough, and against sum rules beyond.
TEST(Bessel, AgreesWithTheStandardLibrary) {
  for (const double z : {1e-12, 1e-3, 0.5, 1.0, 7.3, 60.0, 700.0}) {
    const std::vector<double> j = bessel(z, Time::real, 1e-15), i = bessel(z, Time::imaginary, 1e-15);
    for (std::size_t k = 0; k < j.size(); ++k)
      EXPECT_NEAR(
          j[k],
          static_cast<double>(std::cyl_bessel_j(static_cast<long double>(k), static_cast<long double>(z))),
          4e-15)
          << z << " " << k;
    for (std::size_t k = 0; k < i.size(); ++k)
      EXPECT_NEAR(
          i[k],
          static_cast<double>(std::cyl_bessel_i(static_cast<long double>(k), static_cast<long double>(z)) *
                              std::exp(static_cast<long double>(-z))),
          4e-15)
          << z << " " << k;
  }
  EXPECT_EQ(bessel(0, Time::real, 1e-10), std::vector<double>{1});
  for (const double z : {5e-324, 1e-300, 1e-30}) {
    EXPECT_EQ(bessel(z, Time::real, 1e-10), std::vector<double>{1}) << z;
    EXPECT_EQ(bessel(z, Time::imaginary, 1e-10), std::vector<double>{1}) << z;
  }
  const std::vector<double> many = bessel(1e5, Time::real, 1e-12);
  double even = many[0];
  for (std::size_t k = 2; k < many.size(); k += 2) even += 2 * many[k];
  EXPECT_NEAR(even, 1, 1e-10);
  EXPECT_LT(many.size(), 1e5 + 1500);
}

TEST(Bessel, EndsWhereTheRestIsSmall) {
  const auto all = bessel(20, Time::real, 1e-18), some = bessel(20, Time::real, 1e-6);
  ASSERT_LT(some.size(), all.size());
  // What a part outside the bounds makes of the rest, if it grows as it may unseen.
  const auto rest_behind = [&](std::size_t last) {
    double rest = 0, growth = 1;
    for (std::size_t k = last + 1; k < all.size(); ++k) {
      growth *= std::pow(2.0, 52.0 / static_cast<double>(k - 1));
      rest += 2 * growth * std::abs(all[k]);
    }
    return rest;
  };
  EXPECT_LT(rest_behind(some.size() - 1), 1e-6);
  EXPECT_GE(rest_behind(some.size() - 2), 0.9e-6);
}

TEST(Exponential, IsTheSumOfItsTerms) {
  using Complex = std::complex<double>;
  const double centre = 0.7, half_width = 2.5;
  for (const Time time : {Time::real, Time::imaginary})
    for (const double t : {0.0, 0.3, -1.7, 6.0}) {
      const auto [terms, exponent] = expand_exponential(centre, half_width, t, time, 1e-14);
      for (const double x : {-1.0, -0.35, 0.0, 0.8, 1.0}) {
        Complex sum = 0;
        for (std::size_t k = 0; k < terms.size(); ++k)
          sum += terms[k] * std::cos(static_cast<double>(k) * std::acos(x));
        const double energy = centre + half_width * x;
        sum *= std::exp(exponent);
        const Complex exact = std::exp(time == Time::real ? Complex(0, -energy * t) : Complex(-energy * t));
        const double largest = time == Time::real ? 1 : std::exp(-centre * t + half_width * std::abs(t));
        EXPECT_LE(std::abs(sum - exact), 3e-14 * largest) << t << " " << x;
      }
    }
}

}  // namespace
}  // namespace spmv::test
