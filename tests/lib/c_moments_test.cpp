// Moments and time evolution through the public interface for C.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "c_tiny.hpp"
#include "spmv_dist/spectrum.h"

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

using CMomentsValues = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CInterfaceMoments, CMomentsValues);

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
  EXPECT_EQ(this->result_.moments, 5);
  EXPECT_EQ(this->result_.stop, SPMV_DIST_STOP_CONVERGED);
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

TYPED_TEST(CInterfaceMoments, AreWatched) {
  std::int64_t least = 70;
  this->options_.moments = 60;
  this->options_.vectors = 20;
  this->options_.watch_data = &least;
  this->options_.watch = [](std::int64_t moments, void* data) {
    return moments >= *static_cast<std::int64_t*>(data) ? 1 : 0;
  };
  std::vector<double> mu(1200, 7.0), energy(20), density(20);
  const auto stopped = [&](spmv_dist_vector* v) {
    expect_done(
        spmv_dist_moments(this->A_.get(), v, &this->options_, mu.data(), &this->result_, &this->status_),
        this->status_);
    EXPECT_EQ(this->result_.stop, SPMV_DIST_STOP_ASKED);
    return spmv_dist_density_of_states(&this->options_, mu.data(), &this->result_, 20, energy.data(),
                                       density.data(), nullptr, &this->status_);
  };
  expect_done(stopped(nullptr), this->status_);
  EXPECT_GE(this->result_.vectors, 1);
  EXPECT_LT(this->result_.vectors, 20);
  EXPECT_EQ(this->result_.moments, 60);
  least = 2;
  set(this->x_, of<TypeParam>(this->mine_.ids, {1, 0, 0, 0, 0}));
  std::fill(mu.begin(), mu.end(), 7.0);
  expect_done(stopped(this->x_.get()), this->status_);
  EXPECT_EQ(this->result_.vectors, 1);
  ASSERT_GE(this->result_.moments, 2);
  ASSERT_LT(this->result_.moments, 60);
  EXPECT_EQ(mu[static_cast<std::size_t>(this->result_.moments)], 7);
  this->result_.moments = 61;
  expect_refused(spmv_dist_density_of_states(&this->options_, mu.data(), &this->result_, 20, energy.data(),
                                             density.data(), nullptr, &this->status_),
                 this->status_, SPMV_DIST_USAGE, "result->moments is 61 and options->moments 60");
  least = 0;
  expect_refused(stopped(nullptr), this->status_, SPMV_DIST_USAGE, "at least one moment");
  EXPECT_EQ(this->result_.vectors, 0);
}

TYPED_TEST(CInterfaceMoments, EvolutionIsWatched) {
  using T = TypeParam;
  const std::vector<T> before = of<T>(this->mine_.ids, {1, 2, 3, 4, 5});
  set(this->x_, before);
  spmv_dist_evolve_options options;
  spmv_dist_evolve_options_init(&options);
  options.imaginary_time = is_complex<T> ? 0 : 1;
  options.bounds[1] = 4;
  int asked = 0;
  options.watch_data = &asked;
  options.watch = [](std::int64_t, void* data) { return ++*static_cast<int*>(data); };
  spmv_dist_evolve_result result;
  expect_done(spmv_dist_evolve(this->A_.get(), this->x_.get(), is_complex<T> ? 1e3 : -1e4, &options, &result,
                               &this->status_),
              this->status_);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(result.stop, SPMV_DIST_STOP_ASKED);
  EXPECT_EQ(get<T>(this->x_, this->mine_.ids.size()), before);
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
  EXPECT_EQ(result.stop, SPMV_DIST_STOP_CONVERGED);
  expect_refused(spmv_dist_evolve(this->A_.get(), nullptr, 1, nullptr, &result, &this->status_),
                 this->status_, SPMV_DIST_USAGE, "x is a null pointer");
}

}  // namespace
}  // namespace spmv::test::c
