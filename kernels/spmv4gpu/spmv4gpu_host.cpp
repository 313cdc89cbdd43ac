#include <complex>

#include <omp.h>

#include "kernels/balanced_split.hpp"
#include "kernels/row_product.hpp"
#include "kernels/spmv4gpu/spmv4gpu.hpp"

namespace spmv {

template <class T>
void multiply_host(const Spmv4gpuView<T>& a, const T* x, T* y, Update update) {
#pragma omp parallel
  {
    const int part = omp_get_thread_num();
    const int parts = omp_get_num_threads();
    const offset last = first_of_part(a.row_ptr, a.rows, part + 1, parts);
    for (offset row = first_of_part(a.row_ptr, a.rows, part, parts); row < last; ++row) {
      const offset begin = a.row_ptr[row];
      const offset length = a.row_length ? a.row_length[row] : a.row_ptr[row + 1] - begin;
      const T sum = row_product(a.value + begin, a.col + begin, length, x);
      T& target = y[a.row_list ? a.row_list[row] : row];
      target = update == Update::add ? target + sum : sum;
    }
  }
}

template void multiply_host(const Spmv4gpuView<float>&, const float*, float*, Update);
template void multiply_host(const Spmv4gpuView<double>&, const double*, double*, Update);
template void multiply_host(const Spmv4gpuView<std::complex<float>>&, const std::complex<float>*,
                            std::complex<float>*, Update);
template void multiply_host(const Spmv4gpuView<std::complex<double>>&, const std::complex<double>*,
                            std::complex<double>*, Update);

}  // namespace spmv
