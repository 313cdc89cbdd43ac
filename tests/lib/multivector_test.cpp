// Products of several vectors at once against the serial reference of each one.
#include "spmv_dist/multivector.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "callers_rows.hpp"
#include "spmv_dist/solve.hpp"

namespace spmv::test {
namespace {

using spmv_dist::Code;
using spmv_dist::Context;
using spmv_dist::Matrix;
using spmv_dist::MultiVector;
using spmv_dist::Options;
using spmv_dist::Side;

/// Large enough for a halo on 7 ranks, with rows of different lengths, some of them empty.
GlobalMatrix ragged(gidx rows, gidx cols) {
  GlobalMatrix matrix{"ragged", {rows, cols}, {}};
  for (gidx row = 0; row < rows; ++row)
    for (gidx k = 0; k < scramble(row, 1, 9); ++k) matrix.at.emplace_back(row, scramble(row, k + 2, cols));
  return matrix;
}

/// x number `first` + j in column j, by rows.
template <class T>
std::vector<T> columns_for(const std::vector<gidx>& ids, int columns, unsigned first) {
  std::vector<T> all;
  for (const gidx id : ids)
    for (int j = 0; j < columns; ++j) all.push_back(x_value<T>(id, first + static_cast<unsigned>(j)));
  return all;
}

/// Multivectors of one matrix with so many columns.
template <class T>
class Several {
 public:
  Several(Matrix<T>& A, int columns) : x_(A, Side::x, columns), y_(A, Side::y, columns) {}

  /// Multiplies x number `first` and those after it.
  void multiply_from(const GlobalMatrix& matrix, Matrix<T>& A, unsigned first) {
    SCOPED_TRACE(std::to_string(x_.columns()) + " columns from x " + std::to_string(first));
    const std::vector<T> natural = columns_for<T>(A.ids(Side::x), x_.columns(), first);
    x_.set(natural);
    EXPECT_EQ(x_.get(), natural);
    multiply(A, x_, y_);
    const std::vector<T> y = y_.get();
    const auto k = static_cast<std::size_t>(x_.columns());
    ASSERT_EQ(y.size(), A.ids(Side::y).size() * k);
    for (std::size_t j = 0; j < k; ++j) {
      std::vector<T> of_column;
      for (std::size_t i = j; i < y.size(); i += k) of_column.push_back(y[i]);
      const Mismatch mismatch = compare(
          of_column.data(), reference_for<T>(matrix, first + static_cast<unsigned>(j), A.ids(Side::y)));
      EXPECT_EQ(mismatch.rows_wrong, 0) << "column " << j << ": row " << mismatch.worst_row << " is off by "
                                        << mismatch.worst_ratio << " bounds\n"
                                        << A.describe();
      EXPECT_EQ(y_.column(static_cast<int>(j)).get(), of_column);
    }
  }

