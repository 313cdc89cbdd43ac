#include <omp.h>

#include "core/value_types.hpp"
#include "kernels/parts/balanced_split.hpp"
#include "kernels/parts/row_product.hpp"
#include "kernels/rows/spmv4gpu.hpp"
#include "run_best.hpp"

namespace spmv {
namespace {

template <class T>
void multiply_rows(const Spmv4gpuView<T>& a, offset first, offset last, const T* x, T* y, Update update) {
  for (offset row = first; row < last; ++row) {
    const offset begin = a.row_ptr[row];
    const offset length = a.row_length ? a.row_length[row] : a.row_ptr[row + 1] - begin;
    const T sum = row_product(a.value + begin, a.col + begin, length, x);
    T& target = y[a.row_list ? a.row_list[row] : row];
    target = update == Update::add ? target + sum : sum;
  }
}

}  // namespace

template <class T>
void multiply_host(const Spmv4gpuView<T>& a, const T* x, T* y, Update update) {
#pragma omp parallel
  {
    const int part = omp_get_thread_num();
    const int parts = omp_get_num_threads();
    const offset first = first_of_part(a.row_ptr, a.rows, part, parts);
    const offset last = first_of_part(a.row_ptr, a.rows, part + 1, parts);
    run_best([&] { multiply_rows(a, first, last, x, y, update); });
  }
}

SPMV_INSTANTIATE(multiply_host);

}  // namespace spmv
