// Products with several columns, for every format: at once where it has kernels for that, otherwise by columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "core/backend.hpp"
#include "core/buffer.hpp"
#include "core/reference.hpp"
#include "kernels/by_columns.hpp"
#include "kernels/format.hpp"

namespace spmv::test {

/// Columns to multiply with: all widths of loads and remainders of them. Few where vectors are long.
inline std::vector<int> column_counts(lidx rows, lidx cols) {
  constexpr lidx long_vector = 10'000;
  return std::max(rows, cols) > long_vector ? std::vector<int>{6} : std::vector<int>{1, 2, 3, 5, 8, 17, 32};
}

/// Column j is the first times this power of two, exactly: so one reference is enough, and no column passes for another.
template <class T>
RealOf<T> factor_of_column(int j) {
  return std::ldexp(RealOf<T>(j % 2 == 0 ? 1 : -1), j - most_columns / 2);
}

/// A multivector of k columns on the device, NaN around it, of the vector `one`.
template <class T>
class PoisonedColumns {
 public:
  PoisonedColumns(const std::vector<T>& one, int k, const std::shared_ptr<Backend>& backend)
      : margin_(static_cast<std::size_t>(8) * k) {
    std::vector<T> host(one.size() * k + 2 * margin_, T(std::numeric_limits<RealOf<T>>::quiet_NaN()));
    for (std::size_t i = 0; i < one.size(); ++i)
      for (int j = 0; j < k; ++j) host[margin_ + i * k + j] = one[i] * factor_of_column<T>(j);
    buffer_ = upload(backend, host.data(), host.size());
  }
  const T* data() const { return buffer_.data() + margin_; }

 private:
  std::size_t margin_;
  Buffer<T> buffer_;
};

/// Checks products of one block whose first column has this reference.
template <class T>
class ColumnsCheck {
 public:
  /// `x`: the first column, NaN where the block reads none.
  ColumnsCheck(const std::vector<T>& x, Reference<T> reference, const std::shared_ptr<Backend>& backend)
      : cols_(static_cast<lidx>(x.size())),
        backend_(backend),
        reference_(std::move(reference)),
        queue_(backend->make_queue(Priority::normal)) {
    const auto rows = static_cast<lidx>(reference_.y.size());
    for (const int k : column_counts(rows, cols_)) multi_.push_back({k, PoisonedColumns<T>(x, k, backend)});
  }

  /// Fails unless `op` computes y (+)= A x in the rows of y that `row_list` names (empty: all) and leaves the others alone, for
  /// all numbers of columns. With `update` assign, the old y must not matter.
  void operator()(const LocalOperator<T>& op, const std::vector<lidx>& row_list, Update update) const {
    for (const auto& [k, x] : multi_) check(op, row_list, update, k, x.data());
  }

 private:
  struct Multi {
    int k;
    PoisonedColumns<T> x;
  };

  static T before(lidx row, int j) { return T(static_cast<RealOf<T>>(row % 5 - 2)) * factor_of_column<T>(j); }

  void check(const LocalOperator<T>& op, const std::vector<lidx>& row_list, Update update, int k,
             const T* x) const {
    SCOPED_TRACE(std::to_string(k) + " columns");
    const T untouched(77);
    const auto rows = static_cast<lidx>(reference_.y.size());
    const lidx y_rows = rows * (row_list.empty() ? 1 : 2);
    const auto margin = static_cast<std::size_t>(8) * k;
    const auto place = [&](lidx row, int j) {
      return margin + static_cast<std::size_t>(row_list.empty() ? row : row_list[row]) * k + j;
    };
    std::vector<T> y(static_cast<std::size_t>(y_rows) * k + 2 * margin, untouched);
    for (lidx row = 0; row < rows; ++row)
      for (int j = 0; j < k; ++j)
        y[place(row, j)] =
            update == Update::add ? before(row, j) : T(std::numeric_limits<RealOf<T>>::quiet_NaN());
    Buffer<T> device_y = upload(backend_, y.data(), y.size());
    T* const first = device_y.data() + margin;
    Buffer<T> x_column(backend_, cols_, Memory::device), y_column(backend_, y_rows, Memory::device);
    if (op.takes_columns())
      op.apply_columns(*queue_, x, first, k, update);
    else
      apply_by_columns(op, *queue_, x, first, k, update, {x_column.data(), cols_, y_column.data(), y_rows});
    queue_->synchronize();
    download(*backend_, y.data(), device_y.data(), y.size());

    for (int j = 0; j < k; ++j) {
      std::vector<T> product(static_cast<std::size_t>(rows));
      for (lidx row = 0; row < rows; ++row) {
        product[row] = y[place(row, j)];
        y[place(row, j)] = untouched;
      }
      const Mismatch mismatch = compare(product.data(), reference_of(j, update));
      EXPECT_EQ(mismatch.rows_wrong, 0) << "column " << j << ", worst is row " << mismatch.worst_row << ", "
                                        << mismatch.worst_ratio << " times the bound";
    }
    EXPECT_EQ(y, std::vector<T>(y.size(), untouched)) << "elements outside the row list changed";
  }

  Reference<T> reference_of(int j, Update update) const {
    Reference<T> reference = reference_;
    for (std::size_t row = 0; row < reference.y.size(); ++row) {
      reference.y[row] *= factor_of_column<T>(j);
      reference.bound[row] *= std::abs(factor_of_column<T>(j));
      if (update == Update::assign) continue;
      reference.y[row] += before(static_cast<lidx>(row), j);
      reference.bound[row] += 2 * std::numeric_limits<RealOf<T>>::epsilon() * std::abs(reference.y[row]);
    }
    return reference;
  }

  lidx cols_;
  std::shared_ptr<Backend> backend_;
  Reference<T> reference_;
  std::unique_ptr<Queue> queue_;
  std::vector<Multi> multi_;
};

}  // namespace spmv::test
