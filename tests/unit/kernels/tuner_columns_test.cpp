// Format auto for products of several columns: what is timed, and what is remembered.
#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/tune/product_timer.hpp"
#include "kernels/tune/signature.hpp"
#include "kernels/tune/tuner.hpp"
#include "support/check_choice.hpp"
#include "support/format_battery.hpp"

namespace spmv::test {
namespace {

Pattern grid(lidx rows) {
  return grid_pattern("grid", 50, rows / 50);
}

TuneRequest request(double products, int columns) {
  TuneRequest r;
  r.products = products;
  r.bandwidth = 10e9;
  r.columns = columns;
  return r;
}

Choice<double> choose_for(const Csr<double>& block, const TuneRequest& r,
                          const std::vector<RememberedChoice>& remembered = {}) {
  return choose_format<double>({block, {}, {}, make_host_backend({}), true}, r, remembered);
}

/// Counts how it is asked to multiply, and touches all elements of all columns.
class CountingOperator : public LocalOperator<double> {
 public:
  CountingOperator(lidx rows, lidx cols, bool together) : rows_(rows), cols_(cols), together_(together) {}
  void apply(Queue& queue, const double* x, double* y, Update update) const override {
    ++one_by_one;
    touch(queue, x, y, 1, update);
  }
  bool takes_columns() const override { return together_; }
  void apply_columns(Queue& queue, const double* x, double* y, int k, Update update) const override {
    columns.insert(k);
    touch(queue, x, y, k, update);
  }
  Traffic traffic(Update) const override { return {}; }
  Footprint footprint() const override { return {}; }
  mutable int one_by_one = 0;
  mutable std::set<int> columns;

 private:
  void touch(Queue& queue, const double* x, double* y, int k, Update update) const {
    EXPECT_EQ(update, Update::assign);
    queue.run([x, y, all_x = cols_ * k, all_y = rows_ * k] {
      std::fill(y, y + all_y, std::accumulate(x, x + all_x, 0.0));
    });
  }
  lidx rows_, cols_;
  bool together_;
};

bool formats_of_columns(const std::string& name) {
  return pick(formats<double>(), name, "format").columns;
}

TEST(TunerOfColumns, ProductsOfSeveralColumnsAreTimed) {
  const Csr<double> block = make_block<double>(grid(500));
  ProductTimer<double> timer({block, {}, {}, make_host_backend({}), true}, {.columns = 8});
  const CountingOperator together(500, 500, true), apart(500, 500, false);
  EXPECT_GT(timer.measure(together, 1e-6), 0);
  EXPECT_EQ(together.columns, std::set<int>{8});
  EXPECT_EQ(together.one_by_one, 0);
  EXPECT_GT(timer.measure(apart, 1e-6), 0);
  EXPECT_TRUE(apart.columns.empty());
  EXPECT_GE(apart.one_by_one, 8 * (warm_up_products + timed_batches));
  EXPECT_EQ(apart.one_by_one % 8, 0);
}

TEST(TunerOfColumns, AChoiceForSeveralColumnsIsItsOwn) {
  const Csr<double> block = make_block<double>(grid(2000));
  const TuneRequest one = request(1e5, 1), eight = request(1e5, 8);
  const Choice<double> choice = choose_for(block, eight);
  ASSERT_GT(choice.decision.measured_s, 0);
  EXPECT_EQ(choice.decision.signature, signature(block, {}, {}, {.columns = 8}));
  EXPECT_NE(choice.decision.reason.find(" of 8 columns"), std::string::npos) << choice.decision.reason;
  check_choice(choice, block, make_host_backend({}));
  const Choice<double> plain = choose_for(block, one);
  EXPECT_EQ(plain.decision.reason.find("columns"), std::string::npos) << plain.decision.reason;
  const auto& of_one = plain.decision.trials.front();
  const auto& of_eight = choice.decision.trials.front();
  EXPECT_EQ(of_one.format, "csr");
  EXPECT_EQ(of_eight.format, "csr");
  EXPECT_LT(of_one.predicted.seconds, of_eight.predicted.seconds);
  EXPECT_LT(of_one.cost.moved_bytes, of_eight.cost.moved_bytes);

  RememberedChoice for_one{signature(block, {}, {}), "sell", {}, 1e-12, 1e5};
  RememberedChoice for_eight{choice.decision.signature, "sell", {}, 1e-12, 1e5, false, 8};
  for (const bool any_block : {false, true}) {
    if (any_block) for_one.signature = for_eight.signature = "";
    EXPECT_TRUE(choose_for(block, one, {for_one}).decision.remembered);
    EXPECT_FALSE(choose_for(block, eight, {for_one}).decision.remembered);
    EXPECT_FALSE(choose_for(block, one, {for_eight}).decision.remembered);
    EXPECT_TRUE(choose_for(block, eight, {for_eight}).decision.remembered);
  }
}

TEST(TunerOfColumns, FewColumnsAreTriedOneAfterAnother) {
  const Csr<double> block = make_block<double>(grid(500));
  const CountingOperator together(500, 500, true), apart(500, 500, false);
  for (const int k : {1, 2, 4, 5, 32}) {
    const ProductTimer<double> timer({block, {}, {}, make_host_backend({}), true}, {.columns = k});
    EXPECT_EQ(timer.may_be_faster_apart(together), k == 2 || k == 4) << k;
    EXPECT_FALSE(timer.may_be_faster_apart(apart)) << k;
  }
}

/// Whatever a trial found, the operator does what the decision says, and a choice that is remembered does it again.
TEST(TunerOfColumns, OneAfterAnotherIsPartOfTheChoice) {
  const Csr<double> block = make_block<double>(grid(2000));
  const TuneRequest three = request(1e5, 3);
  const Choice<double> choice = choose_for(block, three);
  ASSERT_GT(choice.decision.measured_s, 0);
  EXPECT_EQ(choice.op->takes_columns(),
            formats_of_columns(choice.decision.format) && !choice.decision.columns_apart);
  EXPECT_EQ(choice.decision.reason.find("one column after another") != std::string::npos,
            choice.decision.columns_apart)
      << choice.decision.reason;
  check_choice(choice, block, make_host_backend({}));
  RememberedChoice known{choice.decision.signature, "sell", {}, 1e-12, 1e5, false, 3};
  for (const bool apart : {true, false}) {
    known.columns_apart = apart;
    const Choice<double> again = choose_for(block, three, {known});
    EXPECT_TRUE(again.decision.remembered);
    EXPECT_EQ(again.decision.columns_apart, apart);
    EXPECT_EQ(again.op->takes_columns(), !apart);
    EXPECT_EQ(again.op->traffic(Update::assign, 3).matrix_bytes,
              (apart ? 3 : 1) * again.op->traffic(Update::assign).matrix_bytes);
    check_choice(again, block, make_host_backend({}));
  }
}

}  // namespace
}  // namespace spmv::test
