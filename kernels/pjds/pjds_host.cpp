#include <complex>

#include "kernels/column_major_host.hpp"
#include "kernels/pjds/pjds.hpp"

namespace spmv {

template <class T>
void multiply_host(const PjdsView<T>& a, const T* x, T* y, Update update) {
  multiply_columns(
      a, [start = a.col_start](lidx j) { return start[j]; }, x, y, update);
}

template void multiply_host(const PjdsView<float>&, const float*, float*, Update);
template void multiply_host(const PjdsView<double>&, const double*, double*, Update);
template void multiply_host(const PjdsView<std::complex<float>>&, const std::complex<float>*,
                            std::complex<float>*, Update);
template void multiply_host(const PjdsView<std::complex<double>>&, const std::complex<double>*,
                            std::complex<double>*, Update);

}  // namespace spmv
