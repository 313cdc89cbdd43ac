// Moments and time evolution through the public interfaces, C++ and C.
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "c_tiny.hpp"
#include "callers_grid.hpp"
#include "spmv_dist/spectrum.h"
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

}  // namespace
}  // namespace spmv::test

namespace spmv::test::c {
namespace {

/// 2 on the diagonal and 1 in the corners: eigenvalues 1, 2, 2, 2, 3.
template <class T>
class CInterfaceMoments : public testing::Test {
 protected:
  void SetUp() override {
    for (const std::int64_t row : mine_.ids) {
      columns_.push_back(row);
      values_.push_back(T(2));
      if (row == 0 || row == 4) {
        columns_.push_back(4 - row);
        values_.push_back(T(1));
      }
      row_ptr_.push_back(static_cast<std::int64_t>(columns_.size()));
    }
    spmv_dist_rows rows = mine_.rows;
    rows.row_ptr = row_ptr_.data();
    rows.columns = columns_.data();
    rows.values = values_.data();
    rows.elements = static_cast<std::int64_t>(columns_.size());
    A_ = make_matrix<T>(context_, rows, "format=csr");
    x_ = make_vector(A_, SPMV_DIST_X);
    spmv_dist_moments_options_init(&options_);
    options_.moments = 5;
    options_.bounds[1] = 4;  // (A - 2) / 2
  }

  ContextHandle context_ = make_context();
  const Tiny<T> mine_;
  Ids row_ptr_{0}, columns_;
  std::vector<T> values_;
  MatrixHandle A_;
  VectorHandle x_;
  spmv_dist_moments_options options_;
  spmv_dist_moments_result result_;
  Status status_;
};

TYPED_TEST_SUITE(CInterfaceMoments, MomentsValues);

TYPED_TEST(CInterfaceMoments, AreThoseByHand) {
  std::vector<double> mu(15, 7.0);
  set(this->x_, of<TypeParam>(this->mine_.ids, {1, 0, 0, 0, 0}));
  expect_done(spmv_dist_moments(this->A_.get(), this->x_.get(), &this->options_, mu.data(), &this->result_,
                                &this->status_),
              this->status_);
  const std::vector<double> of_corner = {1, 0, -0.5, 0, -0.5};
  for (std::size_t n = 0; n < 5; ++n) EXPECT_NEAR(mu[n], of_corner[n], 1e-6);
  EXPECT_EQ(mu[5], 7);
  EXPECT_EQ(this->result_.vectors, 1);
  EXPECT_EQ(this->result_.bounds[1], 4);
  EXPECT_EQ(this->result_.widened, 0);
  this->options_.vectors = 3;
  expect_done(
      spmv_dist_moments(this->A_.get(), nullptr, &this->options_, mu.data(), &this->result_, &this->status_),
      this->status_);
  EXPECT_EQ(this->result_.vectors, 3);
  for (const std::size_t i : {0U, 5U, 10U}) EXPECT_EQ(mu[i], 1);
  std::vector<double> energy(20), density(20), error(20);
  expect_done(spmv_dist_density_of_states(&this->options_, mu.data(), &this->result_, 20, energy.data(),
                                          density.data(), error.data(), &this->status_),
              this->status_);
  EXPECT_NEAR(energy[0] + energy[19], 4, 1e-12);
  for (std::size_t k = 0; k < 20; ++k) {
    EXPECT_GT(density[k], 0);
    EXPECT_GE(error[k], 0);
  }
  this->options_.moments = -1;
  expect_refused(spmv_dist_density_of_states(&this->options_, mu.data(), &this->result_, 20, energy.data(),
                                             density.data(), error.data(), &this->status_),
                 this->status_, SPMV_DIST_USAGE, "options->moments is -1");
}

TYPED_TEST(CInterfaceMoments, EvolutionTurnsAnEigenvector) {
  using T = TypeParam;
  set(this->x_, of<T>(this->mine_.ids, {0, 0, 1, 0, 0}));
  spmv_dist_evolve_options options;
  spmv_dist_evolve_options_init(&options);
  options.imaginary_time = is_complex<T> ? 0 : 1;
  spmv_dist_evolve_result result;
  expect_done(spmv_dist_evolve(this->A_.get(), this->x_.get(), 0.7, &options, &result, &this->status_),
              this->status_);
  const std::vector<T> x = get<T>(this->x_, this->mine_.ids.size());
  const std::complex<double> factor =
      std::exp(is_complex<T> ? std::complex<double>(0, -1.4) : std::complex<double>(-1.4));
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_LE(std::abs(std::complex<double>(x[i]) - (this->mine_.ids[i] == 2 ? factor : 0.0)), 1e-6);
  EXPECT_NEAR(result.norm_after, std::abs(factor), 1e-6);
  EXPECT_NEAR(result.norm_before, 1, 1e-6);
  expect_refused(spmv_dist_evolve(this->A_.get(), nullptr, 1, nullptr, &result, &this->status_),
                 this->status_, SPMV_DIST_USAGE, "x is a null pointer");
}

}  // namespace
}  // namespace spmv::test::c
