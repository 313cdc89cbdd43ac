// update_values() that fails on one rank, for want of memory.
#include <optional>
#include <string>
#include <vector>

#include "callers_rows.hpp"
#include "failing_memory.hpp"

namespace spmv::test {
namespace {

using spmv_dist::Code;
using spmv_dist::Context;
using spmv_dist::Matrix;
using spmv_dist::Options;

/// A ring of whole numbers, with enough rows on every rank that its arrays are large.
struct Ring {
  static constexpr gidx rows = 6000;
  std::vector<std::int64_t> row_ptr{0}, columns;
  std::vector<double> values;
  spmv_dist::Rows<double> view;

  Ring() {
    const gidx n = rows * world().size(), first = rows * world().rank();
    for (gidx row = first; row < first + rows; ++row) {
      for (const gidx column : {row, (row + 1) % n, (row + n - 1) % n}) columns.push_back(column);
      row_ptr.push_back(static_cast<std::int64_t>(columns.size()));
    }
    values.assign(columns.size(), 1);
    view = spmv_dist::rows_from(n, n, first, row_ptr, columns, values);
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
};

/// The code of the error that work() throws, the same on all ranks; nullopt: none.
template <class Work>
std::optional<Code> code_of(const Work& work) {
  std::optional<Code> code;
  try {
    work();
  } catch (const spmv_dist::Error& error) {
    code = error.code();
  }
  const int mine = code ? static_cast<int>(*code) : -1;
  EXPECT_EQ(world().all_gather(mine), std::vector<int>(static_cast<std::size_t>(world().size()), mine));
  return code;
}

void expect_everywhere(double value, Matrix<double>& A) {
  auto x = A.make_x(), y = A.make_y();
  x.set(std::vector<double>(static_cast<std::size_t>(Ring::rows), 1));
  multiply(A, x, y);
  EXPECT_EQ(y.get(), std::vector<double>(static_cast<std::size_t>(Ring::rows), value));
}

/// One allocation of the last rank fails, each in turn. Then all ranks have the old values, or none has any until a later update.
void check_failures(const Options& options) {
  const Context context(world_comm(), {{"backend", "host"}});
  const Ring ring;
  const std::vector<double> twice(ring.values.size(), 2);
  Matrix<double> A(context, ring.view, options);
  auto x = A.make_x(), y = A.make_y();
  const auto update = [&](const std::vector<double>& values) {
    A.update_values(values.data(), static_cast<std::int64_t>(values.size()));
  };
  int kept = 0, lost = 0;
  for (int number = 1;; ++number) {
    SCOPED_TRACE(options.text() + ", allocation " + std::to_string(number));
    if (world().rank() == world().size() - 1) failing_allocation() = number;
    const auto code = code_of([&] { update(twice); });
    failing_allocation() = 0;
    if (!code) break;
    EXPECT_EQ(*code, Code::memory);
    const auto refused = code_of([&] { multiply(A, x, y); });
    EXPECT_EQ(refused.value_or(Code::usage), Code::usage);
    ++(refused ? lost : kept);
    if (!refused) expect_everywhere(3, A);
    update(twice);
    expect_everywhere(6, A);
    update(ring.values);
  }
  expect_everywhere(6, A);
  EXPECT_GE(kept, 1);
  EXPECT_GE(lost, 4);
}

TEST(UpdateFails, OnOneRank) {
  check_failures({{"mode", "vector"}, {"layout", "merged"}, {"format", "sell"}, {"transport", "staged"}});
  check_failures({{"mode", "naive"}, {"layout", "split"}, {"format", "csr"}, {"transport", "staged"}});
  check_failures({{"mode", "task"}, {"layout", "parted"}, {"format", "csr"}, {"transport", "staged"}});
}

}  // namespace
}  // namespace spmv::test
