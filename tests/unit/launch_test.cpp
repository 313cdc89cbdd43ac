// How formats launch their kernels, and where trials of other launches begin.
#include <string>

#include <gtest/gtest.h>

#include "kernels/columns/columns.hpp"
#include "kernels/packed/packed.hpp"
#include "kernels/rows/rows.hpp"
#include "kernels/tune/candidates.hpp"

namespace spmv::test {
namespace {

/// Fails unless the options of `format` are climbed from what its view is launched with, and what is asked for is taken.
template <class View>
void check_launch(const char* format, View view, const Analysis& a, const Footprint& footprint) {
  SCOPED_TRACE(format);
  Candidate c;
  c.format = format;
  ASSERT_TRUE(set_launch(view, c.options, footprint));
  EXPECT_EQ(view.threads_per_row, usual_value("threads_per_row", c, a));
  EXPECT_EQ(view.threads_per_block, usual_value("threads_per_block", c, a));
  c.options.threads_per_row = 16;
  c.options.threads_per_block = 512;
  set_launch(view, c.options, footprint);
  EXPECT_EQ(view.threads_per_row, 16);
  EXPECT_EQ(view.threads_per_block, 512);
}

TEST(Launch, OptionsAreClimbedFromWhatFormatsAreLaunchedWith) {
  for (const lidx rows : {300, 3'000, 60'000, 250'000})
    for (const lidx width : {3, 13, 17, 40}) {
      SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(width));
      Analysis a;
      a.rows = rows;
      a.nonzeros = offset{rows} * width;
      const Footprint footprint{.nonzeros = a.nonzeros, .stored_elements = a.nonzeros};
      CsrView<double> csr{};
      csr.rows = rows;
      csr.threads_per_row = 2;
      check_launch("csr_vector", csr, a, footprint);
      StridedView<double> strided{};
      strided.rows = rows;
      check_launch("ellpack", strided, a, footprint);
      JaggedView<double> jagged{};
      jagged.rows = rows;
      check_launch("pjds", jagged, a, footprint);
      Candidate pjds;
      pjds.format = "pjds";
      set_launch(jagged, {}, footprint);
      EXPECT_EQ(jagged.unroll, usual_value("unroll", pjds, a));
      PackedView<double> packed{};
      packed.rows = packed.block_rows = rows;
      packed.b = 1;
      packed.slices = (rows + slice_rows - 1) / slice_rows;
      check_launch("sell_packed", packed, a, footprint);
    }
}

}  // namespace
}  // namespace spmv::test
