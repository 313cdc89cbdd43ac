// A choice among formats and options, with all its trials, on a GPU.
#include <algorithm>

#include "support/check_choice.hpp"
#include "support/cuda_test.hpp"

namespace spmv::test {
namespace {

using ChooseFormatCuda = CudaTest<double>;

// Options of the best format are tried on its arrays: the rows stay in its order.
TEST_F(ChooseFormatCuda, OtherLaunchesKeepTheOrderOfRows) {
  bool sorted = false;
  for (const lidx most : {9, 25, 61, 120}) {
    const Pattern pattern = random_pattern("rows of up to " + std::to_string(most), 60'000, 60'000,
                                           [=](lidx i) { return 1 + (i * 7) % most; });
    SCOPED_TRACE(pattern.name);
    const Csr<double> block = make_block<double>(pattern);
    TuneRequest request;
    request.products = 1e12;  // all trials pay, and none is ruled out by its bytes
    request.bandwidth = 1e14;
    const Choice<double> choice = choose_format<double>(block, true, {}, backend_, request, {});
    const bool launched =
        std::any_of(choice.decision.trials.begin(), choice.decision.trials.end(), [](const FormatTrial& t) {
          return t.measured_s > 0 && (t.options.threads_per_block > 0 || t.options.threads_per_row > 0);
        });
    EXPECT_TRUE(launched || choice.decision.format == "csr" || choice.decision.format == "csr_packed")
        << choice.decision.reason;
    sorted |= launched && !choice.row_order.empty();
    check_choice(choice, block, backend_);
  }
  EXPECT_TRUE(sorted) << "these blocks say nothing of what is tested: all were kept in natural order";
}

}  // namespace
}  // namespace spmv::test
