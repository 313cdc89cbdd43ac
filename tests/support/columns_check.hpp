// Products with several columns, for every format: at once where it has kernels for that, otherwise by columns.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/backend.hpp"
#include "core/buffer.hpp"
#include "core/reference.hpp"
#include "kernels/by_columns.hpp"
#include "kernels/format.hpp"

namespace spmv::test {

/// Numbers of columns with all widths of loads, and remainders of them.
inline constexpr std::array most_column_counts = {1, 2, 3, 5, 8, 17, 32};

/// All of these, or one by its turn; another one where vectors are long.
inline std::vector<int> column_counts(bool all, std::size_t turn, lidx rows, lidx cols) {
  constexpr lidx long_vector = 10'000;
  if (rows > long_vector) return {6};
  if (cols > long_vector) return {2};
  if (!all) return {most_column_counts[turn % most_column_counts.size()]};
  return {most_column_counts.begin(), most_column_counts.end()};
}

/// Column j is the first times this power of two, exactly: so one reference is enough, and no column passes for another.
template <class T>
RealOf<T> factor_of_column(int j) {
  return std::ldexp(RealOf<T>(j % 2 == 0 ? 1 : -1), j - most_columns / 2);
}

/// Checks products of one block whose first column has this reference.
template <class T>
class ColumnsCheck {
 public:
  /// `x`: the first column, NaN where the block reads none.
  ColumnsCheck(std::vector<T> x, const Reference<T>& reference, const std::shared_ptr<Backend>& backend)
      : x_(std::move(x)),
        rows_(static_cast<lidx>(reference.y.size())),
        backend_(backend),
        assigned_(reference),
        added_(reference),
        queue_(backend->make_queue(Priority::normal)) {
    for (lidx row = 0; row < rows_; ++row) {
      added_.y[row] += before(row);
      added_.bound[row] += 2 * std::numeric_limits<RealOf<T>>::epsilon() * std::abs(added_.y[row]);
    }
  }

  /// Fails unless `op` computes y (+)= A x of k columns in the rows of y that `row_list` names (empty: all) and leaves the others
  /// alone. With `update` assign, the old y must not matter.
  void operator()(const LocalOperator<T>& op, const std::vector<lidx>& row_list, Update update, int k) const {
    SCOPED_TRACE(std::to_string(k) + " columns");
    const T untouched(77), poison(std::numeric_limits<RealOf<T>>::quiet_NaN());
    const bool adds = update == Update::add;
    const lidx y_rows = rows_ * (row_list.empty() ? 1 : 2);
    const auto margin = static_cast<std::size_t>(8) * k;  // before and after the vectors
    const auto place = [&](lidx row) {
      return margin + static_cast<std::size_t>(row_list.empty() ? row : row_list[row]) * k;
    };
    std::vector<RealOf<T>> factor(static_cast<std::size_t>(k));
    for (int j = 0; j < k; ++j) factor[j] = factor_of_column<T>(j);
    std::vector<T> x(x_.size() * k + 2 * margin, poison);
    for (std::size_t i = 0; i < x_.size(); ++i)
      for (int j = 0; j < k; ++j) x[margin + i * k + j] = x_[i] * factor[j];
    std::vector<T> y(static_cast<std::size_t>(y_rows) * k + 2 * margin, untouched);
    for (lidx row = 0; row < rows_; ++row)
      for (int j = 0; j < k; ++j) y[place(row) + j] = adds ? before(row) * factor[j] : poison;

    const Buffer<T> device_x = upload(backend_, x.data(), x.size());
    Buffer<T> device_y = upload(backend_, y.data(), y.size());
    Buffer<T> x_column(backend_, x_.size(), Memory::device), y_column(backend_, y_rows, Memory::device);
    const T* const from = device_x.data() + margin;
    T* const to = device_y.data() + margin;
    if (op.takes_columns())
      op.apply_columns(*queue_, from, to, k, update);
    else
      apply_by_columns(op, *queue_, from, to, k, update, {x_column.data(), cols(), y_column.data(), y_rows});
    queue_->synchronize();
    download(*backend_, y.data(), device_y.data(), y.size());

    std::vector<T> product(static_cast<std::size_t>(rows_));
    for (int j = 0; j < k; ++j) {
      for (lidx row = 0; row < rows_; ++row) {
        product[row] = y[place(row) + j] / factor[j];
        y[place(row) + j] = untouched;
      }
      const Mismatch mismatch = compare(product.data(), adds ? added_ : assigned_);
      EXPECT_EQ(mismatch.rows_wrong, 0) << "column " << j << ", worst is row " << mismatch.worst_row << ", "
                                        << mismatch.worst_ratio << " times the bound";
    }
    EXPECT_EQ(std::count(y.begin(), y.end(), untouched), static_cast<std::ptrdiff_t>(y.size()))
        << "elements outside the row list changed";
  }

 private:
  static T before(lidx row) { return T(static_cast<RealOf<T>>(row % 5 - 2)); }
  lidx cols() const { return static_cast<lidx>(x_.size()); }

  std::vector<T> x_;
  lidx rows_;
  std::shared_ptr<Backend> backend_;
  Reference<T> assigned_, added_;
  std::unique_ptr<Queue> queue_;
};

}  // namespace spmv::test
