// Every format on every block of the battery, on one backend.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/backend.hpp"
#include "core/buffer.hpp"
#include "core/reference.hpp"
#include "kernels/format.hpp"
#include "kernels/tune/candidates.hpp"
#include "support/block_battery.hpp"
#include "support/columns_check.hpp"

namespace spmv::test {

template <class T>
T poison() {
  return T(std::numeric_limits<RealOf<T>>::quiet_NaN());
}

/// x: NaN, unless the format multiplies fill, in every element that the block does not read.
template <class T>
std::vector<T> poisoned_x(const Csr<T>& block, unsigned number, bool multiplies_fill) {
  std::vector<T> x(static_cast<std::size_t>(block.cols), poison<T>());
  for (lidx col = 0; multiplies_fill && col < block.cols; ++col) x[col] = x_value<T>(col, number);
  for (const lidx col : block.col) x[col] = x_value<T>(col, number);
  return x;
}

/// The same on the device, with NaN around the vector.
template <class T>
class PoisonedX {
 public:
  PoisonedX(const Csr<T>& block, unsigned number, bool multiplies_fill,
            const std::shared_ptr<Backend>& backend) {
    std::vector<T> host(margin, poison<T>());
    const std::vector<T> x = poisoned_x(block, number, multiplies_fill);
    host.insert(host.end(), x.begin(), x.end());
    host.resize(host.size() + margin, poison<T>());
    buffer_ = upload(backend, host.data(), host.size());
  }
  const T* data() const { return buffer_.data() + margin; }

 private:
  static constexpr std::size_t margin = 8;
  Buffer<T> buffer_;
};

/// Checks products of one block.
template <class T>
class ProductCheck {
 public:
  ProductCheck(const Csr<T>& block, bool multiplies_fill, const std::shared_ptr<Backend>& backend)
      : rows_(block.rows),
        backend_(backend),
        reference_(reference_product(
            RowBlock<T>{0, block.row_ptr, {block.col.begin(), block.col.end()}, block.value}, number)),
        x_(block, number, multiplies_fill, backend),
        queue_(backend->make_queue(Priority::normal)) {}

  /// Fails unless `op` computes y (+)= A x in the elements of y that `row_list` names (empty: all) and leaves
  /// the others alone. With `update` assign, the old y must not matter.
  void operator()(const LocalOperator<T>& op, const std::vector<lidx>& row_list, Update update) const {
    Reference<T> reference = reference_;
    const T untouched(77);
    const auto target = [&](lidx row) { return row_list.empty() ? row : row_list[row]; };
    std::vector<T> y(static_cast<std::size_t>(rows_) * (row_list.empty() ? 1 : 2), untouched);
    for (lidx row = 0; row < rows_; ++row) {
      const T before(static_cast<RealOf<T>>(row % 5 - 2));
      y[target(row)] = update == Update::add ? before : poison<T>();
      if (update == Update::assign) continue;
      reference.y[row] += before;
      reference.bound[row] += 2 * std::numeric_limits<RealOf<T>>::epsilon() * std::abs(reference.y[row]);
    }
    Buffer<T> device_y = upload(backend_, y.data(), y.size());
    op.apply(*queue_, x_.data(), device_y.data(), update);
    queue_->synchronize();
    download(*backend_, y.data(), device_y.data(), y.size());

    std::vector<T> product(static_cast<std::size_t>(rows_));
    for (lidx row = 0; row < rows_; ++row) {
      product[row] = y[target(row)];
      y[target(row)] = untouched;
    }
    const Mismatch mismatch = compare(product.data(), reference);
    EXPECT_EQ(mismatch.rows_wrong, 0)
        << "worst is row " << mismatch.worst_row << ", " << mismatch.worst_ratio << " times the bound";
    EXPECT_EQ(y, std::vector<T>(y.size(), untouched)) << "elements outside the row list changed";
  }

  /// The same with several columns.
  ColumnsCheck<T> of_columns(const Csr<T>& block, bool multiplies_fill) const {
    return {poisoned_x(block, number, multiplies_fill), reference_, backend_};
  }

 private:
  static constexpr unsigned number = 3;  // of x

