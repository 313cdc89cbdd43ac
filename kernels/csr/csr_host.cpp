#include <complex>

#include <omp.h>

#include "core/value_type.hpp"
#include "kernels/balanced_split.hpp"
#include "kernels/csr/csr.hpp"

namespace spmv {
namespace {

template <class T>
T row_product(const T* value, const lidx* col, offset length, const T* x) {
  T sum{};
#pragma omp simd reduction(+ : sum)
  for (offset j = 0; j < length; ++j) sum += value[j] * x[col[j]];
  return sum;
}

/// By hand, because std::complex's product checks for NaN and does not vectorise.
template <class R>
std::complex<R> row_product(const std::complex<R>* value, const lidx* col, offset length,
                            const std::complex<R>* x) {
  const R* v = reinterpret_cast<const R*>(value);
  const R* w = reinterpret_cast<const R*>(x);
  R real = 0;
  R imag = 0;
#pragma omp simd reduction(+ : real, imag)
  for (offset j = 0; j < length; ++j) {
    const offset k = 2 * static_cast<offset>(col[j]);
    real += v[2 * j] * w[k] - v[2 * j + 1] * w[k + 1];
    imag += v[2 * j] * w[k + 1] + v[2 * j + 1] * w[k];
  }
  return {real, imag};
}

}  // namespace

template <class T>
void multiply_host(const CsrView<T>& a, const T* x, T* y, Update update) {
#pragma omp parallel
  {
    const int part = omp_get_thread_num();
    const int parts = omp_get_num_threads();
    const offset last = first_of_part(a.row_ptr, a.rows, part + 1, parts);
    for (offset row = first_of_part(a.row_ptr, a.rows, part, parts); row < last; ++row) {
      const offset begin = a.row_ptr[row];
      const T sum = row_product(a.value + begin, a.col + begin, a.row_ptr[row + 1] - begin, x);
      T& target = y[a.row_list ? a.row_list[row] : row];
      target = update == Update::add ? target + sum : sum;
    }
  }
}

template void multiply_host(const CsrView<float>&, const float*, float*, Update);
template void multiply_host(const CsrView<double>&, const double*, double*, Update);
template void multiply_host(const CsrView<std::complex<float>>&, const std::complex<float>*,
                            std::complex<float>*, Update);
template void multiply_host(const CsrView<std::complex<double>>&, const std::complex<double>*,
                            std::complex<double>*, Update);

}  // namespace spmv
