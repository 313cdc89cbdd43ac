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

template <class T>
void multiply_rows(const CsrView<T>& a, offset first, offset last, const T* x, T* y, Update update) {
  for (offset row = first; row < last; ++row) {
    const offset begin = a.row_ptr[row];
    store(a, row, row_product(a.value + begin, a.col + begin, a.row_ptr[row + 1] - begin, x), y, update);
  }
}

/// The same, where some rows have the columns of the row before.
template <class T>
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

}  // namespace

template <class T>
void multiply_host(const CsrView<T>& a, const T* x, T* y, Update update) {
#pragma omp parallel
  {
    const int part = omp_get_thread_num();
    const int parts = omp_get_num_threads();
    const offset first = first_of_part(a.row_ptr, a.rows, part, parts);
    const offset last = first_of_part(a.row_ptr, a.rows, part + 1, parts);
    if (a.alike != nullptr)
      run_best([&] { multiply_alike_rows(a, first, last, x, y, update); });
    else
      run_best([&] { multiply_rows(a, first, last, x, y, update); });
  }
}

SPMV_INSTANTIATE(multiply_host);

}  // namespace spmv
