// A hand-made matrix for tests of the C interface, which use only its header.
//
//        0   1 |  2   3 |  4        x = (1, 2, 3, 4, 5)
//   0    1   2 |        |  3        y0 =  20
//   1        4 |        |           y1 =   8
//      --------+--------+----
//   2    5     |  6   7 |           y2 =  51
//   3        8 |      9 | 10        y3 = 102
//      --------+--------+----
//   4   11     |        | 12        y4 =  71
#pragma once

#include <algorithm>
#include <complex>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "spmv_dist/spmv_dist.h"

namespace spmv::test::c {

using Ids = std::vector<std::int64_t>;

inline int rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

inline int ranks() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

inline bool last() {
  return rank() == ranks() - 1;
}

inline const Ids all_row_ptr = {0, 3, 4, 7, 10, 12};
inline const Ids all_columns = {0, 1, 4, 1, 2, 0, 3, 4, 3, 1, 0, 4};  // rows 2 and 3 unsorted
inline const std::vector<double> all_values = {1, 2, 3, 4, 6, 5, 7, 10, 9, 8, 11, 12};

/// A status as an earlier call may have left it.
struct Status : spmv_dist_status {
  Status() : spmv_dist_status{-1, "left over"} {}
};

/// Expects that the call returned 0 and left no message.
inline void expect_done(int returned, const Status& status) {
  EXPECT_EQ(returned, SPMV_DIST_OK) << status.message;
  EXPECT_EQ(status.code, SPMV_DIST_OK);
  EXPECT_STREQ(status.message, "");
}

/// Expects that all ranks refused the call with the same message, which contains `part`.
inline void expect_refused(int returned, const Status& status, int code, const std::string& part) {
  EXPECT_EQ(returned, code) << status.message;
  EXPECT_EQ(status.code, returned);
  EXPECT_NE(std::string(status.message).find(part), std::string::npos) << "it says: " << status.message;
  Status first = status;
  MPI_Bcast(first.message, sizeof first.message, MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_STREQ(status.message, first.message) << "rank 0 has another message";
}

struct Free {
  void operator()(spmv_dist_context* context) const { spmv_dist_context_free(context); }
  void operator()(spmv_dist_matrix* matrix) const { spmv_dist_matrix_free(matrix); }
  void operator()(spmv_dist_vector* vector) const { spmv_dist_vector_free(vector); }
};
using ContextHandle = std::unique_ptr<spmv_dist_context, Free>;
using MatrixHandle = std::unique_ptr<spmv_dist_matrix, Free>;
using VectorHandle = std::unique_ptr<spmv_dist_vector, Free>;

inline ContextHandle make_context() {
  spmv_dist_context* context = nullptr;
  Status status;
  expect_done(spmv_dist_context_create(MPI_COMM_WORLD, "backend=host", &context, &status), status);
  return ContextHandle(context);
}

/// Rows 0-1 | 2-3 | 4 of the matrix. The last rank has the remaining rows, ranks beyond the third none.
template <class T>
struct Tiny {
  Ids ids, row_ptr{0}, columns;
  std::vector<T> values;
  spmv_dist_rows rows;

  explicit Tiny(bool backwards = false) {
    Ids bounds = {0, 2, 4, 5};
    bounds.resize(static_cast<std::size_t>(std::max(ranks(), 3)) + 1, 5);
    bounds[static_cast<std::size_t>(ranks())] = 5;
    const auto me = static_cast<std::size_t>(rank());
    for (std::int64_t row = bounds[me]; row < bounds[me + 1]; ++row) ids.push_back(row);
    if (backwards) std::reverse(ids.begin(), ids.end());
    for (const std::int64_t row : ids) {
      for (std::int64_t k = all_row_ptr[row]; k < all_row_ptr[row + 1]; ++k) {
        columns.push_back(all_columns[k]);
        values.push_back(static_cast<T>(all_values[k]));
      }
      row_ptr.push_back(static_cast<std::int64_t>(columns.size()));
    }
    spmv_dist_rows_init(&rows);
    rows.global_rows = rows.global_cols = 5;
    rows.rows = size();
    rows.first_row = ids.empty() ? 5 : ids[0];
    if (backwards) rows.row_ids = ids.data();
    rows.row_ptr = row_ptr.data();
    rows.columns = columns.data();
    rows.values = values.data();
    rows.elements = elements();
  }
  Tiny(const Tiny&) = delete;
  Tiny& operator=(const Tiny&) = delete;
  std::int64_t size() const { return static_cast<std::int64_t>(ids.size()); }
  std::int64_t elements() const { return static_cast<std::int64_t>(columns.size()); }
};

template <class T>
constexpr int value_type = std::is_same_v<T, float>                 ? SPMV_DIST_FLOAT
                           : std::is_same_v<T, double>              ? SPMV_DIST_DOUBLE
                           : std::is_same_v<T, std::complex<float>> ? SPMV_DIST_COMPLEX_FLOAT
                                                                    : SPMV_DIST_COMPLEX_DOUBLE;

/// factor * whole[id] for the given ids.
template <class T>
std::vector<T> of(const Ids& ids, const std::vector<double>& whole, T factor = T(1)) {
  std::vector<T> values;
  for (const std::int64_t id : ids) values.push_back(factor * static_cast<T>(whole[id]));
  return values;
}

inline const std::vector<double> x_by_hand = {1, 2, 3, 4, 5};
inline const std::vector<double> y_by_hand = {20, 8, 51, 102, 71};

template <class T>
MatrixHandle make_matrix(const ContextHandle& context, const spmv_dist_rows& rows, const char* options) {
  spmv_dist_matrix* matrix = nullptr;
  Status status;
  expect_done(spmv_dist_matrix_create(context.get(), value_type<T>, &rows, options, &matrix, &status),
              status);
  return MatrixHandle(matrix);
}

inline VectorHandle make_vector(const MatrixHandle& A, int side) {
  spmv_dist_vector* vector = nullptr;
  Status status;
  expect_done(spmv_dist_vector_create(A.get(), side, &vector, &status), status);
  return VectorHandle(vector);
}

template <class T>
void set(const VectorHandle& vector, const std::vector<T>& natural) {
  Status status;
  expect_done(
      spmv_dist_vector_set(vector.get(), natural.data(), static_cast<std::int64_t>(natural.size()), &status),
      status);
}

template <class T>
std::vector<T> get(const VectorHandle& vector, std::size_t count) {
  std::vector<T> natural(count, T(-77));
  Status status;
  expect_done(spmv_dist_vector_get(vector.get(), natural.data(), static_cast<std::int64_t>(count), &status),
              status);
  return natural;
}

}  // namespace spmv::test::c
