#include "core/value_types.hpp"
#include "kernels/parts/balanced_split.hpp"
#include "kernels/parts/multivector_host.hpp"
#include "kernels/parts/row_product.hpp"
#include "kernels/parts/sizes.hpp"
#include "kernels/rows/rows.hpp"
#include "run_best.hpp"

namespace spmv {

template <class T>
void multiply_columns_host(const CsrView<T>& a, const T* x, T* y, int k, Update update) {
  for_balanced_parts(a.row_ptr, a.rows, [&](offset first, offset last) {
    run_best([&] {
      for (offset row = first; row < last; ++row) {
        const offset begin = a.row_ptr[row];
        const offset length = a.row_ptr[row + 1] - begin;
        for (offset j = 0; j < length; j += cache_line_bytes / static_cast<offset>(sizeof(T)))
          prefetch_ahead(a.value + begin + j);
        for (offset j = 0; j < length; j += cache_line_bytes / static_cast<offset>(sizeof(lidx)))
          prefetch_ahead(a.col + begin + j);
        const PlainRow<T> elements{a.value + begin, a.col + begin, length};
        multiply_row_columns(elements, x, row_of_columns(y, a.row_list, row, k), k, update);
      }
    });
  });
}

SPMV_INSTANTIATE(multiply_columns_host);

}  // namespace spmv
