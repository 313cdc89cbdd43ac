// Products with several vectors by formats that take one at a time: column after column of a multivector.
#pragma once

#include "core/backend.hpp"
#include "core/types.hpp"
#include "kernels/local_operator.hpp"

namespace spmv {

/// Queues column[i] = multi[i * k + j] for i < count. Device memory; the two do not overlap. Local; returns when queued.
template <class T>
void take_column(Queue& queue, const T* multi, int k, int j, lidx count, T* column);

/// Queues multi[i * k + j] = column[i] for i < count. Otherwise as take_column().
template <class T>
void put_column(Queue& queue, const T* column, lidx count, T* multi, int k, int j);

/// Two vectors in device memory that apply_by_columns() uses as it likes.
template <class T>
struct ColumnScratch {
  T* x;
  lidx x_count;  // elements of x that the operator reads at most
  T* y;
  lidx y_count;  // rows of y, whether the operator writes them or not
};

/// LocalOperator::apply_columns() of any format: reads the block once for every column. Rows outside the operator's row list keep
/// their values. Local; returns when queued.
template <class T>
void apply_by_columns(const LocalOperator<T>& op, Queue& queue, const T* x, T* y, int k, Update update,
                      const ColumnScratch<T>& scratch);

}  // namespace spmv
