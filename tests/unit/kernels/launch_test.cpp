// The launch options that formats choose; trials of others start from them.
#include <string>

#include <gtest/gtest.h>

#include "core/pick.hpp"
#include "kernels/packed/packed.hpp"
#include "kernels/row_order.hpp"
#include "kernels/tune/candidates.hpp"
#include "support/block_battery.hpp"

namespace spmv::test {
namespace {

const Format<double>& format_named(const std::string& name) {
  return pick(formats<double>(), name, "format");
}

/// 500 rows of `length` nonzeros.
Csr<double> rows_of(lidx length) {
  return make_block<double>(random_pattern("", 500, 300, [length](lidx) { return length; }));
}

/// The launch options with which `format` multiplies such rows when `options` are requested.
FormatOptions launched(const std::string& format, lidx length, const FormatOptions& options = {}) {
  const auto op = format_named(format).make({rows_of(length), {}, options, make_host_backend({})});
  return op->launched_with(options);
}

TEST(Launch, WhatIsLeftToTheFormatSuitsTheMeanRow) {
  EXPECT_EQ(launched("csr_vector", 10).threads_per_row, 4);
  EXPECT_EQ(launched("pjds", 10).threads_per_row, 2);
  EXPECT_EQ(launched("pjds", 15).unroll, 4);
  EXPECT_EQ(launched("pjds", 16).unroll, 8);
  EXPECT_EQ(launched("csr_scalar", 10).threads_per_block, 256);
  EXPECT_EQ(launched("csr_vector", 10).threads_per_block, 128);
  for (const char* columns : {"ellpack", "sell", "pjds", "pellr"})
    EXPECT_EQ(launched(columns, 10).threads_per_block, 128) << columns;
}

TEST(Launch, BlocksOfPackedSlicesAreSmallUnlessTheyHaveManyWarpsOrHeadsAlone) {
  PackedView<double> view{};
  view.rows = view.block_rows = 2000;
  view.b = 1;
  view.slices = 63;
  const auto threads_of_a_block_with = [&view](int threads_per_row) {
    set_launch(view, {.threads_per_row = threads_per_row}, {.stored_elements = 10'000});
    return view.threads_per_block;
  };
  EXPECT_EQ(threads_of_a_block_with(4), 128);
  EXPECT_EQ(threads_of_a_block_with(8), 256);
  view.only_heads = true;
  EXPECT_EQ(threads_of_a_block_with(4), 256);
  view.only_heads = false;
  const SliceGroup group{};
  view.group = &group;
  EXPECT_EQ(threads_of_a_block_with(4), 256);
}

// Trials double and halve the options that the format chose, so the format must report these, and use
// requested ones.
TEST(Launch, WhatCanBeTriedIsKnownAndWhatIsAskedForIsTaken) {
  for (const Format<double>& format : formats<double>())
    for (const std::string& name : tunable_options(format.name, false)) {
      SCOPED_TRACE(std::string(format.name) + ", " + name);
      const OptionField& field = pick(option_fields(), name, "option");
      EXPECT_GT(field.get(launched(format.name, 20)), 0);
      FormatOptions asked;
      field.set(asked, name == "unroll" ? 4 : name == "threads_per_row" ? 16 : 512);
      EXPECT_EQ(field.get(launched(format.name, 20, asked)), field.get(asked));
    }
}

}  // namespace
}  // namespace spmv::test
