// Products through the C interface, in all value types, against hand-computed values.
#include "c_tiny.hpp"

namespace spmv::test::c {
namespace {

template <class T>
class CInterfaceProducts : public testing::Test {
 protected:
  void SetUp() override {
    A_ = make_matrix<T>(context_, mine_.rows, "mode=task format=sell sigma=8");
    x_ = make_vector(A_, SPMV_DIST_X);
    y_ = make_vector(A_, SPMV_DIST_Y);
    set(x_, of<T>(mine_.ids, x_by_hand));
  }
  std::vector<T> y() const { return get<T>(y_, mine_.ids.size()); }

  ContextHandle context_ = make_context();
  const Tiny<T> mine_{true};  // rows and columns unsorted
  MatrixHandle A_;
  VectorHandle x_, y_;
  Status status_;
};

using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CInterfaceProducts, Types);

TYPED_TEST(CInterfaceProducts, Multiply) {
  expect_done(spmv_dist_multiply(this->A_.get(), this->x_.get(), this->y_.get(), &this->status_),
              this->status_);
  EXPECT_EQ(this->y(), of<TypeParam>(this->mine_.ids, y_by_hand));
}

TYPED_TEST(CInterfaceProducts, Queued) {
  EXPECT_EQ(this->y(), of<TypeParam>(this->mine_.ids, y_by_hand, TypeParam(0))) << "new vectors must be 0";
  expect_done(spmv_dist_multiply_queued(this->A_.get(), this->x_.get(), this->y_.get(), &this->status_),
              this->status_);
  expect_done(spmv_dist_matrix_synchronize(this->A_.get(), &this->status_), this->status_);
  EXPECT_EQ(this->y(), of<TypeParam>(this->mine_.ids, y_by_hand));
  // y becomes the input: A (A x) by hand.
  expect_done(spmv_dist_multiply_queued(this->A_.get(), this->y_.get(), this->x_.get(), &this->status_),
              this->status_);
  EXPECT_EQ(get<TypeParam>(this->x_, this->mine_.ids.size()),
            of<TypeParam>(this->mine_.ids, {249, 32, 1120, 1692, 1072}));
}

TYPED_TEST(CInterfaceProducts, MultiplyAdd) {
  using T = TypeParam;
  const T two(2), three(3), zero(0), one(1);
  set(this->y_, of<T>(this->mine_.ids, {1, 10, 100, 1000, 10000}));
  expect_done(
      spmv_dist_multiply_add(&two, this->A_.get(), this->x_.get(), &three, this->y_.get(), &this->status_),
      this->status_);
  EXPECT_EQ(this->y(), of<T>(this->mine_.ids, {43, 46, 402, 3204, 30142}));
  expect_done(spmv_dist_multiply_add_queued(&one, this->A_.get(), this->x_.get(), &zero, this->y_.get(),
                                            &this->status_),
              this->status_);
  EXPECT_EQ(this->y(), of<T>(this->mine_.ids, y_by_hand));
}

TYPED_TEST(CInterfaceProducts, OtherValues) {
  using T = TypeParam;
  std::vector<T> values = this->mine_.values;
  for (T& value : values) value *= T(-2);
  expect_done(spmv_dist_matrix_update_values(this->A_.get(), values.data(), this->mine_.elements(),
                                             SPMV_DIST_HOST, &this->status_),
              this->status_);
  expect_done(spmv_dist_multiply(this->A_.get(), this->x_.get(), this->y_.get(), &this->status_),
              this->status_);
  EXPECT_EQ(this->y(), of<T>(this->mine_.ids, y_by_hand, T(-2)));
}

TYPED_TEST(CInterfaceProducts, ViewsOfTheCallersMemory) {
  using T = TypeParam;
  // In the rank's basis, which format csr leaves in natural order.
  const MatrixHandle A = make_matrix<T>(this->context_, this->mine_.rows, "mode=vector format=csr");
  const auto room = static_cast<std::size_t>(spmv_dist_matrix_capacity(A.get(), SPMV_DIST_X));
  EXPECT_GE(room, this->mine_.ids.size());
  std::vector<T> memory_x(room, T(-1)), memory_y(room, T(-1));
  const std::vector<T> natural = of<T>(this->mine_.ids, x_by_hand);
  std::copy(natural.begin(), natural.end(), memory_x.begin());
  const auto view = [&](int side, std::vector<T>& memory) {
    spmv_dist_vector* vector = nullptr;
    expect_done(spmv_dist_vector_view(A.get(), side, memory.data(), static_cast<std::int64_t>(room), &vector,
                                      &this->status_),
                this->status_);
    EXPECT_EQ(spmv_dist_vector_data(vector), memory.data());
    return VectorHandle(vector);
  };
  const VectorHandle x = view(SPMV_DIST_X, memory_x), y = view(SPMV_DIST_Y, memory_y);
  expect_done(spmv_dist_multiply(A.get(), x.get(), y.get(), &this->status_), this->status_);
  memory_y.resize(this->mine_.ids.size());
  EXPECT_EQ(memory_y, of<T>(this->mine_.ids, y_by_hand));
}

/// The caller has all rows on rank 0; the matrix distributes them.
TYPED_TEST(CInterfaceProducts, Conversion) {
  using T = TypeParam;
  std::vector<T> values;
  for (const double value : all_values) values.push_back(static_cast<T>(value));
  spmv_dist_rows rows;
  spmv_dist_rows_init(&rows);
  rows.global_rows = rows.global_cols = 5;
  rows.rows = rank() == 0 ? 5 : 0;
  rows.row_ptr = all_row_ptr.data();
  rows.columns = all_columns.data();
  rows.values = values.data();
  rows.elements = rank() == 0 ? 12 : 0;
  const MatrixHandle A = make_matrix<T>(this->context_, rows, "partition=nonzeros");
  const std::int64_t size = spmv_dist_matrix_size(A.get(), SPMV_DIST_Y);
  if (ranks() > 1) {
    EXPECT_LT(size, 5) << "the rows were not distributed";
  }
  EXPECT_EQ(spmv_dist_matrix_size(A.get(), SPMV_DIST_X), size);
  Ids ids(static_cast<std::size_t>(size), -1);
  expect_done(spmv_dist_matrix_ids(A.get(), SPMV_DIST_Y, ids.data(), size, &this->status_), this->status_);
  for (std::int64_t i = 0; i < size; ++i) EXPECT_TRUE(ids[i] >= 0 && ids[i] < 5) << ids[i];

  const std::vector<T> callers = rank() == 0 ? of<T>({0, 1, 2, 3, 4}, x_by_hand) : std::vector<T>{};
  std::vector<T> matrixs(ids.size(), T(-1)), back(callers.size(), T(-1));
  expect_done(spmv_dist_matrix_to_matrix(A.get(), SPMV_DIST_X, callers.data(), rows.rows, matrixs.data(),
                                         size, &this->status_),
              this->status_);
  EXPECT_EQ(matrixs, of<T>(ids, x_by_hand));
  const VectorHandle x = make_vector(A, SPMV_DIST_X), y = make_vector(A, SPMV_DIST_Y);
  set(x, matrixs);
  expect_done(spmv_dist_multiply(A.get(), x.get(), y.get(), &this->status_), this->status_);
  matrixs = get<T>(y, ids.size());
  EXPECT_EQ(matrixs, of<T>(ids, y_by_hand));
  expect_done(spmv_dist_matrix_to_caller(A.get(), SPMV_DIST_Y, matrixs.data(), size, back.data(), rows.rows,
                                         &this->status_),
              this->status_);
  EXPECT_EQ(back, rank() == 0 ? of<T>({0, 1, 2, 3, 4}, y_by_hand) : std::vector<T>{});
}

/// y = S x for a symmetric matrix with 2 on the diagonal and 1 in two corners.
TYPED_TEST(CInterfaceProducts, TransposedAndAdjoint) {
  using T = TypeParam;
  const bool real = std::is_floating_point_v<T>;
  Tiny<T> mine;
  Ids row_ptr{0}, columns;
  std::vector<T> values;
  for (const std::int64_t row : mine.ids) {
    columns.push_back(row);
    values.push_back(T(2));
    if (row == 0 || row == 4) {
      columns.push_back(4 - row);
      values.push_back(T(1));
    }
    row_ptr.push_back(static_cast<std::int64_t>(columns.size()));
  }
  mine.rows.row_ptr = row_ptr.data();
  mine.rows.columns = columns.data();
  mine.rows.values = values.data();
  mine.rows.elements = static_cast<std::int64_t>(columns.size());
  const std::vector<T> expected = of<T>(mine.ids, {7, 4, 6, 8, 11});
  for (const bool hermitian : {false, true}) {
    const MatrixHandle A =
        make_matrix<T>(this->context_, mine.rows, hermitian ? "symmetry=hermitian" : "symmetry=symmetric");
    const VectorHandle x = make_vector(A, SPMV_DIST_X), y = make_vector(A, SPMV_DIST_Y);
    set(x, of<T>(mine.ids, x_by_hand));
    const int transposed = spmv_dist_multiply_transposed(A.get(), x.get(), y.get(), &this->status_);
    if (!hermitian || real) {
      expect_done(transposed, this->status_);
      EXPECT_EQ(get<T>(y, mine.ids.size()), expected);
    } else {
      expect_refused(transposed, this->status_, SPMV_DIST_USAGE, "transposed product is not cheap");
    }
    const int adjoint = spmv_dist_multiply_adjoint(A.get(), x.get(), y.get(), &this->status_);
    if (hermitian || real) {
      expect_done(adjoint, this->status_);
      EXPECT_EQ(get<T>(y, mine.ids.size()), expected);
    } else {
      expect_refused(adjoint, this->status_, SPMV_DIST_USAGE, "adjoint product is not cheap");
    }
  }
}

}  // namespace
}  // namespace spmv::test::c
