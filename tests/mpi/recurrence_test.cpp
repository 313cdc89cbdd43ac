// Products that are steps of a recurrence, with their sums in the product's kernel or behind it, beside a recursion in long double.
#include <array>
#include <complex>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dist/spectrum/chebyshev_vectors.hpp"
#include "support/small_system.hpp"
#include "support/usable_transports.hpp"

namespace spmv::test {
namespace {

template <class T>
class Recurrences : public BackendsTest {};
using ValueTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Recurrences, ValueTypes);

template <class T>
using WideColumns = std::vector<std::vector<Wide<T>>>;  // [column][row]

template <class T>
WideColumns<T> some_columns(gidx rows, int columns, int first) {
  WideColumns<T> all(static_cast<std::size_t>(columns));
  for (int j = 0; j < columns; ++j)
    for (gidx i = 0; i < rows; ++i)
      all[static_cast<std::size_t>(j)].push_back(Wide<T>(x_value<T>(i, first + j)));
  return all;
}
template <class T>
std::vector<T> by_rows(const WideColumns<T>& columns) {
  std::vector<T> all;
  for (std::size_t i = 0; i < columns[0].size(); ++i)
    for (const auto& column : columns) all.push_back(T(column[i]));
  return all;
}
template <class T>
Wide<T> wide(ScalarOf<T> number) {
  if constexpr (is_complex<T>)
    return {number.re, number.im};
  else
    return number;
}

/// alpha A x + beta x + gamma y of every column.
template <class T>
WideColumns<T> step(const SmallSystem<T>& system, const Recurrence& r, const WideColumns<T>& x,
                    const WideColumns<T>& y) {
  WideColumns<T> next;
  for (std::size_t j = 0; j < x.size(); ++j) {
    next.push_back(system.product(x[j]));
    for (std::size_t i = 0; i < next[j].size(); ++i) {
      next[j][i] =
          static_cast<long double>(r.alpha) * next[j][i] + static_cast<long double>(r.beta) * x[j][i];
      if (r.gamma != 0) next[j][i] += static_cast<long double>(r.gamma) * y[j][i];
    }
  }
  return next;
}

/// The sums in slots 0 and 1, and the elements of y.
template <class T>
void expect_step(Solved<T>& solved, const VectorRef<T>& y, const WideColumns<T>& x,
                 const WideColumns<T>& next, const WideColumns<T>& weight) {
  const double epsilon = std::numeric_limits<RealOf<T>>::epsilon();
  solved.on().queue().synchronize();
  const std::vector<T> elements = solved.whole(y);
  for (std::size_t j = 0; j < next.size(); ++j) {
    SCOPED_TRACE("column " + std::to_string(j));
    auto weighted = next[j];
    long double size_x = 0, size_y = 0;
    for (std::size_t i = 0; i < weighted.size(); ++i) {
      const T found = elements[i * next.size() + j];
      ASSERT_LE(std::abs(Wide<T>(found) - next[j][i]), 100 * epsilon) << "row " << i;
      if (!weight.empty()) weighted[i] *= weight[j][i];
      size_x += std::norm(x[j][i]);
      size_y += std::norm(next[j][i]);
    }
    const int column = static_cast<int>(j);
    EXPECT_LE(std::abs(wide<T>(solved.on().read(0, column)) - wide_dot<T>(x[j], next[j])),
              100 * epsilon * static_cast<double>(std::sqrt(size_x * size_y) + size_y));
    EXPECT_LE(std::abs(wide<T>(solved.on().read(1, column)) - wide_dot<T>(next[j], weighted)),
              100 * epsilon * static_cast<double>(size_y));
  }
}

template <class T>
void check_products(const SmallSystem<T>& system, Solved<T>& solved, int columns) {
  const Operator<T>& A = solved.A();
  const Vector<T> x = A.make_vector(), y = A.make_vector(), w = A.make_vector();
  const auto of_x = some_columns<T>(system.rows, columns, 0),
             of_w = some_columns<T>(system.rows, columns, 90);
  solved.set(x, by_rows<T>(of_x));
  solved.set(w, by_rows<T>(of_w));
  WideColumns<T> before(static_cast<std::size_t>(columns), of_x[0]);
  for (const Recurrence r : {Recurrence{0.75, 0, 0}, {-0.5, 0.25, 0}, {0.5, -0.75, -1}, {1, 0, 0.5}}) {
    SCOPED_TRACE("alpha " + std::to_string(r.alpha));
    const bool weighted = r.alpha < 0;
    const auto next = step(system, r, of_x, before);
    A.matrix().poison(x.at, y.at);
    if (r.gamma != 0) solved.set(y, by_rows<T>(before));
    const ProductSums<T> sums{0, 1, weighted ? w.at : nullptr};
    solved.on().multiply(A, x, y, r, sums);
    solved.on().add_up();
    expect_step(solved, y, of_x, next, weighted ? of_w : WideColumns<T>{});
    before = next;
    for (auto& column : before)
      for (auto& element : column) element = Wide<T>(T(element));
  }
}

/// T_n of (A - c) / h: c / h are not those of a spectrum, so that vectors grow little in three steps.
template <class T>
void check_vectors(const SmallSystem<T>& system, Solved<T>& solved, int columns) {
  const SpectralRange range{.bounds = {-1, 9}, .from = "given"};
  const auto steps = columns % 2 == 0 ? ChebyshevSteps::any : ChebyshevSteps::with_sums;
  ChebyshevVectors<T> vectors(solved.on(), solved.A(), range, steps);
  for (int turn = 0; turn < 2; ++turn) {  // the second one finds old vectors
    auto now = some_columns<T>(system.rows, columns, turn), before = now;
    solved.set(vectors.start(), by_rows<T>(now));
    for (int n = 0; n < 4; ++n) {
      SCOPED_TRACE("step " + std::to_string(n));
      const double h = range.half_width() / (n == 0 ? 1 : 2);
      const auto next = step(system, {1 / h, -range.centre() / h, n == 0 ? 0.0 : -1.0}, now, before);
      Combination<T> c;
      if (vectors.step(c, {0, 1})) solved.on().run(c);
      solved.on().add_up();
      expect_step(solved, vectors.newest(), now, next, {});
      before = now;
      now = next;
    }
  }
}

/// Layouts and formats share the numbers of columns and the backends.
TYPED_TEST(Recurrences, AreThoseOfEveryColumn) {
  using T = TypeParam;
  constexpr std::array numbers{1, 2, 3, 4, 8, 11, 32};
  const SmallSystem<T> system = grid<T>("grid", 13, 11, 0.7, false);
  bool on_gpu = false, inside = false;
  std::size_t turn = number_of<T>;
  for (const char* layout : {"merged", "split", "parted"})
    for (const char* format : {"csr_vector", "csr", "sell", "pjds", "ellpack_r", "sell_packed"}) {
      const TestBackend& backend = product_backends()[turn % product_backends().size()];
      const int columns = numbers[turn++ % numbers.size()];
      SCOPED_TRACE(std::string(backend.name) + ", " + layout + ", " + format + ", " +
                   std::to_string(columns) + " columns");
      const std::string mode = std::string(layout) == "merged" ? "vector" : "task";
      Solved<T> solved(system, backend, pick(modes<T>(), mode, "mode"), "staged", format, columns, layout);
      check_vectors(system, solved, columns);
      const bool sums = world().all_of(solved.A().sums());
      if (sums) check_products(system, solved, columns);
      inside = inside || sums;
      on_gpu = on_gpu || solved.A().matrix().compute_queue().takes_cuda_kernels();
      if (this->HasFailure()) return;
    }
  EXPECT_EQ(inside, on_gpu);
}

/// Three rows: the ranks from the fourth on have none. Every mode and transport, with a system and a format in turn.
TYPED_TEST(Recurrences, InEveryModeAndOnRanksWithoutRows) {
  using T = TypeParam;
  const std::array systems{grid<T>("three rows", 3, 1, 0.7, false), grid<T>("grid", 9, 8, 0.7, false)};
  const std::array<std::pair<const char*, int>, 3> formats{{{"sell_packed", 1}, {"pjds", 1}, {"sell", 5}}};
  const TestBackend& backend = product_backends()[number_of<T> % product_backends().size()];
  std::size_t turn = 0;
  for (const Mode<T>& mode : modes<T>())
    for (const Transport* transport : usable_transports(world(), backend.make(world()))) {
      if (mode.needs_queued_exchange && world().size() > 1 && !only_queues_work(transport->name)) continue;
      const std::size_t at = turn++;
      if (at % 2 != number_of<T> % 2) continue;  // types share the work
      const SmallSystem<T>& system = systems[at / 2 % systems.size()];
      const auto [format, columns] = formats[(at / 2 + number_of<T> / 2) % formats.size()];
      SCOPED_TRACE(std::string(backend.name) + ", " + mode.name + ", " + transport->name + ", " +
                   system.name + ", " + format + ", " + std::to_string(columns) + " columns");
      Solved<T> solved(system, backend, mode, transport->name, format, columns);
      check_vectors(system, solved, columns);
      if (world().all_of(solved.A().sums())) check_products(system, solved, columns);
      if (this->HasFailure()) return;
    }
}

}  // namespace
}  // namespace spmv::test
