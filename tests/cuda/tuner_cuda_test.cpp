// A choice of format and options with all its trials, on a GPU.
#include <algorithm>
#include <string>

#include "core/pick.hpp"
#include "support/check_choice.hpp"
#include "support/cuda_test.hpp"

namespace spmv::test {
namespace {

using ChooseFormatCuda = CudaTest<double>;

/// 60,000 rows of 1 to `most` nonzeros in turns, columns anywhere in the block.
Pattern rows_of_up_to(lidx most) {
  constexpr lidx rows = 60'000;
  Pattern pattern{"rows of up to " + std::to_string(most), rows, {}};
  for (lidx i = 0; i < rows; ++i) {
    pattern.rows.emplace_back();
    for (lidx k = 0; k < 1 + (i * 7) % most; ++k) pattern.rows.back().push_back((i * 37 + k * 977) % rows);
  }
  return pattern;
}

// The tuner tries options on the arrays of the best format, so the order of rows must stay.
TEST_F(ChooseFormatCuda, OtherLaunchesKeepTheOrderOfRows) {
  bool sorted = false;
  for (const lidx most : {9, 25, 61, 120}) {
    const Pattern pattern = rows_of_up_to(most);
    SCOPED_TRACE(pattern.name);
    const Csr<double> block = make_block<double>(pattern);
    TuneRequest request;
    request.products = 1e12;  // all trials are worth it, and no format has too many bytes
    request.bandwidth = 1e14;
    request.options.sigma = 256;  // formats that can sort, do
    request.options.popular_first = true;
    request.fixed = {"sigma", "popular_first"};
    const Choice<double> choice = choose_format<double>({block, {}, {}, backend_, true}, request, {});
    const bool launched =
        std::any_of(choice.decision.trials.begin(), choice.decision.trials.end(), [](const FormatTrial& t) {
          return t.measured_s > 0 && (t.options.threads_per_block > 0 || t.options.threads_per_row > 0);
        });
    EXPECT_TRUE(launched || tunable_options(choice.decision.format, false).empty()) << choice.decision.reason;
    sorted |= launched && !choice.row_order.empty();
    check_choice(choice, block, backend_);
  }
  if (!sorted) GTEST_SKIP() << "all of these blocks were fastest in natural order on this GPU";
}

// Formats that sum within the product, and others that do it afterwards.
TEST_F(ChooseFormatCuda, ProductsAreTimedWithTheirSums) {
  const Csr<double> block = make_block<double>(rows_of_up_to(25));
  TuneRequest request;
  request.products = 1e12;
  request.bandwidth = 1e14;
  const std::string plain =
      choose_format<double>({block, {}, {}, backend_, true}, request, {}).decision.signature;
  request.sums = true;
  const Choice<double> choice = choose_format<double>({block, {}, {}, backend_, true}, request, {});
  EXPECT_NE(choice.decision.signature, plain);
  for (const bool sums : {true, false})
    EXPECT_TRUE(std::any_of(choice.decision.trials.begin(), choice.decision.trials.end(),
                            [&](const FormatTrial& t) {
                              return t.measured_s > 0 &&
                                     pick(formats<double>(), t.format, "format").sums == sums;
                            }))
        << (sums ? "sums" : "does not sum");
  check_choice(choice, block, backend_);
}

TEST_F(ChooseFormatCuda, AChoiceForAnyBlockCountsSumsIfItWasMadeWithThem) {
  const Csr<double> block = make_block<double>(rows_of_up_to(9));
  TuneRequest request;
  request.products = 1e6;
  request.bandwidth = 1e12;
  RememberedChoice choice{"", "sell", {}, 5e-6, 1e6};
  for (const bool made_with : {false, true})
    for (const bool wanted : {false, true}) {
      choice.sums = made_with;
      request.sums = wanted;
      const bool taken =
          choose_format<double>({block, {}, {}, backend_, true}, request, {choice}).decision.remembered;
      EXPECT_EQ(taken, made_with || !wanted);
    }
}

}  // namespace
}  // namespace spmv::test
