// The arrays of formats that divide rows, nonzeros or blocks among threads, against hand-made ones.
#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/pick.hpp"
#include "kernels/bisection/bisection.hpp"
#include "kernels/block/block.hpp"
#include "kernels/coo/coo.hpp"
#include "kernels/hyb/hyb.hpp"
#include "kernels/rows/rows.hpp"
#include "kernels/rows/spmv4gpu.hpp"
#include "kernels/tune/format_models.hpp"

namespace spmv {
namespace {

using Columns = std::vector<lidx>;
using Positions = std::vector<offset>;
using Values = std::vector<double>;
using Shorts = std::vector<std::uint16_t>;

/// A block with these columns in its rows and values 1, 2, 3, ...
Csr<double> counting(lidx cols, const std::vector<Columns>& rows) {
  Csr<double> block;
  block.rows = static_cast<lidx>(rows.size());
  block.cols = cols;
  for (const Columns& row : rows) {
    for (const lidx col : row) {
      block.col.push_back(col);
      block.value.push_back(static_cast<double>(block.col.size()));
    }
    block.row_ptr.push_back(static_cast<offset>(block.col.size()));
  }
  return block;
}

/// Rows of `lengths` elements: columns 0, 1, ... and values 1, 2, 3, ...
Csr<double> counting_staircase(const std::vector<lidx>& lengths) {
  std::vector<Columns> rows;
  lidx cols = 0;
  for (const lidx length : lengths) {
    rows.emplace_back();
    for (lidx j = 0; j < length; ++j) rows.back().push_back(j);
    cols = std::max(cols, length);
  }
  return counting(cols, rows);
}

void expect_internal_error(const std::function<void()>& build, const std::string& part) {
  try {
    build();
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::internal);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

/// A device with so many free bytes.
class LimitedBackend final : public Backend {
 public:
  explicit LimitedBackend(std::size_t free_bytes) : free_bytes_(free_bytes) {}
  std::unique_ptr<Queue> make_queue(Priority priority) override { return host_->make_queue(priority); }
  std::unique_ptr<Event> make_event() override { return host_->make_event(); }
  void* allocate(std::size_t bytes, Memory where) override {
    if (free_bytes_ == 0) throw std::logic_error("allocated before the check");
    return host_->allocate(bytes, where);
  }
  void release(void* at, Memory where) noexcept override { host_->release(at, where); }
  MemoryInfo memory() const override { return {free_bytes_, free_bytes_ + 1}; }
  std::string describe() const override { return "limited"; }
  const char* name() const override { return "limited"; }

 private:
  std::size_t free_bytes_;
  std::shared_ptr<Backend> host_ = make_host_backend(DeviceRequest{});
};

TEST(FormatRowwise, MemoryIsCheckedBeforeItIsTaken) {
  const Csr<double> block = counting_staircase({17, 1});
  const std::pair<const char*, const char*> fixes[] = {{"csr_scalar", "spread the matrix over more ranks"},
                                                       {"csr_vector", "spread the matrix over more ranks"},
                                                       {"spmv4gpu", "spread the matrix over more ranks"},
                                                       {"spmv4gpu_padded", "use format spmv4gpu"},
                                                       {"block", "use format csr"},
                                                       {"coo", "use format csr"},
                                                       {"hyb", "use format csr"},
                                                       {"biell", "use format csr"},
                                                       {"bijad", "use format csr"}};
  for (const auto& [name, fix] : fixes) {
    try {
      pick(formats<double>(), name, "format").make({block, {}, {}, std::make_shared<LimitedBackend>(0)});
      ADD_FAILURE() << name << " accepts it";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::memory);
      EXPECT_NE(std::string(error.what()).find(std::string("format ") + name), std::string::npos);
      EXPECT_NE(std::string(error.what()).find(fix), std::string::npos) << error.what();
    }
  }
}

TEST(FormatColumns, MemoryIsEnoughForAllArraysAndNoLess) {
  const Csr<double> block = counting_staircase(Columns(300, 5));
  for (const char* name : {"ellpack", "ellpack_r", "pellr", "jad", "pjds", "sell"}) {
    SCOPED_TRACE(name);
    const auto make_within = [&](std::size_t free_bytes) {
      return pick(formats<double>(), name, "format")
          .make({block, {}, {}, std::make_shared<LimitedBackend>(free_bytes)});
    };
    const auto needed = static_cast<std::size_t>(make_within(1 << 20)->footprint().bytes);
    EXPECT_NO_THROW(make_within(needed));
    EXPECT_THROW(make_within(needed - 1), Error);
  }
}

TEST(FormatRowwise, CooNamesElementsOfY) {
  const Csr<double> block = counting(5, {{4, 0}, {}, {3}});
  const Coo<double> plain = build_coo(block, {});
  EXPECT_EQ(plain.row, (Columns{0, 0, 2}));
  EXPECT_EQ(plain.col, (Columns{4, 0, 3}));
  EXPECT_EQ(plain.value, (Values{1, 2, 3}));
  EXPECT_EQ(plain.empty, (Columns{1}));
  const Coo<double> listed = build_coo(block, {7, 5, 1});
  EXPECT_EQ(listed.row, (Columns{7, 7, 1}));
  EXPECT_EQ(listed.empty, (Columns{5}));
}

TEST(FormatRowwise, ThreadsOfARow) {
  EXPECT_EQ(csr_vector_threads_per_row(100, 100, {}), 2);  // csr's rule would give one
  EXPECT_EQ(csr_vector_threads_per_row(100, 2700, {}), 8);
  EXPECT_EQ(csr_vector_threads_per_row(100, 2700, {.threads_per_row = 4}), 4);
  EXPECT_EQ(csr_vector_threads_per_row(100, 2700, {.threads_per_row = 1}), 2);
  EXPECT_EQ(spmv4gpu_threads_per_row(100, 100, {}), 16);
  EXPECT_EQ(spmv4gpu_threads_per_row(100, 10'000, {}), 16);
  EXPECT_EQ(spmv4gpu_threads_per_row(100, 16'000, {}), 32);
  EXPECT_EQ(spmv4gpu_threads_per_row(100, 100, {.threads_per_row = 32}), 32);
  EXPECT_EQ(spmv4gpu_threads_per_row(100, 16'000, {.threads_per_row = 8}), 16);
}

TEST(FormatRowwise, PaddedRowsBeginAtMultiplesOfSixteen) {
  const PaddedRows<double> a = build_padded_rows(counting_staircase({1, 0, 16, 17}));
  EXPECT_EQ(a.row_ptr, (Positions{0, 16, 16, 32, 64}));
  EXPECT_EQ(a.row_length, (Columns{1, 0, 16, 17}));
  Values value(64, 0.0);
  value[0] = 1;
  for (int j = 0; j < 33; ++j) value[16 + j] = 2 + j;
  EXPECT_EQ(a.value, value);
  EXPECT_EQ(a.col[16 + 5], 5);
  EXPECT_EQ(a.col[32 + 16], 16);
  EXPECT_EQ(a.col[32 + 17], 0);
}

// Eight rows in double precision: a column is worth padding if at least four rows have it, 4 * 24 = 8 * 12.
TEST(FormatRowwise, HybWidthIsWhereHalfOfTheRowsEnd) {
  EXPECT_EQ(hyb_width({0, 4, 1, 3}, 8, 8), 2);
  EXPECT_EQ(hyb_width({0, 5, 0, 3}, 8, 8), 1);
  EXPECT_EQ(hyb_width({5, 0, 3}, 8, 8), 0);
  EXPECT_EQ(hyb_width({0, 0, 0, 8}, 8, 8), 3);
  EXPECT_EQ(hyb_width({0}, 0, 8), 0);
}

TEST(FormatRowwise, HybKeepsTheEndsOfLongRowsApart) {
  const Hyb<double> a = split_hyb(counting_staircase({1, 4, 0, 2}), 2);
  EXPECT_EQ(a.ell.row_ptr, (std::vector<offset>{0, 1, 3, 3, 5}));
  EXPECT_EQ(a.ell.col, (Columns{0, 0, 1, 0, 1}));
  EXPECT_EQ(a.ell.value, (Values{1, 2, 3, 6, 7}));
  EXPECT_EQ(a.rest_row, (Columns{1}));
  EXPECT_EQ(a.rest.row_ptr, (std::vector<offset>{0, 2}));
  EXPECT_EQ(a.rest.col, (Columns{2, 3}));
  EXPECT_EQ(a.rest.value, (Values{4, 5}));
}

// The 17th, 9th and 5th longest rows have 1 element, the 3rd has 2, the 2nd 4, the longest 6.
TEST(FormatRowwise, BisectionOfASlice) {
  std::vector<lidx> lengths(17, 1);
  lengths[0] = 6;
  lengths[1] = 4;
  lengths[2] = 2;
  const Bisection<double> a = build_bisection(counting_staircase(lengths));
  // Group 0: column 0 of all rows. 1 and 2: empty. 3: column 1 of four rows, eight threads each. 4: columns 2
  // and 3 of two rows, sixteen threads each. 5: columns 4 and 5 of the longest row.
  EXPECT_EQ(a.group_start, (Positions{0, 32, 32, 32, 64, 96, 128}));
  EXPECT_EQ(a.row_length, lengths);
  Values value(128, 0.0);
  value[0] = 1;
  value[1] = 7;
  for (int row = 2; row < 17; ++row) value[row] = row == 2 ? 11 : 10 + row;
  value[32] = 2;
  value[33] = 8;
  value[34] = 12;
  value[64] = 3;
  value[65] = 9;
  value[66] = 4;
  value[67] = 10;
  value[96] = 5;
  value[97] = 6;
  EXPECT_EQ(a.value, value);
  EXPECT_EQ(a.col[66], 3);
  EXPECT_EQ(a.col[97], 5);
}

// A group of r rows processes 32 / r elements of each at a time: the longest row's 33 extra elements take two
// steps.
TEST(FormatRowwise, BisectionSharesALongRowAmongAllThreads) {
  const Bisection<double> a = build_bisection(counting_staircase({33}));
  EXPECT_EQ(a.group_start, (Positions{0, 0, 0, 0, 0, 0, 64}));
  EXPECT_EQ(a.value[32], 33);
}

TEST(FormatRowwise, BiellSortsWithinSlicesAndBijadAllRows) {
  std::vector<lidx> lengths(40, 2);
  lengths[31] = 3;
  lengths[35] = 5;
  lengths[36] = 1;
  const Csr<double> block = counting_staircase(lengths);
  const Columns biell = pick(formats<double>(), "biell", "format").row_order(block, {});
  EXPECT_EQ(biell[0], 31);
  EXPECT_EQ(biell[1], 0);
  EXPECT_EQ(biell[31], 30);
  EXPECT_EQ(biell[32], 35);
  EXPECT_EQ(biell[33], 32);
  EXPECT_EQ(biell[39], 36);
  const Columns bijad = pick(formats<double>(), "bijad", "format").row_order(block, {});
  EXPECT_EQ(bijad[0], 35);
  EXPECT_EQ(bijad[1], 31);
  EXPECT_EQ(bijad[2], 0);
  EXPECT_EQ(bijad[39], 36);
  expect_internal_error([&] { build_bisection(block); }, "row_order");
}

// A block begins at the multiple of 16 before the first column not yet covered.
TEST(FormatRowwise, BlocksBeginWhereTheirColumnsDo) {
  std::vector<Columns> rows(17);
  rows[0] = {1043, 20, 1040};  // 20 and 1039 share the block at 16
  rows[1] = {1039};
  rows[16] = {5000};
  const Blocks<double> a = build_blocks(counting(6000, rows));
  EXPECT_EQ(a.first_block, (Positions{0, 2, 3}));
  EXPECT_EQ(a.first_col, (Columns{16, 1040, 4992}));
  EXPECT_EQ(a.first_element, (Positions{0, 32, 48}));
  EXPECT_EQ(Shorts(a.row_start.begin(), a.row_start.begin() + 3), (Shorts{0, 1, 2}));
  EXPECT_EQ(Shorts(a.row_length.begin(), a.row_length.begin() + 3), (Shorts{1, 1, 0}));
  EXPECT_EQ(a.row_length[16], 2);
  EXPECT_EQ(a.row_length[32], 1);
  Values value(64, 0.0);
  Shorts col(64, 0);
  value[0] = 2, col[0] = 4;
  value[16] = 4, col[16] = 1023;
  value[32] = 3, col[32] = 0;
  value[33] = 1, col[33] = 3;
  value[48] = 5, col[48] = 8;
  EXPECT_EQ(a.value, value);
  EXPECT_EQ(a.col, col);
}

TEST(FormatRowwise, BlocksCannotCountAColumnTwice) {
  expect_internal_error([] { build_blocks(counting(1, {Columns(1025, 0)})); }, "more than once");
}

// Formats whose size follows from the row lengths predict it exactly.
TEST(FormatRowwise, CostIsWhatIsStored) {
  std::vector<lidx> lengths(70, 3);
  lengths[9] = 20;
  lengths[12] = 0;
  const Csr<double> block = counting_staircase(lengths);
  const Analysis analysis = analyze(block);
  const auto host = make_host_backend(DeviceRequest{});
  for (const char* name : {"csr_scalar", "csr_vector", "spmv4gpu", "spmv4gpu_padded", "block"}) {
    const Format<double> format = pick(formats<double>(), name, "format");
    const double flags =
        std::string_view(name).starts_with("csr_") ? 70 : 0;  // on the host: flags of alike rows
    EXPECT_EQ(cost_of(format.name, analysis, {}).bytes + flags,
              static_cast<double>(format.make({block, {}, {}, host})->footprint().bytes))
        << name;
  }
  // The other two differ in what only CUDA or only the host needs.
  const double coo = static_cast<double>(
      pick(formats<double>(), "coo", "format").make({block, {}, {}, host})->footprint().bytes);
  EXPECT_EQ(cost_of("coo", analysis, {}).bytes, coo + 8 + 4);  // one carry
  const double hyb = static_cast<double>(
      pick(formats<double>(), "hyb", "format").make({block, {}, {}, host})->footprint().bytes);
  EXPECT_EQ(cost_of("hyb", analysis, {}).bytes,
            hyb - 3 * 8);  // chunks of rows
  for (const char* name : {"biell", "bijad"}) {
    const Format<double> format = pick(formats<double>(), name, "format");
    const Csr<double> sorted = counting_staircase([&] {
      std::vector<lidx> in_order;
      for (const lidx row : format.row_order(block, {})) in_order.push_back(lengths[row]);
      return in_order;
    }());
    const double stored = static_cast<double>(format.make({sorted, {}, {}, host})->footprint().bytes);
    EXPECT_NEAR(cost_of(format.name, analysis, {}).bytes, stored, 0.5 * stored) << name;
  }
}

TEST(FormatRowwise, FootprintsLeaveUnreadPaddingOut) {
  const Csr<double> block = counting_staircase({17, 1});
  const auto host = make_host_backend(DeviceRequest{});
  const auto padded = pick(formats<double>(), "spmv4gpu_padded", "format").make({block, {}, {}, host});
  EXPECT_EQ(padded->footprint().stored_elements, 48);
  EXPECT_EQ(padded->traffic(Update::assign).matrix_bytes, 18 * 12 + 3 * 8 + 2 * 4);
  const auto blocks = pick(formats<double>(), "block", "format").make({block, {}, {}, host});
  EXPECT_EQ(blocks->footprint().stored_elements, 48);
  EXPECT_EQ(blocks->footprint().bytes, 48u * 10 + 76 + 2 * 8);
  EXPECT_EQ(blocks->traffic(Update::assign).matrix_bytes, 18 * 10 + 76 + 2 * 8);
}

}  // namespace
}  // namespace spmv
