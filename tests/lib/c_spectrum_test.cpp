// Eigenvalues through the C interface, in all value types.
#include "c_tiny.hpp"
#include "spmv_dist/spectrum.h"

namespace spmv::test::c {
namespace {

/// 1 to 5 on the diagonal.
template <class T>
struct Diagonal : Tiny<T> {
  Ids own_row_ptr{0}, own_columns;
  std::vector<T> own_values;
  Diagonal() {
    for (const std::int64_t row : this->ids) {
      own_columns.push_back(row);
      own_values.push_back(static_cast<T>(row + 1));
      own_row_ptr.push_back(static_cast<std::int64_t>(own_columns.size()));
    }
    this->rows.row_ptr = own_row_ptr.data();
    this->rows.columns = own_columns.data();
    this->rows.values = own_values.data();
    this->rows.elements = static_cast<std::int64_t>(own_columns.size());
  }
};

template <class T>
class CInterfaceSpectra : public testing::Test {
 protected:
  void SetUp() override {
    A_ = make_matrix<T>(context_, mine_.rows, "format=csr");
    spmv_dist_eigen_options_init(&options_);
    options_.count = 2;
    options_.which = SPMV_DIST_HIGHEST;
    options_.tolerance = 1e-5;
  }
  ContextHandle context_ = make_context();
  const Diagonal<T> mine_;
  MatrixHandle A_;
  spmv_dist_eigen_options options_;
  spmv_dist_eigen_result result_;
  Status status_;
};

using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CInterfaceSpectra, Types);

TYPED_TEST(CInterfaceSpectra, FindEigenvalues) {
  double values[2], residuals[2];
  spmv_dist_vector* vectors[2];
  expect_done(spmv_dist_eigen(this->A_.get(), &this->options_, values, residuals, vectors, &this->result_,
                              &this->status_),
              this->status_);
  EXPECT_EQ(this->result_.stop, SPMV_DIST_STOP_CONVERGED);
  EXPECT_EQ(this->result_.found, 2);
  EXPECT_EQ(this->result_.subspace, 5);
  EXPECT_STREQ(this->result_.reason, "");
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(values[i], 5 - i, 1e-4);
    EXPECT_LE(residuals[i], 6e-5);
    const VectorHandle vector(vectors[i]);
    const auto v = get<TypeParam>(vector, this->mine_.ids.size());
    for (std::size_t k = 0; k < v.size(); ++k)
      EXPECT_NEAR(std::abs(v[k]), this->mine_.ids[k] == 4 - i ? 1 : 0, 1e-4);
  }
}

TYPED_TEST(CInterfaceSpectra, RefuseBadArguments) {
  double values[8];
  this->options_.count = 6;
  expect_refused(spmv_dist_eigen(this->A_.get(), &this->options_, values, nullptr, nullptr, &this->result_,
                                 &this->status_),
                 this->status_, SPMV_DIST_USAGE, "5 rows");
  expect_refused(
      spmv_dist_eigen(this->A_.get(), nullptr, nullptr, nullptr, nullptr, &this->result_, &this->status_),
      this->status_, SPMV_DIST_USAGE, "values");
}

}  // namespace
}  // namespace spmv::test::c
