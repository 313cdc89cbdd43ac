// Several vectors at once through the C interface, in all value types, against hand-computed values.
#include "c_tiny.hpp"
#include "spmv_dist/multivector.h"

namespace spmv::test::c {
namespace {

struct FreeColumns {
  void operator()(spmv_dist_multivector* X) const { spmv_dist_multivector_free(X); }
};
using Columns = std::unique_ptr<spmv_dist_multivector, FreeColumns>;

Columns make_columns(const MatrixHandle& A, int side, int columns) {
  spmv_dist_multivector* X = nullptr;
  Status status;
  expect_done(spmv_dist_multivector_create(A.get(), side, columns, &X, &status), status);
  return Columns(X);
}

/// Three columns: 1, 2 and -3 times whole[id].
template <class T>
std::vector<T> thrice(const Ids& ids, const std::vector<double>& whole) {
  std::vector<T> values;
  for (const std::int64_t id : ids)
    for (const double factor : {1.0, 2.0, -3.0}) values.push_back(static_cast<T>(factor * whole[id]));
  return values;
}

template <class T>
std::vector<T> get(const Columns& X, std::size_t count) {
  std::vector<T> natural(count, T(-77));
  Status status;
  expect_done(spmv_dist_multivector_get(X.get(), natural.data(), static_cast<std::int64_t>(count), &status),
              status);
  return natural;
}

template <class T>
class CInterfaceMultiVectors : public testing::Test {};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CInterfaceMultiVectors, Types);

TYPED_TEST(CInterfaceMultiVectors, Multiply) {
  using T = TypeParam;
  const ContextHandle context = make_context();
  const Tiny<T> mine{true};
  const MatrixHandle A = make_matrix<T>(context, mine.rows, "mode=task format=sell sigma=8");
  const Columns X = make_columns(A, SPMV_DIST_X, 3), Y = make_columns(A, SPMV_DIST_Y, 3);
  const std::vector<T> x = thrice<T>(mine.ids, x_by_hand), y = thrice<T>(mine.ids, y_by_hand);
  EXPECT_EQ(get<T>(X, x.size()), std::vector<T>(x.size(), T(0))) << "new ones must be 0";
  Status status;
  expect_done(spmv_dist_multivector_set(X.get(), x.data(), static_cast<std::int64_t>(x.size()), &status),
              status);
  expect_done(spmv_dist_multiply_columns(A.get(), X.get(), Y.get(), &status), status);
  EXPECT_EQ(get<T>(Y, y.size()), y);
  // Y becomes the input: A (A x) by hand.
  expect_done(spmv_dist_multiply_columns_queued(A.get(), Y.get(), X.get(), &status), status);
  EXPECT_EQ(get<T>(X, x.size()), thrice<T>(mine.ids, {249, 32, 1120, 1692, 1072}));
  if (!x.empty()) {
    EXPECT_NE(spmv_dist_multivector_data(X.get()), nullptr);
  }
}

TEST(CInterfaceMultiVectorUse, BadCallsAreRefused) {
  const ContextHandle context = make_context();
  const Tiny<double> mine;
  const Tiny<float> floats;
  const MatrixHandle A = make_matrix<double>(context, mine.rows, "format=csr");
  const MatrixHandle F = make_matrix<float>(context, floats.rows, "format=csr");
  const Columns X = make_columns(A, SPMV_DIST_X, 2), other = make_columns(A, SPMV_DIST_Y, 3),
                of_floats = make_columns(F, SPMV_DIST_Y, 2);
  Status status;
  spmv_dist_multivector* none = X.get();
  expect_refused(spmv_dist_multivector_create(A.get(), SPMV_DIST_X, 33, &none, &status), status,
                 SPMV_DIST_USAGE, "33");
  EXPECT_EQ(none, nullptr);
  expect_refused(spmv_dist_multivector_create(A.get(), 7, 2, &none, &status), status, SPMV_DIST_USAGE,
                 "side is neither");
  expect_refused(spmv_dist_multivector_create(A.get(), SPMV_DIST_X, 2, nullptr, &status), status,
                 SPMV_DIST_USAGE, "X is a null pointer");
  expect_refused(spmv_dist_multiply_columns(A.get(), X.get(), other.get(), &status), status, SPMV_DIST_USAGE,
                 "columns");
  expect_refused(spmv_dist_multiply_columns(A.get(), X.get(), of_floats.get(), &status), status,
                 SPMV_DIST_USAGE, "Y is a multivector of another matrix, of another value type");
  expect_refused(spmv_dist_multiply_columns(A.get(), nullptr, other.get(), &status), status, SPMV_DIST_USAGE,
                 "X is a null pointer");
  spmv_dist_multivector_free(nullptr);
  EXPECT_EQ(spmv_dist_multivector_data(nullptr), nullptr);
}

}  // namespace
}  // namespace spmv::test::c
