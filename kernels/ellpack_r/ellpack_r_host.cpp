#include <complex>

#include "kernels/column_major_host.hpp"
#include "kernels/ellpack_r/ellpack_r.hpp"

namespace spmv {

template <class T>
void multiply_host(const EllpackRView<T>& a, const T* x, T* y, Update update) {
  multiply_columns(
      a, [stride = a.stride](lidx j) { return j * stride; }, x, y, update);
}

template void multiply_host(const EllpackRView<float>&, const float*, float*, Update);
template void multiply_host(const EllpackRView<double>&, const double*, double*, Update);
template void multiply_host(const EllpackRView<std::complex<float>>&, const std::complex<float>*,
                            std::complex<float>*, Update);
template void multiply_host(const EllpackRView<std::complex<double>>&, const std::complex<double>*,
                            std::complex<double>*, Update);

}  // namespace spmv
