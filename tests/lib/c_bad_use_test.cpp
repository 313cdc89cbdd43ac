// Bad use of the C interface gives an error code, and the same message on all ranks.
#include <cstring>

#include "c_tiny.hpp"

namespace spmv::test::c {
namespace {

class CInterface : public testing::Test {
 protected:
  ContextHandle context_ = make_context();
  Tiny<double> mine_;
  MatrixHandle A_ = make_matrix<double>(context_, mine_.rows, nullptr);
  VectorHandle x_ = make_vector(A_, SPMV_DIST_X), y_ = make_vector(A_, SPMV_DIST_Y);
  Status status_;

  /// A matrix with these rows must be refused, with a null handle.
  void expect_no_matrix(int type, const spmv_dist_rows* rows, const char* options, int code,
                        const std::string& part) {
    spmv_dist_matrix* matrix = A_.get();
    expect_refused(spmv_dist_matrix_create(context_.get(), type, rows, options, &matrix, &status_), status_,
                   code, part);
    EXPECT_EQ(matrix, nullptr);
  }
  void refused(int returned, int code, const std::string& part) {
    expect_refused(returned, status_, code, part);
    status_ = Status();
  }
};

TEST_F(CInterface, VersionAndRows) {
  EXPECT_STREQ(spmv_dist_version(), SPMV_DIST_VERSION_STRING);
  spmv_dist_rows rows;
  std::memset(&rows, 0x55, sizeof rows);
  spmv_dist_rows_init(&rows);
  EXPECT_EQ(rows.global_rows, 0);
  EXPECT_EQ(rows.row_ids, nullptr);
  EXPECT_EQ(rows.values, nullptr);
  EXPECT_EQ(rows.x_size, -1);
  EXPECT_EQ(rows.where, SPMV_DIST_AUTOMATIC);
  spmv_dist_rows_init(nullptr);
}

TEST_F(CInterface, ContextsOfFortran) {
  spmv_dist_context* context = nullptr;
  expect_done(
      spmv_dist_context_create_fortran(MPI_Comm_c2f(MPI_COMM_WORLD), "backend=host", &context, &status_),
      status_);
  EXPECT_NE(context, nullptr);
  spmv_dist_context_free(context);
  refused(spmv_dist_context_create_fortran(MPI_Comm_c2f(MPI_COMM_NULL), nullptr, &context, &status_),
          SPMV_DIST_USAGE, "MPI_COMM_NULL");
  EXPECT_EQ(context, nullptr);
}

TEST_F(CInterface, SaysWhatWasChosen) {
  const std::string text = spmv_dist_matrix_describe(A_.get());
  EXPECT_NE(text.find("mode"), std::string::npos) << text;
  EXPECT_NE(text.find("format"), std::string::npos) << text;
  EXPECT_STREQ(spmv_dist_matrix_describe(nullptr), "");
}

TEST_F(CInterface, NullPointersInPlaceOfHandles) {
  spmv_dist_context_free(nullptr);
  spmv_dist_matrix_free(nullptr);
  spmv_dist_vector_free(nullptr);
  EXPECT_EQ(spmv_dist_matrix_size(nullptr, SPMV_DIST_X), -1);
  EXPECT_EQ(spmv_dist_matrix_capacity(nullptr, SPMV_DIST_X), -1);
  EXPECT_EQ(spmv_dist_vector_data(nullptr), nullptr);
  const auto null = [&](int returned, const std::string& name) {
    refused(returned, SPMV_DIST_USAGE, name + " is a null pointer");
  };
  spmv_dist_matrix* matrix = nullptr;
  spmv_dist_vector* vector = nullptr;
  auto *const A = A_.get(), *const none = matrix;
  auto *const x = x_.get(), *const y = y_.get(), *const no_vector = vector;
  const double one = 1;
  null(spmv_dist_context_create(MPI_COMM_WORLD, nullptr, nullptr, &status_), "context");
  null(spmv_dist_matrix_create(nullptr, SPMV_DIST_DOUBLE, &mine_.rows, nullptr, &matrix, &status_),
       "context");
  null(spmv_dist_matrix_create(context_.get(), SPMV_DIST_DOUBLE, nullptr, nullptr, &matrix, &status_),
       "rows");
  null(spmv_dist_matrix_create(context_.get(), SPMV_DIST_DOUBLE, &mine_.rows, nullptr, nullptr, &status_),
       "matrix");
  for (const auto load : {spmv_dist_matrix_read, spmv_dist_matrix_generate}) {
    null(load(nullptr, SPMV_DIST_DOUBLE, "stencil7:3,3,3", nullptr, &matrix, &status_), "context");
    null(load(context_.get(), SPMV_DIST_DOUBLE, "stencil7:3,3,3", nullptr, nullptr, &status_), "matrix");
  }
  null(spmv_dist_matrix_read(context_.get(), SPMV_DIST_DOUBLE, nullptr, nullptr, &matrix, &status_), "path");
  null(spmv_dist_matrix_generate(context_.get(), SPMV_DIST_DOUBLE, nullptr, nullptr, &matrix, &status_),
       "specification");
  null(spmv_dist_matrix_ids(none, SPMV_DIST_X, nullptr, 0, &status_), "matrix");
  null(spmv_dist_matrix_to_matrix(none, SPMV_DIST_X, nullptr, 0, nullptr, 0, &status_), "matrix");
  null(spmv_dist_matrix_to_caller(none, SPMV_DIST_X, nullptr, 0, nullptr, 0, &status_), "matrix");
  null(spmv_dist_matrix_update_values(none, &one, 1, SPMV_DIST_HOST, &status_), "matrix");
  null(spmv_dist_matrix_order_with(none, nullptr, &status_), "matrix");
  null(spmv_dist_matrix_order_with_none(none, &status_), "matrix");
  null(spmv_dist_matrix_synchronize(none, &status_), "matrix");
  null(spmv_dist_vector_create(none, SPMV_DIST_X, &vector, &status_), "matrix");
  null(spmv_dist_vector_create(A, SPMV_DIST_X, nullptr, &status_), "vector");
  null(spmv_dist_vector_view(none, SPMV_DIST_X, nullptr, 0, &vector, &status_), "matrix");
  null(spmv_dist_vector_view(A, SPMV_DIST_X, nullptr, 0, nullptr, &status_), "vector");
  null(spmv_dist_vector_set(no_vector, &one, 1, &status_), "vector");
  null(spmv_dist_vector_get(no_vector, nullptr, 1, &status_), "vector");
  using Product = int (*)(spmv_dist_matrix*, spmv_dist_vector*, spmv_dist_vector*, spmv_dist_status*);
  for (const Product product : {spmv_dist_multiply, spmv_dist_multiply_queued, spmv_dist_multiply_transposed,
                                spmv_dist_multiply_adjoint}) {
    null(product(none, x, y, &status_), "A");
    null(product(A, no_vector, y, &status_), "x");
    null(product(A, x, no_vector, &status_), "y");
  }
  for (const auto product : {spmv_dist_multiply_add, spmv_dist_multiply_add_queued}) {
    null(product(nullptr, A, x, &one, y, &status_), "alpha");
    null(product(&one, A, x, nullptr, y, &status_), "beta");
    null(product(&one, none, x, &one, y, &status_), "A");
  }
}

TEST_F(CInterface, AStatusIsNotNeeded) {
  EXPECT_EQ(spmv_dist_matrix_synchronize(A_.get(), nullptr), SPMV_DIST_OK);
  EXPECT_EQ(spmv_dist_matrix_synchronize(nullptr, nullptr), SPMV_DIST_USAGE);
}

TEST_F(CInterface, NullPointersInPlaceOfArrays) {
  if (ranks() > 3) GTEST_SKIP() << "more than three ranks: some would have no elements";
  const std::int64_t size = mine_.size();
  std::vector<double> room(static_cast<std::size_t>(size));
  const auto null = [&](int returned, const std::string& name) {
    refused(returned, SPMV_DIST_USAGE, name + " is a null pointer");
  };
  null(spmv_dist_matrix_ids(A_.get(), SPMV_DIST_X, nullptr, size, &status_), "ids");
  null(spmv_dist_vector_set(x_.get(), nullptr, size, &status_), "natural");
  null(spmv_dist_vector_get(x_.get(), nullptr, size, &status_), "natural");
  null(spmv_dist_matrix_update_values(A_.get(), nullptr, mine_.elements(), SPMV_DIST_HOST, &status_),
       "values");
  refused(spmv_dist_matrix_to_matrix(A_.get(), SPMV_DIST_X, nullptr, size, room.data(), size, &status_),
          SPMV_DIST_USAGE, "0 elements were given on rank 0");
  refused(spmv_dist_matrix_to_caller(A_.get(), SPMV_DIST_X, nullptr, size, room.data(), size, &status_),
          SPMV_DIST_USAGE, "0 elements were given on rank 0");
  null(spmv_dist_matrix_to_matrix(A_.get(), SPMV_DIST_X, room.data(), size, nullptr, size, &status_),
       "matrixs");
  null(spmv_dist_matrix_to_caller(A_.get(), SPMV_DIST_X, room.data(), size, nullptr, size, &status_),
       "callers");
}

TEST_F(CInterface, CountsThatDoNotFit) {
  if (ranks() > 3) GTEST_SKIP() << "more than three ranks: some would have no elements";
  const std::int64_t size = mine_.size();
  std::vector<double> room(8, -1);
  Ids ids(8, -1);
  const auto wrong = [&](int returned, const std::string& part) {
    EXPECT_EQ(returned, SPMV_DIST_USAGE);  // the number of elements differs between ranks
    EXPECT_NE(std::string(status_.message).find(part), std::string::npos) << status_.message;
  };
  wrong(spmv_dist_matrix_ids(A_.get(), SPMV_DIST_Y, ids.data(), size + 1, &status_), "ids has room for");
  wrong(spmv_dist_vector_set(x_.get(), room.data(), size + 1, &status_), "elements were given for a vector");
  wrong(spmv_dist_vector_get(x_.get(), room.data(), size + 1, &status_), "elements were given for a vector");
  wrong(spmv_dist_matrix_to_matrix(A_.get(), SPMV_DIST_X, room.data(), size, room.data(), size + 1, &status_),
        "the array for the result has room for");
  refused(spmv_dist_matrix_to_matrix(A_.get(), SPMV_DIST_X, room.data(), last() ? -1 : size, room.data(),
                                     size, &status_),
          SPMV_DIST_USAGE, "0 elements were given on rank " + std::to_string(ranks() - 1));
  refused(spmv_dist_matrix_to_caller(A_.get(), SPMV_DIST_X, room.data(), last() ? 7 : size, room.data(), size,
                                     &status_),
          SPMV_DIST_USAGE, "7 elements were given on rank " + std::to_string(ranks() - 1));
  refused(spmv_dist_matrix_update_values(A_.get(), mine_.values.data(),
                                         last() ? mine_.elements() + 1 : mine_.elements(), SPMV_DIST_HOST,
                                         &status_),
          SPMV_DIST_USAGE, "values were given on rank " + std::to_string(ranks() - 1));
  spmv_dist_vector* view = x_.get();
  wrong(spmv_dist_vector_view(A_.get(), SPMV_DIST_X, room.data(), size - 1, &view, &status_),
        "elements was asked for");
  EXPECT_EQ(view, nullptr);
}

TEST_F(CInterface, NumbersThatMeanNothing) {
  expect_no_matrix(7, &mine_.rows, nullptr, SPMV_DIST_USAGE, "value_type is none of");
  EXPECT_EQ(spmv_dist_matrix_size(A_.get(), 5), -1);
  EXPECT_EQ(spmv_dist_matrix_capacity(A_.get(), -1), -1);
  spmv_dist_vector* vector = nullptr;
  refused(spmv_dist_vector_create(A_.get(), 5, &vector, &status_), SPMV_DIST_USAGE, "side is neither");
  refused(spmv_dist_matrix_ids(A_.get(), 5, nullptr, 0, &status_), SPMV_DIST_USAGE, "side is neither");
  refused(spmv_dist_matrix_update_values(A_.get(), mine_.values.data(), mine_.elements(), 9, &status_),
          SPMV_DIST_USAGE, "it must be automatic (0), host (1) or device (2)");
  mine_.rows.where = 9;
  expect_no_matrix(SPMV_DIST_DOUBLE, &mine_.rows, nullptr, SPMV_DIST_USAGE,
                   "it must be automatic (0), host (1) or device (2)");
}

TEST_F(CInterface, Options) {
  expect_no_matrix(SPMV_DIST_DOUBLE, &mine_.rows, "colour=red", SPMV_DIST_USAGE, "unknown option colour=red");
  expect_no_matrix(SPMV_DIST_DOUBLE, &mine_.rows, "format", SPMV_DIST_USAGE,
                   "'format' has no name and value");
  expect_no_matrix(SPMV_DIST_FLOAT, &mine_.rows, "format=round", SPMV_DIST_USAGE, "format=round");
  spmv_dist_context* context = context_.get();
  refused(spmv_dist_context_create(MPI_COMM_WORLD, "backend=tpu", &context, &status_), SPMV_DIST_USAGE,
          "unknown backend 'tpu'");
  EXPECT_EQ(context, nullptr);
}

TEST_F(CInterface, RowsThatAreNoMatrix) {
  const auto is_input = [&](const char* part) {
    expect_no_matrix(SPMV_DIST_DOUBLE, &mine_.rows, nullptr, SPMV_DIST_INPUT, part);
  };
  if (!mine_.columns.empty()) mine_.columns[0] = 5;
  is_input("has column 5");
  if (!mine_.columns.empty()) mine_.columns[0] = -1;
  is_input("has column -1");
  mine_.rows.row_ptr = nullptr;
  is_input("row_ptr is null");
  mine_.rows.row_ptr = mine_.row_ptr.data();
  mine_.rows.rows = -1;
  is_input("rows is -1");
}

TEST_F(CInterface, FilesAndGeneratorsThatAreNotThere) {
  spmv_dist_matrix* matrix = A_.get();
  refused(spmv_dist_matrix_read(context_.get(), SPMV_DIST_DOUBLE, "/no/such/file.mtx", nullptr, &matrix,
                                &status_),
          SPMV_DIST_INPUT, "/no/such/file.mtx");
  EXPECT_EQ(matrix, nullptr);
  matrix = A_.get();
  refused(
      spmv_dist_matrix_generate(context_.get(), SPMV_DIST_DOUBLE, "moonlight:3", nullptr, &matrix, &status_),
      SPMV_DIST_USAGE, "moonlight");
  EXPECT_EQ(matrix, nullptr);
}

TEST_F(CInterface, WhatTheHostDoesNotHave) {
  mine_.rows.where = SPMV_DIST_DEVICE;
  expect_no_matrix(SPMV_DIST_DOUBLE, &mine_.rows, nullptr, SPMV_DIST_ENVIRONMENT,
                   "declared as device memory, but the products run on the host");
  refused(spmv_dist_matrix_order_with(A_.get(), nullptr, &status_), SPMV_DIST_USAGE,
          "a CUDA stream was given");
  expect_done(spmv_dist_matrix_order_with_none(A_.get(), &status_), status_);
}

/// One full row and a million rows with one element: ELLPACK would pad them all.
TEST_F(CInterface, WhatDoesNotFit) {
  const std::int64_t n = 1'000'000;
  Ids row_ptr{0}, columns;
  for (std::int64_t row = 0; rank() == 0 && row < n; ++row) {
    for (std::int64_t col = row; col < (row == 0 ? n : row + 1); ++col) columns.push_back(col);
    row_ptr.push_back(static_cast<std::int64_t>(columns.size()));
  }
  const std::vector<double> values(columns.size(), 1.0);
  mine_.rows.global_rows = mine_.rows.global_cols = n;
  mine_.rows.rows = static_cast<std::int64_t>(row_ptr.size()) - 1;
  mine_.rows.first_row = rank() == 0 ? 0 : n;
  mine_.rows.row_ptr = row_ptr.data();
  mine_.rows.columns = columns.data();
  mine_.rows.values = values.data();
  mine_.rows.elements = static_cast<std::int64_t>(columns.size());
  expect_no_matrix(SPMV_DIST_DOUBLE, &mine_.rows, "format=ellpack mode=vector", SPMV_DIST_MEMORY, "ellpack");
}

TEST_F(CInterface, VectorsThatOverlap) {
  spmv_dist_context* context = nullptr;
  expect_done(spmv_dist_context_create(MPI_COMM_SELF, "backend=host", &context, &status_), status_);
  const ContextHandle alone(context);
  spmv_dist_matrix* matrix = nullptr;
  expect_done(
      spmv_dist_matrix_generate(context, SPMV_DIST_DOUBLE, "stencil5:4,4", nullptr, &matrix, &status_),
      status_);
  const MatrixHandle A(matrix);
  std::vector<double> memory(48, 1.0);
  const auto view = [&](int side, int at) {
    spmv_dist_vector* vector = nullptr;
    expect_done(spmv_dist_vector_view(matrix, side, memory.data() + at, 16, &vector, &status_), status_);
    return VectorHandle(vector);
  };
  const VectorHandle x = view(SPMV_DIST_X, 16), before = view(SPMV_DIST_Y, 15),
                     behind = view(SPMV_DIST_Y, 32);
  const double one = 1;
  const char* const words = "x and y overlap in memory";
  refused(spmv_dist_multiply(matrix, x.get(), before.get(), &status_), SPMV_DIST_USAGE, words);
  refused(spmv_dist_multiply_queued(matrix, x.get(), before.get(), &status_), SPMV_DIST_USAGE, words);
  refused(spmv_dist_multiply_add(&one, matrix, x.get(), &one, before.get(), &status_), SPMV_DIST_USAGE,
          words);
  expect_done(spmv_dist_multiply(matrix, x.get(), behind.get(), &status_), status_);
}

TEST_F(CInterface, VectorsOfOthers) {
  const MatrixHandle B = make_matrix<double>(context_, mine_.rows, nullptr);
  const VectorHandle foreign = make_vector(B, SPMV_DIST_X);
  refused(spmv_dist_multiply(A_.get(), foreign.get(), y_.get(), &status_), SPMV_DIST_USAGE,
          "x is a vector of another matrix");
  refused(spmv_dist_multiply_queued(A_.get(), x_.get(), foreign.get(), &status_), SPMV_DIST_USAGE,
          "y is a vector of another matrix");
  refused(spmv_dist_multiply(A_.get(), x_.get(), x_.get(), &status_), SPMV_DIST_USAGE,
          "x and y are the same memory");
  const Tiny<float> narrow;
  const MatrixHandle C = make_matrix<float>(context_, narrow.rows, nullptr);
  const VectorHandle of_float = make_vector(C, SPMV_DIST_X);
  const double one = 1;
  refused(spmv_dist_multiply_add(&one, A_.get(), of_float.get(), &one, y_.get(), &status_), SPMV_DIST_USAGE,
          "of another value type");
  refused(spmv_dist_multiply_transposed(A_.get(), x_.get(), y_.get(), &status_), SPMV_DIST_USAGE,
          "transposed product is not cheap");
}

TEST_F(CInterface, MatricesWithoutUpdates) {
  const MatrixHandle fixed = make_matrix<double>(context_, mine_.rows, "updates=off");
  refused(spmv_dist_matrix_update_values(fixed.get(), mine_.values.data(), mine_.elements(), SPMV_DIST_HOST,
                                         &status_),
          SPMV_DIST_USAGE, "option updates=off");
}

}  // namespace
}  // namespace spmv::test::c
