// Products through the public interface against the serial reference.
#include <complex>
#include <numeric>
#include <set>
#include <string>
#include <thread>

#include "callers_rows.hpp"

namespace spmv::test {
namespace {

using spmv_dist::Context;
using spmv_dist::Matrix;
using spmv_dist::Options;
using spmv_dist::Side;
using spmv_dist::Vector;

/// Large enough for a halo on 7 ranks, with rows of different lengths and repeated columns.
GlobalMatrix uneven(gidx rows = 61, gidx cols = 61) {
  GlobalMatrix matrix{"uneven", {rows, cols}, {}};
  for (gidx row = 0; row < rows; ++row)
    for (gidx k = 0; k < scramble(row, 1, 9); ++k) matrix.at.emplace_back(row, scramble(row, k + 2, cols));
  return matrix;
}

template <class T>
class LibraryProducts : public testing::Test {};
using Values = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LibraryProducts, Values);

TYPED_TEST(LibraryProducts, TheWholeBattery) {
  const Context context(world_comm(), {{"backend", "host"}});
  for (const GlobalMatrix& matrix : matrix_battery(world().size()))
    for (const Deal deal : {Deal::scattered, Deal::blocks, Deal::all_on_last}) {
      SCOPED_TRACE("'" + matrix.name + "', deal " + std::to_string(static_cast<int>(deal)));
      const CallersRows<TypeParam> mine(matrix, deal);
      Matrix<TypeParam> A(context, mine.view, {{"format", "csr"}, {"transport", "staged"}});
      EXPECT_TRUE(A.keeps_distribution());
      EXPECT_EQ(A.ids(Side::y), mine.ids);
      auto x = A.make_x(), y = A.make_y();
      expect_products(matrix, A, x, y);
    }
}

TYPED_TEST(LibraryProducts, RepeatedColumnsAreOneElement) {
  const Context context(world_comm(), {{"backend", "host"}});
  const GlobalMatrix matrix = uneven();
  const CallersRows<TypeParam> mine(matrix, Deal::scattered);
  const std::set<std::pair<gidx, gidx>> distinct(matrix.at.begin(), matrix.at.end());
  ASSERT_LT(static_cast<gidx>(distinct.size()), world().sum(mine.view.elements)) << "no column is repeated";
  const Matrix<TypeParam> A(context, mine.view);
  EXPECT_EQ(A.global_elements(), static_cast<gidx>(distinct.size()));
}

TYPED_TEST(LibraryProducts, ModesBackendsFormatsAndPartitions) {
  const GlobalMatrix matrix = uneven();
  const CallersRows<TypeParam> mine(matrix, Deal::scattered);
  for (const std::string backend : {"host", "debug"}) {
    const Context context(world_comm(), {{"backend", backend}});
    EXPECT_EQ(context.backend(), backend);
    for (const std::string mode : {"vector", "naive", "task", "device", "auto"})
      for (const std::string format : {"csr", "pjds", "auto"})
        for (const std::string partition : {"keep", "metis"}) {
          SCOPED_TRACE(backend + ", " + mode + ", " + format + ", " + partition);
          Matrix<TypeParam> A(context, mine.view,
                              {{"mode", mode}, {"format", format}, {"partition", partition}});
          auto x = A.make_x(), y = A.make_y();
          expect_products(matrix, A, x, y);
          if (mode != "auto" && mode != "device") {
            EXPECT_EQ(A.mode(), mode) << A.describe();
          }
          EXPECT_NE(A.describe().find("transport"), std::string::npos);
        }
  }
}

TYPED_TEST(LibraryProducts, TheFastestModeByTrial) {
  for (const GlobalMatrix& matrix : {uneven(), uneven(40, 23)}) {
    const CallersRows<TypeParam> mine(matrix, Deal::scattered);
    for (const std::string backend : {"host", "debug"})
      for (const std::string sums : {"on", "off"})
        for (const std::string layout : {"auto", "split"}) {
          SCOPED_TRACE(backend + ", sums " + sums + ", layout " + layout);
          const Context context(world_comm(), {{"backend", backend}});
          Matrix<TypeParam> A(context, mine.view,
                              {{"mode", "fastest"},
                               {"layout", layout},
                               {"sums", sums},
                               {"format", "auto"},
                               {"transport", sums == "on" ? "staged" : "auto"}});
          auto x = A.make_x(), y = A.make_y();
          expect_products(matrix, A, x, y);
          const std::string tried = "the fastest product of";
          EXPECT_EQ(A.describe().find(tried) != std::string::npos, world().size() > 1) << A.describe();
          const bool split = A.describe().find("in split") != std::string::npos;
          EXPECT_TRUE(split || world().size() == 1) << A.describe();
          EXPECT_EQ(A.describe().find("of ,"), std::string::npos) << A.describe();
        }
  }
}

TYPED_TEST(LibraryProducts, RectangularMatrices) {
  const Context context(world_comm(), {{"backend", "debug"}});
  for (const auto& [rows, cols] : {std::pair<gidx, gidx>{40, 23}, {9, 70}})
    for (const std::string partition : {"keep", "metis"}) {
      const GlobalMatrix matrix = uneven(rows, cols);
      const CallersRows<TypeParam> mine(matrix, Deal::scattered);
      Matrix<TypeParam> A(context, mine.view, {{"format", "pjds"}, {"partition", partition}});
      EXPECT_EQ(world().sum(gidx{A.size(Side::x)}), cols);
      auto x = A.make_x(), y = A.make_y();
      expect_products(matrix, A, x, y);
    }
}

TYPED_TEST(LibraryProducts, YIsTheNextX) {
  const Context context(world_comm(), {{"backend", "debug"}});
  const GlobalMatrix matrix = uneven();
  const CallersRows<TypeParam> mine(matrix, Deal::scattered);
  for (const std::string mode : {"vector", "naive", "task", "device"}) {
    Matrix<TypeParam> A(context, mine.view, {{"mode", mode}, {"format", "pjds"}});
    auto x = A.make_x(), y = A.make_y(), z = A.make_y(), again = A.make_x(), expected = A.make_y();
    x.set(x_for<TypeParam>(A.ids(Side::x), 1));
    multiply_queued(A, x, y);
    multiply_queued(A, y, z);
    multiply_queued(A, z, x);
    A.synchronize();
    again.set(y.get());
    multiply(A, again, expected);
    EXPECT_EQ(z.get(), expected.get()) << mode;
    again.set(z.get());
    multiply(A, again, expected);
    EXPECT_EQ(x.get(), expected.get()) << mode;
  }
}

/// Alpha A x + beta y in every mode, and with formats that scale rows in the kernel of the product where there is a GPU.
template <class T>
void check_factors(const Context& context, const GlobalMatrix& matrix, const CallersRows<T>& mine,
                   const Options& options) {
  Matrix<T> A(context, mine.view, options);
  auto x = A.make_x(), y = A.make_y();
  x.set(x_for<T>(A.ids(Side::x), 0));
  const std::vector<T> nan(static_cast<std::size_t>(A.size(Side::y)), T(std::nan("")));
  y.set(nan);
  multiply_add(T(2), A, x, T(0), y);  // must not read y
  Reference<T> twice = reference_for<T>(matrix, 0, A.ids(Side::y));
  for (std::size_t i = 0; i < twice.y.size(); ++i) {
    twice.y[i] *= T(2);
    twice.bound[i] *= 2;
  }
  EXPECT_EQ(compare(y.get().data(), twice).rows_wrong, 0);
  multiply_add(T(0.5), A, x, T(0.25), y);
  for (T& value : twice.y) value *= T(0.5);  // (0.5 + 0.25 * 2) A x
  EXPECT_EQ(compare(y.get().data(), twice).rows_wrong, 0);
  multiply_add(T(-1), A, x, T(1), y);  // leaves rounding errors
  for (T& value : twice.y) value = T(0);
  EXPECT_EQ(compare(y.get().data(), twice).rows_wrong, 0);

  auto same = A.make_x();  // same = A same - 3 same
  same.set(x.get());
  multiply_add(T(1), A, same, T(-3), same);
  Reference<T> shifted = reference_for<T>(matrix, 0, A.ids(Side::y));
  const std::vector<T> old = x.get();
  for (std::size_t i = 0; i < old.size(); ++i) {
    shifted.y[i] -= T(3) * old[i];
    shifted.bound[i] += 16 * std::numeric_limits<RealOf<T>>::epsilon();
  }
  EXPECT_EQ(compare(same.get().data(), shifted).rows_wrong, 0);
}

TYPED_TEST(LibraryProducts, AlphaAndBeta) {
  const GlobalMatrix matrix = uneven();
  const CallersRows<TypeParam> mine(matrix, Deal::scattered);
  std::vector<std::string> backends{"host", "debug"};
  if (spmv::gpu_of_this_thread() >= 0) backends.emplace_back("cuda");
  for (const std::string& backend : backends) {
    const Context context(world_comm(), {{"backend", backend}});
    for (const std::string mode : {"vector", "naive", "task", "device"})
      for (const std::string format : {"pjds", "sell_packed", "sell_blocked"}) {
        SCOPED_TRACE(backend + " " + mode + " " + format);
        check_factors(context, matrix, mine, {{"mode", mode}, {"format", format}});
      }
  }
}

TYPED_TEST(LibraryProducts, OtherValuesForThePattern) {
  using T = TypeParam;
  const GlobalMatrix matrix = uneven();
  const CallersRows<T> mine(matrix, Deal::scattered);
  const Context context(world_comm(), {{"backend", "debug"}});
  for (const std::string mode : {"vector", "naive", "device"})
    for (const std::string format : {"csr", "pjds", "sell", "auto"})
      for (const std::string partition : {"keep", "metis"}) {
        SCOPED_TRACE(mode + ", " + format + ", " + partition);
        Matrix<T> A(context, mine.view, {{"mode", mode}, {"format", format}, {"partition", partition}});
        auto x = A.make_x(), y = A.make_y();
        expect_products(matrix, A, x, y);
        const std::string before = A.describe();
        std::vector<T> halves = mine.values;
        for (T& value : halves) value *= T(0.5);
        A.update_values(halves.data(), static_cast<gidx>(halves.size()));
        EXPECT_EQ(A.describe(), before);
        multiply(A, x, y);
        std::vector<T> doubled = y.get();
        for (T& value : doubled) value *= T(2);
        EXPECT_EQ(compare(doubled.data(), reference_for<T>(matrix, 0, A.ids(Side::y))).rows_wrong, 0);
        A.update_values(mine.values.data(), mine.view.elements);
        expect_products(matrix, A, x, y);
      }
}

TYPED_TEST(LibraryProducts, VectorsTravelToTheMatrixAndBack) {
  using T = TypeParam;
  const Context context(world_comm(), {{"backend", "host"}});
  for (const gidx cols : {gidx{61}, gidx{33}})
    for (const std::string partition : {"keep", "metis", "nonzeros"}) {
      const CallersRows<T> mine(uneven(61, cols), Deal::scattered);
      const Matrix<T> A(context, mine.view, {{"format", "csr"}, {"partition", partition}});
      for (const Side side : {Side::x, Side::y}) {
        const std::vector<gidx>& callers_ids = side == Side::y || cols == 61 ? mine.ids : mine.x_ids;
        const std::vector<T> callers = x_for<T>(callers_ids, 2);
        const std::vector<T> there = A.to_matrix(side, callers);
        EXPECT_EQ(there, x_for<T>(A.ids(side), 2)) << partition;
        EXPECT_EQ(A.to_caller(side, there), callers) << partition;
      }
    }
}

class LibraryUse : public testing::Test {};

TEST_F(LibraryUse, ViewsOfTheCallersMemory) {
  const GlobalMatrix matrix = uneven();
  const CallersRows<double> mine(matrix, Deal::scattered);
  for (const std::string backend : {"host", "debug"}) {
    const Context context(world_comm(), {{"backend", backend}});
    Matrix<double> A(context, mine.view, {{"format", "pjds"}});
    const auto size = A.size(Side::x), capacity = A.capacity(Side::x);
    for (const gidx count : {size, capacity}) {
      std::vector<double> x_memory(static_cast<std::size_t>(count)),
          y_memory(static_cast<std::size_t>(count));
      auto x = A.view(Side::x, x_memory.data(), count), y = A.view(Side::y, y_memory.data(), count);
      EXPECT_EQ(x.is_copied(), size > 0 && (backend != "host" || count < capacity));
      expect_products(matrix, A, x, y);
      auto copy = A.make_y();  // y's memory is in the basis; whatever is written into it is multiplied
      auto own = A.make_x();
      std::fill(x_memory.begin(), x_memory.end(), 1.0);
      own.set(std::vector<double>(static_cast<std::size_t>(size), 1.0));
      multiply(A, x, y);
      multiply(A, own, copy);
      EXPECT_EQ(y.get(), copy.get());
    }
  }
}

TEST_F(LibraryUse, SomeRanksOnlyAndTheirCommunicatorIsFreedAtOnce) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(world_comm(), world().rank() % 2, 0, &half);
  const Context context(half, {{"backend", "host"}});
  MPI_Comm_free(&half);
  const GlobalMatrix matrix = uneven();
  const CallersRows<double> mine(matrix, Deal::scattered, context.rank(), context.size());
  Matrix<double> A(context, mine.view, {{"mode", world().rank() % 2 == 0 ? "vector" : "task"}});
  auto x = A.make_x(), y = A.make_y();
  expect_products(matrix, A, x, y);
}

