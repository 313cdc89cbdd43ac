#include "kernels/tune/tuner.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/pick.hpp"
#include "core/reference.hpp"
#include "kernels/row_order.hpp"
#include "kernels/tune/product_timer.hpp"
#include "kernels/tune/signature.hpp"
#include "support/check_choice.hpp"
#include "support/format_battery.hpp"
#include "support/matrix_market.hpp"

namespace spmv::test {
namespace {

Pattern stencil(lidx rows) {
  Pattern pattern{"stencil", rows, {}};
  for (lidx i = 0; i < rows; ++i) {
    pattern.rows.emplace_back();
    for (const lidx d : {-50, -1, 0, 1, 50})
      if (i + d >= 0 && i + d < rows) pattern.rows[i].push_back(i + d);
  }
  return pattern;
}

/// One row of 5000 nonzeros, all others with 1: too large if padded to the longest.
Pattern one_long_row() {
  Pattern pattern = diagonal_pattern("one long row", 5000, 5000, {0});
  for (lidx col = 0; col < 5000; ++col)
    if (col != 17) pattern.rows[17].push_back(col);
  return pattern;
}

TuneRequest request(double products) {
  TuneRequest r;
  r.products = products;
  r.bandwidth = 10e9;
  return r;
}

Choice<double> choose(const Csr<double>& block, const TuneRequest& r,
                      const std::vector<RememberedChoice>& remembered = {}) {
  return choose_format<double>({block, {}, {}, make_host_backend({}), true}, r, remembered);
}

std::size_t measured(const Decision& decision) {
  return static_cast<std::size_t>(std::count_if(decision.trials.begin(), decision.trials.end(),
                                                [](const FormatTrial& t) { return t.measured_s > 0; }));
}

void check(const Choice<double>& choice, const Csr<double>& block) {
  check_choice(choice, block, make_host_backend({}));
}

TEST(Tuner, OneProductIsCsrWithoutTrials) {
  const Csr<double> block = make_block<double>(stencil(2000));
  const Choice<double> choice = choose(block, request(1));
  EXPECT_EQ(choice.decision.format, "csr");
  EXPECT_EQ(measured(choice.decision), 0u);
  EXPECT_EQ(choice.decision.spent_s, 0);
  check(choice, block);
}

TEST(Tuner, LooksWhereAThirdOfTheProductsTakesLongerThanLooking) {
  Device gpu{false, 4e12, 16};
  const auto worth_it = [&gpu](lidx rows, offset nonzeros, double products) {
    return is_worth_looking(rows, nonzeros, sizeof(double), products, gpu);
  };
  // 30 million nonzeros at 12 bytes and 4 TB/s take at least 100 us; analysing them takes 15 ms.
  EXPECT_FALSE(worth_it(1'000'000, 30'000'000, 100));
  EXPECT_TRUE(worth_it(1'000'000, 30'000'000, 1000));
  // The product of even a tiny block takes microseconds.
  EXPECT_FALSE(worth_it(2000, 10'000, 1000));
  EXPECT_TRUE(worth_it(2000, 10'000, 10'000));
  gpu.bandwidth = 0;  // not measured
  EXPECT_TRUE(worth_it(2000, 10'000, 1));
  const Device host{true, 1e10, 2};
  EXPECT_TRUE(is_worth_looking(2000, 10'000, sizeof(double), 1, host));
}

TEST(Tuner, ProductsOfLikeRowsOnAGpuAreThoseOfCsrVector) {
  const Device gpu{false, 3e12, 16}, host{true, 1e10, 2};
  const Csr<double> like = make_block<double>(stencil(2000));
  EXPECT_STREQ(plain_format(like, gpu), "csr_vector");
  EXPECT_STREQ(plain_format(like, host), "csr");
  EXPECT_STREQ(plain_format(make_block<double>(one_long_row()), gpu), "csr");
  EXPECT_STREQ(plain_format(Csr<double>{}, gpu), "csr");
}

// Uses the built-in paces; only bytes take time.
TEST(Tuner, FormatsReachDifferentPartsOfACachesBandwidthAndTheSameOfMemorys) {
  const Device gpu{false, 3e12, 16};
  const auto predicted = [&gpu](const char* format, double moved_bytes) {
    Cost cost;
    cost.moved_bytes = moved_bytes;
    return predict(format, cost, {}, Analysis{}, gpu);
  };
  EXPECT_LT(predicted("csr_vector", 2e7).seconds, predicted("csr", 2e7).seconds);
  EXPECT_LT(predicted("csr", 2e7).seconds, predicted("csr_scalar", 2e7).seconds);
  EXPECT_EQ(predicted("csr_vector", 2e7).at_least, predicted("csr", 2e7).at_least);
  EXPECT_LT(predicted("csr_vector", 2e7).at_least, predicted("csr_vector", 2e7).seconds);
  EXPECT_EQ(predicted("csr_vector", 2e8).seconds, predicted("csr", 2e8).seconds);
}

TEST(Tuner, ManyProductsMeasureAndMultiplyRight) {
  for (const Pattern& pattern : {stencil(3000), one_long_row(), block_pattern("blocks", 600, 3, false)}) {
    SCOPED_TRACE(pattern.name);
    const Csr<double> block = make_block<double>(pattern);
    // A device so fast that bytes rule out no candidate on any machine, and enough products for all trials.
    TuneRequest fast = request(1e12);
    fast.bandwidth = 1e13;
    const Choice<double> choice = choose(block, fast);
    EXPECT_GE(measured(choice.decision), 2u) << choice.decision.reason;
    EXPECT_GT(choice.decision.measured_s, 0);
    EXPECT_GT(choice.decision.spent_s, 0);
    for (const FormatTrial& trial : choice.decision.trials) {
      EXPECT_NE(trial.measured_s > 0, !trial.reason.empty()) << trial.format << ": " << trial.reason;
      if (trial.measured_s == 0) continue;
      EXPECT_GE(trial.measured_s, choice.decision.measured_s * 0.98) << trial.format;
    }
    check(choice, block);
  }
}

TEST(Tuner, EveryBlockOfTheBatteryWithAndWithoutTrials) {
  for (const Pattern& pattern : block_patterns()) {
    SCOPED_TRACE(pattern.name);
    const Csr<double> block = make_block<double>(pattern);
    for (const double products : {1.0, 2e4}) {
      const auto list = sparse_row_list(block.rows);
      TuneRequest untried = request(products);
      untried.trials = false;
      const auto backend = make_host_backend({});
      const Choice<double> choice = choose_format<double>({block, list, {}, backend}, untried, {});
      EXPECT_EQ(measured(choice.decision), 0u);
      const Csr<double> moved = choice.row_order.empty() ? block : permute_rows(block, choice.row_order);
      ProductCheck(moved, false, backend)(*choice.op, reorder(list, choice.row_order), Update::add);
      const bool square = block.rows == block.cols;
      const Choice<double> tried =
          choose_format<double>({block, {}, {}, backend, square}, request(products), {});
      if (square) check(tried, block);
    }
  }
}

TEST(Tuner, FixedOptionsStayAndReachEveryCandidate) {
  const Csr<double> block = make_block<double>(one_long_row());
  TuneRequest r = request(1e6);
  r.options.sigma = 64;
  r.options.chunk_rows = 8;
  r.fixed = {"sigma", "chunk_rows"};
  const Choice<double> choice = choose(block, r);
  for (const FormatTrial& trial : choice.decision.trials) {
    EXPECT_EQ(trial.options.sigma, 64) << trial.format;
    EXPECT_EQ(trial.options.chunk_rows, 8) << trial.format;
  }
  EXPECT_EQ(choice.decision.options.sigma, 64);
}

TEST(Tuner, WhatIsMeasuredIsSignedToBeRemembered) {
  const Csr<double> block = make_block<double>(stencil(2000));
  const TuneRequest many = request(1e6);
  const Decision measured = choose(block, many).decision;
  ASSERT_GT(measured.measured_s, 0);
  EXPECT_EQ(measured.signature, signature(block, many.options, many.fixed));
  const Decision predicted = choose(block, request(1)).decision;
  EXPECT_EQ(predicted.measured_s, 0);
  EXPECT_EQ(predicted.signature, "");
}

TEST(Tuner, ARememberedChoiceIsTakenWithoutTrials) {
  const Csr<double> block = make_block<double>(stencil(2000));
  const TuneRequest r = request(1e5);
  RememberedChoice remembered{signature(block, r.options, r.fixed), "sell_packed", {}, 1e-12, 1e5};
  remembered.options.sigma = 128;  // its time is too short for any measurement here to contradict it
  const Choice<double> choice = choose(block, r, {remembered});
  EXPECT_EQ(choice.decision.format, "sell_packed");
  EXPECT_EQ(choice.decision.options.sigma, 128);
  EXPECT_TRUE(choice.decision.remembered);
  EXPECT_TRUE(choice.decision.trials.empty());
  EXPECT_NE(choice.decision.reason.find("remembered"), std::string::npos) << choice.decision.reason;
  check(choice, block);

  EXPECT_FALSE(choose(block, request(1), {remembered}).decision.remembered)
      << "one product is not worth a conversion";
  EXPECT_FALSE(choose(make_block<double>(stencil(2001)), r, {remembered}).decision.remembered);
  remembered.signature.clear();
  EXPECT_TRUE(choose(make_block<double>(stencil(2001)), r, {remembered}).decision.remembered)
      << "without a signature it is for any block";
}

TEST(Tuner, ATimeThatWasTakenOnABusyMachineIsNotTrusted) {
  const Csr<double> block = make_block<double>(stencil(2000));
  const TuneRequest r = request(1e5);
  const double seconds = 10;  // more than twice the time on any machine
  RememberedChoice remembered{signature(block, r.options, r.fixed), "hyb", {}, seconds, 1e5};
  const Choice<double> choice = choose(block, r, {remembered});
  EXPECT_FALSE(choice.decision.remembered);
  EXPECT_NE(choice.decision.format, "hyb") << "hyb is no candidate, so the tuner must have chosen again";
  EXPECT_NE(choice.decision.reason.find("hyb was remembered"), std::string::npos) << choice.decision.reason;
  check(choice, block);
  TuneRequest untried = r;
  untried.trials = false;
  EXPECT_TRUE(choose(block, untried, {remembered}).decision.remembered)
      << "without trials the remembered choice must be trusted";
}

TEST(Tuner, ARefusedRememberedChoiceIsChosenAnew) {
  const Csr<double> block = make_block<double>(stencil(2000));
  const TuneRequest r = request(1);
  RememberedChoice remembered{signature(block, r.options, r.fixed), "sell", {}, 5e-6, 1};
  remembered.options.chunk_rows = 33;  // not a power of two
  const Choice<double> choice = choose(block, r, {remembered});
  EXPECT_EQ(choice.decision.format, "csr");
  EXPECT_FALSE(choice.decision.remembered);
}

// During trials the block stays on the device; afterwards nothing of it remains there.
TEST(Tuner, TheBlockIsOnTheDeviceWhileTrialsLast) {
  const auto backend = make_debug_backend({});
  const Csr<double> block = make_block<double>(stencil(60'000));
  const auto is_kept = [&](const auto& array) {
    return backend->kept_copy(array.data(), array.size() * sizeof(array[0])) != nullptr;
  };
  {
    ProductTimer<double> timer({block, {}, {}, backend, true});
    timer.keep_block_on_device();
    EXPECT_TRUE(is_kept(block.value));
    EXPECT_TRUE(is_kept(block.col));
    EXPECT_FALSE(is_kept(block.row_ptr)) << "keeping less than a megabyte gains nothing";
    EXPECT_TRUE(timer.drop_block_on_device());
    EXPECT_FALSE(is_kept(block.value));
    EXPECT_FALSE(timer.drop_block_on_device()) << "the block was already dropped";
    timer.keep_block_on_device();
  }
  EXPECT_FALSE(is_kept(block.value));
  const Choice<double> choice = choose_format<double>({block, {}, {}, backend, true}, request(1e5), {});
  EXPECT_GT(measured(choice.decision), 1U);
  EXPECT_FALSE(is_kept(block.value));
  check_choice(choice, block, backend);
}

TEST(Tuner, RowsMayWriteFarBehindTheBlock) {
  const Csr<double> block = make_block<double>(stencil(2000));
  std::vector<lidx> row_list(2000);
  std::iota(row_list.begin(), row_list.end(), 30'000'000);
  TuneRequest r = request(1e9);
  r.bandwidth = 1e15;  // so that bytes alone rule out no format
  const Choice<double> choice = choose_format<double>({block, row_list, {}, make_host_backend({})}, r, {});
  EXPECT_GT(measured(choice.decision), 1u);
}

TEST(Signature, DiffersWhereThePatternDoes) {
  const Csr<double> block = make_block<double>(stencil(300));
  const std::string mine = signature(block, {}, {});
  EXPECT_EQ(signature(block, {}, {}), mine);
  Csr<double> other = block;
  std::swap(other.col[10], other.col[11]);
  EXPECT_NE(signature(other, {}, {}), mine) << "columns";
  other = block;
  other.row_ptr[5] += 1;
  EXPECT_NE(signature(other, {}, {}), mine) << "row lengths";
  other = block;
  other.cols += 1;
  EXPECT_NE(signature(other, {}, {}), mine) << "size";
  other = block;
  std::fill(other.value.begin(), other.value.end(), 1.0);
  EXPECT_NE(signature(other, {}, {}), mine) << "kind of values";
  EXPECT_NE(signature(make_block<float>(stencil(300)), {}, {}), mine) << "type of values";
  FormatOptions options;
  options.sigma = 8;
  EXPECT_EQ(signature(block, options, {}), mine);
  EXPECT_NE(signature(block, options, {"sigma"}), mine) << "fixed options";
  EXPECT_NE(signature(block, {}, {}, {.sums = true}), mine) << "sums";
  EXPECT_EQ(signature(block, {}, {}, {.columns = 1}), mine);
  EXPECT_NE(signature(block, {}, {}, {.columns = 8}), mine) << "columns";
  EXPECT_NE(signature(block, {}, {}, {.columns = 8}), signature(block, {}, {}, {.columns = 2}));
}

// For this many rows only some row ends are sampled; unless the sample has both odd and even rows,
// alternating lengths look like equal ones.
TEST(Signature, DiffersWhereRowsTakeTurns) {
  const auto alternating = [](offset shorter) {
    Csr<double> block;
    block.rows = 200'000;
    block.cols = 1;
    for (lidx i = 0; i < block.rows; ++i)
      block.row_ptr.push_back(block.row_ptr.back() + (i % 2 == 0 ? shorter : 8 - shorter));
    block.col.assign(static_cast<std::size_t>(block.row_ptr.back()), 0);
    block.value.assign(block.col.size(), 1.0);
    return signature(block, {}, {});
  };
  EXPECT_NE(alternating(1), alternating(4));
}

// Whoever adds a member to FormatOptions must add its name here, and then sees that option_fields() lacks it.
// Without its row the command line, --help, the cache and comparisons would ignore it.
TEST(OptionFields, EveryMemberHasARow) {
  [[maybe_unused]] const auto& [block_rows, chunk_rows, sigma, threads_per_row, threads_per_block, unroll,
                                popular_first, entry_block] = FormatOptions{};
  EXPECT_EQ(option_fields().size(), 8u);
  for (const OptionField& field : option_fields()) {
    SCOPED_TRACE(field.name);
    FormatOptions options;
    const int other = field.get(options) == 0 ? 1 : 0;
    field.set(options, other);
    EXPECT_EQ(field.get(options), other);
    int changed = 0;
    for (const OptionField& each : option_fields()) changed += each.get(options) != each.get({}) ? 1 : 0;
    EXPECT_EQ(changed, 1) << "two rows for one member";
    EXPECT_TRUE(field.is_switch || !field.allowed.empty() || field.least < field.most);
  }
}

TEST(OptionFields, DescribeWhatDiffersFromTheDefaults) {
  FormatOptions options;
  EXPECT_EQ(describe(options), "");
  options.sigma = 1024;
  options.threads_per_row = 4;
  EXPECT_EQ(describe(options), "sigma 1024, threads_per_row 4");
  EXPECT_FALSE(same(options, {}));
  EXPECT_TRUE(same(options, options));
}

}  // namespace
}  // namespace spmv::test
