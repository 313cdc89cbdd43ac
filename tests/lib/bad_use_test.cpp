// Bad use gives the same error on all ranks, and no crash.
#include <complex>
#include <string>

#include "callers_rows.hpp"

namespace spmv::test {
namespace {

using spmv_dist::Code;
using spmv_dist::Context;
using spmv_dist::Matrix;
using spmv_dist::Options;
using spmv_dist::Rows;
using spmv_dist::Side;
using spmv_dist::Where;

/// An identity matrix, two rows per rank.
struct Diagonal {
  std::vector<std::int64_t> row_ptr{0, 1, 2}, columns;
  std::vector<double> values{1, 1};
  Rows<double> rows;

  Diagonal() {
    const gidx n = 2 * world().size(), first = 2 * world().rank();
    columns = {first, first + 1};
    rows = spmv_dist::rows_from(n, n, first, row_ptr, columns, values);
  }
  Diagonal(const Diagonal&) = delete;
  Diagonal& operator=(const Diagonal&) = delete;
};

class BadUse : public testing::Test {
 protected:
  BadUse() : context_(world_comm(), {{"backend", "host"}}) {}
  bool last() const { return world().rank() == world().size() - 1; }
  void expect_refused(Code code, const std::string& part, const Rows<double>& rows,
                      const Options& options = {}) {
    expect_error(code, part, [&] { Matrix<double>(context_, rows, options); });
  }
  Context context_;
};

TEST_F(BadUse, RowsOwnedTwiceOrByNobody) {
  Diagonal mine;
  if (world().size() > 1) {
    if (last()) mine.rows.first_row -= 1;
    expect_refused(Code::input, "is held by rank", mine.rows);
  }
  Diagonal fewer;
  fewer.rows.global_rows = fewer.rows.global_cols += 3;
  expect_refused(Code::input, "is held by no rank", fewer.rows);
  Diagonal twice;
  const std::int64_t ids[2] = {2 * world().rank(), 2 * world().rank()};
  twice.rows.row_ids = ids;
  expect_refused(Code::input, "is listed twice by rank 0", twice.rows);
  Diagonal beyond;
  if (last()) beyond.rows.first_row += 1;
  expect_refused(Code::input, "but the matrix has", beyond.rows);
}

TEST_F(BadUse, ColumnsOutOfRange) {
  for (const gidx wrong : {gidx{-1}, gidx{2 * world().size()}}) {
    Diagonal mine;
    if (last()) mine.columns[1] = wrong;
    expect_refused(Code::input, "row 1 of this rank has column " + std::to_string(wrong), mine.rows);
  }
}

TEST_F(BadUse, ArraysThatDoNotFit) {
  Diagonal down;
  if (last()) down.row_ptr = {0, 3, 2};
  expect_refused(Code::input, "row_ptr goes down from 3 to 2 at row 1", down.rows);
  Diagonal late;
  if (last()) late.row_ptr = {1, 1, 2};
  expect_refused(Code::input, "row_ptr begins with 1", late.rows);
  Diagonal short_arrays;
  if (last()) short_arrays.rows.elements = 1;
  expect_refused(Code::input, "row_ptr ends with 2, but columns and values have 1 elements",
                 short_arrays.rows);
  Diagonal none;
  if (last()) none.rows.row_ptr = nullptr;
  expect_refused(Code::input, "row_ptr is null", none.rows);
  Diagonal empty;
  if (last()) empty.rows.values = nullptr;
  expect_refused(Code::input, "columns or values is null", empty.rows);
  Diagonal negative;
  if (last()) negative.rows.rows = -1;
  expect_refused(Code::input, "rows is -1", negative.rows);
}

TEST_F(BadUse, ShapesThatDiffer) {
  Diagonal mine;
  if (last() && world().size() > 1) {
    mine.rows.global_rows = mine.rows.global_cols += 1;
  }
  if (world().size() > 1) expect_refused(Code::usage, "differ between ranks", mine.rows);
  Diagonal square;
  square.rows.x_size = 2;
  expect_refused(Code::usage, "x_size was given for a square matrix", square.rows);
}

TEST_F(BadUse, Options) {
  const Diagonal mine;
  expect_refused(Code::usage, "unknown option colour=red; known are: ", mine.rows, {{"colour", "red"}});
  expect_refused(Code::usage, "option mode=fast is unknown; known are: auto, fastest, vector", mine.rows,
                 {{"mode", "fast"}});
  expect_refused(Code::usage, "option products=0", mine.rows, {{"products", "0"}});
  expect_refused(Code::usage, "option sigma=2.5 must be a whole number", mine.rows, {{"sigma", "2.5"}});
  expect_refused(Code::usage, "option sigma=0 must be a number from 1", mine.rows, {{"sigma", "0"}});
  expect_refused(Code::usage, "option unroll=3 is none of 0, 4, 8", mine.rows, {{"unroll", "3"}});
  expect_error(Code::usage, "option 'mode' has no name and value", [] { Options::parse("mode"); });
  expect_error(Code::usage, "unknown backend 'tpu'", [] { Context(world_comm(), {{"backend", "tpu"}}); });
  EXPECT_EQ(Options::parse("mode=task, format=csr").text(), "format=csr mode=task");
  if (world().size() == 1) return;
  expect_refused(Code::usage, "option mode is 'vector' on rank 0 and 'naive' on rank", mine.rows,
                 {{"mode", last() ? "naive" : "vector"}});
  const Options one = last() ? Options{{"seed", "7"}} : Options{};
  expect_refused(Code::usage, "option seed is nothing on rank 0 and '7' on rank", mine.rows, one);
}

TEST_F(BadUse, VectorsOfOthers) {
  const Diagonal mine;
  Matrix<double> A(context_, mine.rows), B(context_, mine.rows);
  auto x = A.make_x(), y = A.make_y(), foreign = B.make_x();
  expect_error(Code::usage, "x is a vector of another matrix", [&] { multiply(A, foreign, y); });
  expect_error(Code::usage, "y is a vector of another matrix", [&] { multiply(A, x, foreign); });
  expect_error(Code::usage, "x and y are the same memory", [&] { multiply(A, x, x); });
  const std::vector<double> three(3);
  expect_error(Code::usage, "3 elements were given for a vector that has 2", [&] { x.set(three); });
  std::vector<double> one(1);
  expect_error(Code::usage, "a view of 1 elements", [&] { A.view(Side::x, one.data(), 1); });
  expect_error(Code::usage, "a view of a null pointer", [&] { A.view(Side::x, nullptr, 100); });
  expect_error(Code::usage, "3 elements were given on rank", [&] { A.to_matrix(Side::x, three); });
  const auto moved = std::move(x);
  expect_error(Code::usage, "after it had been moved from", [&] { multiply(A, x, y); });
}

/// The matrix is a ring: the first element of each rank is in the halo of another.
TEST_F(BadUse, VectorsThatOverlap) {
  const gidx n = 3 * world().size(), first = 3 * world().rank();
  std::vector<std::int64_t> row_ptr{0}, columns;
  for (gidx row = first; row < first + 3; ++row) {
    for (const gidx column : {row, (row + 1) % n}) columns.push_back(column);
    row_ptr.push_back(static_cast<std::int64_t>(columns.size()));
  }
  const std::vector<double> values(columns.size(), 1);
  for (const char* backend : {"host", "debug"}) {
    const Context context(world_comm(), {{"backend", backend}});
    Matrix<double> A(context, spmv_dist::rows_from(n, n, first, row_ptr, columns, values));
    const std::int64_t size = A.size(Side::x), room = A.capacity(Side::x);
    std::vector<double> memory(static_cast<std::size_t>(4 * room), 1);
    double* const at = memory.data() + room;
    const std::vector<std::int64_t> lengths = {size, room};
    for (const std::int64_t x_length : lengths)
      for (const std::int64_t y_length : lengths)
        for (std::int64_t shift = -room; shift <= room; ++shift) {
          SCOPED_TRACE(fmt::format("{}: {} and {} elements, {} apart", backend, x_length, y_length, shift));
          auto x = A.view(Side::x, at, x_length), y = A.view(Side::y, at + shift, y_length);
          const std::int64_t x_end = x.is_copied() ? size : room, y_end = y.is_copied() ? size : room;
          if (shift >= x_end || shift + y_end <= 0) {
            multiply(A, x, y);
            multiply_add(2.0, A, x, 0.0, y);
            continue;
          }
          const char* const words = shift == 0 ? "the same memory" : "overlap in memory";
          expect_error(Code::usage, words, [&] { multiply(A, x, y); });
          expect_error(Code::usage, words, [&] { multiply_queued(A, x, y); });
          if (shift != 0) {
            expect_error(Code::usage, words, [&] { multiply_add(2.0, A, x, 1.0, y); });
            expect_error(Code::usage, words, [&] { multiply_add_queued(2.0, A, x, 1.0, y); });
          } else {
            multiply_add(2.0, A, x, 1.0, y);
          }
        }
    auto x = A.view(Side::x, at, room);
    expect_error(Code::usage, "natural overlaps", [&] { x.set(at + 1, size); });
    expect_error(Code::usage, "natural overlaps", [&] { x.get(at - 1, size); });
    x.set(at, size);
  }
}

TEST_F(BadUse, ValuesAndTransposed) {
  const Diagonal mine;
  Matrix<double> A(context_, mine.rows), fixed(context_, mine.rows, {{"updates", "off"}});
  expect_error(Code::usage, "1 values were given on rank",
               [&] { A.update_values(mine.values.data(), last() ? 1 : 2); });
  expect_error(Code::usage, "option updates=off", [&] { fixed.update_values(mine.values.data(), 2); });
  auto x = A.make_x(), y = A.make_y();
  expect_error(Code::usage, "transposed product is not cheap", [&] { multiply_transposed(A, x, y); });
  expect_error(Code::usage, "adjoint product is not cheap", [&] { multiply_adjoint(A, x, y); });
}

TEST_F(BadUse, DeviceMemoryWithoutADevice) {
  Diagonal mine;
  if (last()) mine.rows.where = Where::device;
  expect_refused(Code::environment, "declared as device memory, but the products run on the host", mine.rows);
  const Context debug(world_comm(), {{"backend", "debug"}});
  expect_error(Code::usage, "declared as device memory, but it is not",
               [&] { Matrix<double>(debug, mine.rows); });
  Diagonal plain;
  Matrix<double> A(context_, plain.rows);
  expect_error(Code::usage, "a CUDA stream was given", [&] { A.order_with(nullptr); });
}

TEST_F(BadUse, Communicators) {
  expect_error(Code::usage, "MPI_COMM_NULL", [] { Context{MPI_COMM_NULL}; });
  if (world().size() < 2) return;
  MPI_Comm half = MPI_COMM_NULL, between = MPI_COMM_NULL;
  MPI_Comm_split(world_comm(), world().rank() == 0, 0, &half);
  MPI_Intercomm_create(half, 0, world_comm(), world().rank() == 0 ? 1 : 0, 5, &between);
  expect_error(Code::usage, "joins two groups", [&] { Context{between}; });
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

}  // namespace
}  // namespace spmv::test