 private:
  MultiVector<T> x_, y_;
};

/// Numbers of columns and single vectors in turns.
template <class T>
void expect_columns(const GlobalMatrix& matrix, Matrix<T>& A, const std::vector<int>& numbers) {
  auto x = A.make_x(), y = A.make_y();
  std::vector<Several<T>> all;
  for (const int columns : numbers) {
    all.emplace_back(A, columns);
    all.back().multiply_from(matrix, A, 0);
  }
  const std::string before = A.describe();
  for (const unsigned first : {3U, 1U})
    for (Several<T>& several : all) {
      several.multiply_from(matrix, A, first);
      expect_products(matrix, A, x, y);
    }
  EXPECT_EQ(A.describe(), before);
}

/// Without trials: device needs one whose exchange is queued.
std::string transport_for(const std::string& mode) {
  return mode == "device" ? "shm" : "staged";
}

template <class T>
class LibraryMultiVectors : public testing::Test {};
using Values = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LibraryMultiVectors, Values);

TYPED_TEST(LibraryMultiVectors, InEveryModeAsIfAlone) {
  using T = TypeParam;
  std::vector<std::string> backends{"host", "debug"};
  if (spmv::gpu_of_this_thread() >= 0) backends.emplace_back("cuda");
  for (const auto& [rows, cols] : {std::pair<gidx, gidx>{61, 61}, {41, 23}}) {
    const GlobalMatrix matrix = ragged(rows, cols);
    for (const Deal deal : {Deal::scattered, Deal::all_on_last}) {
      const CallersRows<T> mine(matrix, deal);
      for (const std::string& backend : backends) {
        const Context context(world_comm(), {{"backend", backend}});
        std::size_t turn = 0;
        for (const std::string mode : {"vector", "naive", "task", "device"})
          for (const std::string format : {"csr", "pjds", "sell"}) {
            if (deal == Deal::all_on_last && format != (cols == rows ? "sell" : "csr")) continue;
            const std::string partition = turn % 4 == 3 && deal == Deal::scattered ? "metis" : "keep";
            SCOPED_TRACE(std::to_string(cols) + " columns, " + backend + ", " + mode + ", " + format + ", " +
                         partition);
            Matrix<T> A(context, mine.view,
                        {{"mode", mode},
                         {"format", format},
                         {"partition", partition},
                         {"transport", transport_for(mode)}});
            expect_columns(matrix, A, turn++ % 2 == 0 ? std::vector{5, 2} : std::vector{32, 1});
          }
      }
    }
  }
}

TYPED_TEST(LibraryMultiVectors, OverEveryTransportThatWorksHere) {
  using T = TypeParam;
  const GlobalMatrix matrix = ragged(61, 61);
  const CallersRows<T> mine(matrix, Deal::blocks);
  const Context context(world_comm(), {{"backend", "debug"}});
  for (const std::string transport : {"staged", "shm", "shm_copy", "node_aware"}) {
    SCOPED_TRACE(transport);
    std::optional<Matrix<T>> A;
    try {
      A.emplace(context, mine.view, Options{{"mode", "task"}, {"format", "sell"}, {"transport", transport}});
    } catch (const spmv_dist::Error& error) {
      EXPECT_EQ(error.code(), Code::environment) << error.what();
      continue;
    }
    expect_columns(matrix, *A, {7, 3});
  }
}

TYPED_TEST(LibraryMultiVectors, FollowOtherValues) {
  using T = TypeParam;
  const GlobalMatrix matrix = ragged(61, 61);
  const CallersRows<T> mine(matrix, Deal::scattered);
  std::vector<std::string> backends{"host", "debug"};
  if (spmv::gpu_of_this_thread() >= 0) backends.emplace_back("cuda");
  for (const std::string& backend : backends)
    for (const std::string mode : {"vector", "device"}) {
      SCOPED_TRACE(backend + ", " + mode);
      const Context context(world_comm(), {{"backend", backend}});
      Matrix<T> A(context, mine.view,
                  {{"mode", mode}, {"format", "sell"}, {"transport", transport_for(mode)}});
      MultiVector<T> x(A, Side::x, 3), y(A, Side::y, 3);
      x.set(columns_for<T>(A.ids(Side::x), 3, 0));
      multiply(A, x, y);
      const std::vector<T> before = y.get();
      std::vector<T> doubled = mine.values;
      for (T& value : doubled) value *= T(2);
      A.update_values(doubled.data(), static_cast<gidx>(doubled.size()));
      multiply(A, x, y);
      std::vector<T> twice = before;
      for (T& value : twice) value *= T(2);
      EXPECT_EQ(y.get(), twice);
    }
}

TYPED_TEST(LibraryMultiVectors, YIsTheNextXAndNothingWaits) {
  using T = TypeParam;
  const GlobalMatrix matrix = ragged(61, 61);
  const CallersRows<T> mine(matrix, Deal::scattered);
  const Context context(world_comm(), {{"backend", "debug"}});
  for (const std::string mode : {"vector", "naive", "task", "device"}) {
    SCOPED_TRACE(mode);
    Matrix<T> A(context, mine.view, {{"mode", mode}, {"format", "csr"}, {"transport", transport_for(mode)}});
    MultiVector<T> x5(A, Side::x, 5), y5(A, Side::y, 5), x2(A, Side::x, 2), y2(A, Side::y, 2);
    auto x = A.make_x(), y = A.make_y();
    x.set(x_for<T>(A.ids(Side::x), 1));
    x2.set(columns_for<T>(A.ids(Side::x), 2, 0));
    x5.set(columns_for<T>(A.ids(Side::x), 5, 0));
    multiply_queued(A, x, y);
    multiply_queued(A, x2, y2);
    multiply_queued(A, x5, y5);
    multiply_queued(A, y2, x2);
    multiply_queued(A, y, x);
    multiply_queued(A, y5, x5);
    A.synchronize();
    const auto expect_next = [&](const auto& before, const auto& after, auto again, auto expected) {
      again.set(before.get());
      multiply(A, again, expected);
      EXPECT_EQ(after.get(), expected.get());
    };
    expect_next(y, x, A.make_x(), A.make_y());
    expect_next(y2, x2, MultiVector<T>(A, Side::x, 2), MultiVector<T>(A, Side::y, 2));
    expect_next(y5, x5, MultiVector<T>(A, Side::x, 5), MultiVector<T>(A, Side::y, 5));
  }
}

class LibraryMultiVectorUse : public testing::Test {};

TEST_F(LibraryMultiVectorUse, ColumnsAreVectors) {
  const GlobalMatrix matrix = ragged(61, 61);
  const CallersRows<double> mine(matrix, Deal::scattered);
  for (const std::string backend : {"host", "debug"})
    for (const std::string format : {"csr", "pjds"}) {
      const Context context(world_comm(), {{"backend", backend}});
      Matrix<double> A(context, mine.view, {{"format", format}, {"transport", "staged"}});
      MultiVector<double> several(A, Side::x, 3);
      EXPECT_EQ(several.columns(), 3);
      EXPECT_EQ(several.size(), A.size(Side::x));
      EXPECT_EQ(several.get(), std::vector<double>(mine.ids.size() * 3, 0.0));
      auto vector = A.make_x(), other = A.make_x();
      for (const unsigned j : {0U, 1U, 2U}) {
        vector.set(x_for<double>(A.ids(Side::x), j));
        several.set_column(static_cast<int>(j), vector);
      }
      EXPECT_EQ(several.get(), columns_for<double>(A.ids(Side::x), 3, 0));
      several.get_column(1, other);
      EXPECT_EQ(other.get(), x_for<double>(A.ids(Side::x), 1));
      const auto size = A.size(Side::x);
      std::vector<double> memory(static_cast<std::size_t>(size));
      auto view = A.view(Side::x, memory.data(), size);
      several.get_column(2, view);
      EXPECT_EQ(view.get(), vector.get());
      several.set_column(0, view);
      EXPECT_EQ(several.column(0).get(), vector.get());
    }
}

TEST_F(LibraryMultiVectorUse, InsideASolve) {
  const GlobalMatrix matrix{"diagonals", {61, 61}, [] {
                              std::vector<std::pair<gidx, gidx>> at;
                              for (gidx i = 0; i < 61; ++i) at.emplace_back(i, 60 - i);
                              return at;
                            }()};
  const CallersRows<double> mine(matrix, Deal::scattered);
  const Context context(world_comm(), {{"backend", "debug"}});
  Matrix<double> A(context, mine.view, {{"transport", "staged"}});
  auto b = A.make_y(), alone = A.make_x(), x = A.make_x();
  b.set(x_for<double>(A.ids(Side::y), 0));
  spmv_dist::SolveOptions options{"bicgstab"};
  options.max_iterations = 7;
  const auto copy = [](spmv_dist::Vector<double>& r, spmv_dist::Vector<double>& z) { z.set(r.get()); };
  const auto expected = solve<double>(A, b, alone, options, copy);
  Several<double> several(A, 3);
  const auto result = solve<double>(A, b, x, options, [&](auto& r, auto& z) {
    several.multiply_from(matrix, A, 2);
    Several<double>(A, 6).multiply_from(matrix, A, 0);
    copy(r, z);
  });
  EXPECT_EQ(result.history, expected.history);
  EXPECT_EQ(x.get(), alone.get());
}

TEST_F(LibraryMultiVectorUse, MayOutliveTheirMatrix) {
  const CallersRows<double> mine(ragged(41, 23), Deal::scattered);
  std::optional<Context> context(std::in_place, world_comm(), Options{{"backend", "debug"}});
  std::optional<Matrix<double>> A(std::in_place, *context, mine.view, Options{{"transport", "staged"}});
  MultiVector<double> x(*A, Side::x, 4);
  const std::vector<double> natural = columns_for<double>(A->ids(Side::x), 4, 0);
  x.set(natural);
  A.reset();
  context.reset();
  EXPECT_EQ(x.get(), natural);
}

TEST_F(LibraryMultiVectorUse, WhatDoesNotFitIsRefused) {
  const Context context(world_comm(), {{"backend", "host"}});
  const GlobalMatrix matrix = ragged(41, 23);
  const CallersRows<double> mine(matrix, Deal::scattered);
  const Options options{{"transport", "staged"}};
  Matrix<double> A(context, mine.view, options), B(context, mine.view, options);
  for (const int columns : {-1, 0, 33})
    expect_error(Code::usage, "a MultiVector has 1 to 32", [&] { MultiVector<double>(A, Side::x, columns); });
  if (world().size() > 1)
    expect_error(Code::usage, "the number of columns",
                 [&] { MultiVector<double>(A, Side::x, world().rank() == 0 ? 2 : 3); });
  MultiVector<double> x(A, Side::x, 2), y(A, Side::y, 2), y3(A, Side::y, 3), xb(B, Side::x, 2),
      yb(B, Side::y, 4);
  MultiVector<double> x1(A, Side::x, 1), y1(A, Side::y, 1);
  expect_error(Code::usage, "x has 2 columns and y 3", [&] { multiply(A, x, y3); });
  expect_error(Code::usage, "x is a MultiVector of another matrix", [&] { multiply(A, xb, y); });
  expect_error(Code::usage, "y is a MultiVector of another matrix", [&] { multiply(B, xb, y); });
  expect_error(Code::usage, "x is a MultiVector of another matrix", [&] { multiply(A, y, y); });
  expect_error(Code::usage, "MultiVector(A, Side::y, 2)", [&] { multiply_queued(A, x, x); });
  expect_error(Code::usage, "y is a vector of another matrix", [&] { multiply(A, x1, x1); });
  std::vector<double> natural(static_cast<std::size_t>(x.size() * 2) + 1);
  expect_error(Code::usage, "elements were given", [&] { x.set(natural); });
  expect_error(Code::usage, "elements were given", [&] { x.get(natural.data(), x.size() * 2 + 1); });
  auto of_a = A.make_x(), of_b = B.make_x();
  for (const int column : {-1, 2}) {
    expect_error(Code::usage, "they are 0 to 1", [&] { x.set_column(column, of_a); });
    expect_error(Code::usage, "they are 0 to 1", [&] { x.column(column); });
  }
  expect_error(Code::usage, "another matrix or side", [&] { x.set_column(0, of_b); });
  expect_error(Code::usage, "another matrix or side", [&] { y.get_column(0, of_a); });
  MultiVector<double> moved = std::move(x1);
  expect_error(Code::usage, "moved from", [&] { x1.columns(); });
  auto xv = A.make_x(), yv = A.make_y();
  expect_products(matrix, A, xv, yv);
  Several<double>(A, 2).multiply_from(matrix, A, 1);
}

}  // namespace
}  // namespace spmv::test
