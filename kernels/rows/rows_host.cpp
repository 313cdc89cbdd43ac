#include <algorithm>
#include <type_traits>

#include <omp.h>

#include "core/value_types.hpp"
#include "kernels/parts/balanced_split.hpp"
#include "kernels/parts/row_product.hpp"
#include "kernels/rows/alike_rows.hpp"
#include "kernels/rows/rows.hpp"
#include "run_best.hpp"

namespace spmv {
namespace {

template <class T>
void store(const CsrView<T>& a, offset row, T sum, T* y, Update update) {
  T& target = y[a.row_list ? a.row_list[row] : row];
  target = update == Update::add ? target + sum : sum;
}

template <bool by_fours, class T>
T product_of_row(const CsrView<T>& a, offset row, const T* x) {
  const offset begin = a.row_ptr[row];
  const offset length = a.row_ptr[row + 1] - begin;
  if constexpr (by_fours)
    return row_product_by_fours(a.value + begin, a.col + begin, length, a.row_ptr[a.rows] - begin, x);
  else
    return row_product(a.value + begin, a.col + begin, length, x);
}

template <bool by_fours, class T>
void multiply_rows(const CsrView<T>& a, offset first, offset last, const T* x, T* y, Update update) {
  for (offset row = first; row < last; ++row) store(a, row, product_of_row<by_fours>(a, row, x), y, update);
}

/// The same, where some rows have the columns of the row before.
template <bool by_fours, class T>
void multiply_alike_rows(const CsrView<T>& a, offset first, offset last, const T* x, T* y, Update update) {
  const auto multiply = [&](auto count, offset row) {
    const offset begin = a.row_ptr[row];
    T sums[count.value];
    alike_rows_product(a.value + begin, a.col + begin, a.row_ptr[row + 1] - begin, x, sums);
    for (int r = 0; r < count.value; ++r) store(a, row + r, sums[r], y, update);
  };
  for (offset row = first; row < last;) {
    int count = 1;
    while (count < most_alike_rows && row + count < last && a.alike[row + count] != 0) ++count;
    switch (count) {
      case 1:
        if constexpr (by_fours)
          store(a, row, product_of_row<by_fours>(a, row, x), y, update);
        else
          multiply(std::integral_constant<int, 1>{}, row);
        break;
      case 2:
        multiply(std::integral_constant<int, 2>{}, row);
        break;
      case 3:
        multiply(std::integral_constant<int, 3>{}, row);
        break;
      case 4:
        multiply(std::integral_constant<int, 4>{}, row);
        break;
      case 5:
        multiply(std::integral_constant<int, 5>{}, row);
        break;
      default:
        multiply(std::integral_constant<int, most_alike_rows>{}, row);
        break;
    }
    row += count;
  }
}

template <bool by_fours, class T>
void multiply_part(const CsrView<T>& a, offset first, offset last, const T* x, T* y, Update update) {
  if (a.alike != nullptr)
    run_best([&] { multiply_alike_rows<by_fours>(a, first, last, x, y, update); });
  else
    run_best([&] { multiply_rows<by_fours>(a, first, last, x, y, update); });
}

}  // namespace

bool pays_by_fours(const RowsShape& shape) {
  // x that a core's second cache keeps beside the rows that pass through it.
  constexpr double own_cache_bytes = 768 << 10;
  constexpr double long_mean = 12, short_mean = 4;
  const bool near = shape.x_bytes <= own_cache_bytes || shape.near_share >= 0.5;
  const bool is_long = shape.mean_length > long_mean;
  const bool is_varied = shape.mean_length > short_mean && shape.changes_share > 0.25;
  return !shape.complex_values && near && (is_long || is_varied);
}

template <class T>
bool pays_by_fours(const Csr<T>& block) {
  if (is_complex<T>) return false;
  constexpr lidx one_of = 11;  // of the rows are looked at: no number of unknowns that a point has
  offset rows = 0, changes = 0, pairs = 0, near = 0;
#pragma omp parallel for schedule(static) reduction(+ : rows, changes, pairs, near)
  for (lidx row = 1; row < block.rows; row += one_of) {
    const offset begin = block.row_ptr[row], end = block.row_ptr[row + 1];
    ++rows;
    changes += end - begin != begin - block.row_ptr[row - 1] ? 1 : 0;
    pairs += std::max<offset>(end - begin - 1, 0);
    for (offset k = begin + 1; k < end; ++k) near += is_near_the_one_before(block, k) ? 1 : 0;
  }
  const auto share = [](offset part, offset all) {
    return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
  };
  return pays_by_fours({static_cast<double>(block.cols) * sizeof(T), share(block.nonzeros(), block.rows),
                        share(changes, rows), share(near, pairs), is_complex<T>});
}

template <class T>
void multiply_host(const CsrView<T>& a, const T* x, T* y, Update update) {
#pragma omp parallel
  {
    const int part = omp_get_thread_num();
    const int parts = omp_get_num_threads();
    const offset first = first_of_part(a.row_ptr, a.rows, part, parts);
    const offset last = first_of_part(a.row_ptr, a.rows, part + 1, parts);
    if (a.by_fours)
      multiply_part<true>(a, first, last, x, y, update);
    else
      multiply_part<false>(a, first, last, x, y, update);
  }
}

SPMV_INSTANTIATE(multiply_host);
SPMV_INSTANTIATE(pays_by_fours);

}  // namespace spmv