  lidx rows_;
  std::shared_ptr<Backend> backend_;
  Reference<T> reference_;
  PoisonedX<T> x_;
  std::unique_ptr<Queue> queue_;
};

/// A row list that skips every other element of y and writes the rest backwards.
inline std::vector<lidx> sparse_row_list(lidx rows) {
  std::vector<lidx> list(rows);
  for (lidx row = 0; row < rows; ++row) list[row] = 2 * (rows - 1 - row) + 1;
  return list;
}

template <class T>
void check_format(const Format<T>& format, const Pattern& pattern, const FormatOptions& options,
                  const std::shared_ptr<Backend>& backend) {
  const Csr<T> block = make_block<T>(pattern, format.row_order(make_block<T>(pattern), options));
  const ProductCheck<T> check(block, format.multiplies_fill, backend);
  const ColumnsCheck<T> check_columns = check.of_columns(block, format.multiplies_fill);
  const std::size_t turn = pattern.name.size() + static_cast<std::size_t>(options.chunk_rows);
  // Column by column is the same code for any number of them.
  const std::vector<int> columns =
      format.columns ? column_counts(same(options, {}), turn, block.rows, block.cols) : std::vector<int>{2};
  for (const std::vector<lidx>& row_list : {std::vector<lidx>{}, sparse_row_list(block.rows)}) {
    const auto op = format.make({block, row_list, options, backend});
    EXPECT_EQ(op->footprint().nonzeros, block.nonzeros());
    EXPECT_GE(op->footprint().stored_elements, block.nonzeros());
    for (const Update update : {Update::assign, Update::add}) {
      SCOPED_TRACE(std::string(format.name) + " on '" + pattern.name + "', " + value_name<T>() +
                   ", options of b_r " + std::to_string(options.block_rows) + ", T " +
                   std::to_string(options.threads_per_row) + (update == Update::add ? ", add" : ", assign") +
                   (row_list.empty() ? "" : ", row list"));
      check(*op, row_list, update);
      for (const int k : columns) check_columns(*op, row_list, update, k);
    }
  }
}

/// The defaults, and options that reach every minimum, every maximum and every conflict.
inline std::vector<FormatOptions> option_battery() {
  return {
      {},
      {.block_rows = 1,
       .chunk_rows = 1,
       .threads_per_row = 1,
       .threads_per_block = 64,
       .unroll = 4,
       .entry_block = 2},
      {.block_rows = 4,
       .chunk_rows = 8,
       .sigma = 16,
       .threads_per_row = 2,
       .threads_per_block = 128,
       .entry_block = 3},
      {.block_rows = 64,
       .chunk_rows = 64,
       .sigma = 1 << 20,
       .threads_per_row = 8,
       .threads_per_block = 512,
       .unroll = 4,
       .entry_block = 5},
      {.sigma = 256, .threads_per_row = 32, .popular_first = true, .entry_block = 6},
  };
}

/// The whole battery for one value type.
template <class T>
void check_all_formats(const std::shared_ptr<Backend>& backend) {
  const std::vector<Pattern> patterns = block_patterns();
  for (const Format<T>& format : formats<T>()) {
    if (!why_unusable(format, *backend).empty()) continue;
    for (const Pattern& pattern : patterns)
      for (const FormatOptions& options : option_battery()) check_format(format, pattern, options, backend);
  }
}

/// Every format on every block, with options taking turns from number `turn` on: for a backend that differs
/// from another only in timing and memory, so that options make no difference.
template <class T>
void check_all_formats_in_turns(const std::shared_ptr<Backend>& backend, std::size_t turn) {
  const std::vector<Pattern> patterns = block_patterns();
  const std::vector<FormatOptions> options = option_battery();
  for (const Format<T>& format : formats<T>()) {
    if (!why_unusable(format, *backend).empty()) continue;
    for (const Pattern& pattern : patterns)
      check_format(format, pattern, options[turn++ % options.size()], backend);
  }
}

/// Fails unless a format built once and relaunched with other launch options gives the same bits as one built
/// with these options, after the original operator is destroyed, and again after both.
template <class T>
void check_relaunched(const std::shared_ptr<Backend>& backend) {
  const Pattern pattern = random_pattern("", 700, 900, [](lidx i) { return i % 23; });
  FormatOptions wanted;
  wanted.threads_per_row = 4;
  wanted.threads_per_block = 64;
  wanted.unroll = 4;
  for (const Format<T>& format : formats<T>()) {
    if (!why_unusable(format, *backend).empty()) continue;
    SCOPED_TRACE(format.name);
    FormatOptions options;
    for (const OptionField& field : option_fields()) {
      FormatOptions one = options;
      field.set(one, field.get(wanted));
      if (need_the_same_arrays(format.name, options, one)) options = one;
    }
    const Csr<T> block = make_block<T>(pattern, format.row_order(make_block<T>(pattern), {}));
    auto op = format.make({block, {}, {}, backend});
    auto other = op->relaunched(options);
    if (same(options, {})) continue;  // the defaults were checked before
    ASSERT_NE(other, nullptr);
    op.reset();
    const auto built = format.make({block, {}, options, backend});
    const auto back = other->relaunched({});
    const auto queue = backend->make_queue(Priority::normal);
    const PoisonedX<T> x(block, 1, format.multiplies_fill, backend);
    const auto product = [&](const LocalOperator<T>& a) {
      Buffer<T> y(backend, static_cast<std::size_t>(block.rows), Memory::device);
      queue->fill(y.data(), 0xff, y.bytes());
      a.apply(*queue, x.data(), y.data(), Update::assign);
      queue->synchronize();
      std::vector<T> result(y.size());
      download(*backend, result.data(), y.data(), result.size());
      return result;
    };
    EXPECT_EQ(product(*other), product(*built));
    EXPECT_EQ(product(*back), product(*format.make({block, {}, {}, backend})));
    const ProductCheck<T> check(block, format.multiplies_fill, backend);
    check(*other, {}, Update::assign);
  }
}

}  // namespace spmv::test