TEST_F(LibraryUse, SeveralMatricesAtOnceInTurns) {
  const Context context(world_comm(), {{"backend", "debug"}}), other(world_comm(), {{"backend", "host"}});
  const GlobalMatrix matrix = uneven(), wide = uneven(30, 50);
  const CallersRows<double> mine(matrix, Deal::scattered), of_wide(wide, Deal::scattered);
  Matrix<double> A(context, mine.view), B(other, mine.view, {{"mode", "task"}}), C(context, of_wide.view);
  auto xa = A.make_x(), ya = A.make_y(), xb = B.make_x(), yb = B.make_y(), xc = C.make_x(), yc = C.make_y();
  for (int i = 0; i < 3; ++i) {
    expect_products(matrix, A, xa, ya);
    expect_products(matrix, B, xb, yb);
    expect_products(wide, C, xc, yc);
  }
}

TEST_F(LibraryUse, TwoThreadsWithAContextEach) {
  int level = 0;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "MPI does not provide MPI_THREAD_MULTIPLE";
  const GlobalMatrix matrix = uneven();
  MPI_Comm comms[2];
  for (MPI_Comm& comm : comms) MPI_Comm_dup(world_comm(), &comm);
  const auto work = [&](MPI_Comm comm, const char* backend) {
    const Context context(comm, {{"backend", backend}});
    const CallersRows<double> mine(matrix, Deal::scattered, context.rank(), context.size());
    Matrix<double> A(context, mine.view, {{"mode", "task"}, {"transport", "staged"}});
    auto x = A.make_x(), y = A.make_y();
    for (int i = 0; i < 5; ++i) expect_products(matrix, A, x, y);
  };
  std::thread beside([&] { work(comms[1], "debug"); });
  work(comms[0], "host");
  beside.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

TEST_F(LibraryUse, VectorsMayOutliveTheirMatrix) {
  const GlobalMatrix matrix = uneven();
  const CallersRows<double> mine(matrix, Deal::scattered);
  std::vector<Vector<double>> kept;
  std::vector<gidx> ids;
  {
    const Context context(world_comm(), {{"backend", "debug"}});
    Matrix<double> A(context, mine.view, {{"format", "pjds"}});
    kept = {A.make_x(), A.make_y()};
    kept[0].set(x_for<double>(A.ids(Side::x), 0));
    multiply_queued(A, kept[0], kept[1]);
    ids = A.ids(Side::y);
  }
  EXPECT_EQ(compare(kept[1].get().data(), reference_for<double>(matrix, 0, ids)).rows_wrong, 0);
}

TEST_F(LibraryUse, SymmetricMatricesAreTheirOwnTransposed) {
  const GlobalMatrix matrix = matrix_where("path", 20, 20, [](gidx row, gidx col) { return row == col; });
  const CallersRows<double> mine(matrix, Deal::scattered);
  const Context context(world_comm(), {{"backend", "host"}});
  Matrix<double> A(context, mine.view, {{"symmetry", "symmetric"}});
  auto x = A.make_x(), y = A.make_y();
  x.set(x_for<double>(A.ids(Side::x), 1));
  for (const bool adjoint : {false, true}) {
    adjoint ? multiply_adjoint(A, x, y) : multiply_transposed(A, x, y);
    EXPECT_EQ(compare(y.get().data(), reference_for<double>(matrix, 1, A.ids(Side::y))).rows_wrong, 0);
  }
}

}  // namespace
}  // namespace spmv::test
