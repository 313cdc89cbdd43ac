#include <complex>

#include "kernels/hyb/hyb.hpp"

namespace spmv {

template <class T>
void multiply_host(const HybView<T>& a, const T* x, T* y, Update update) {
  multiply_host(a.ell, x, y, update);
  multiply_host(a.rest, x, y, Update::add);
}

template void multiply_host(const HybView<float>&, const float*, float*, Update);
template void multiply_host(const HybView<double>&, const double*, double*, Update);
template void multiply_host(const HybView<std::complex<float>>&, const std::complex<float>*,
                            std::complex<float>*, Update);
template void multiply_host(const HybView<std::complex<double>>&, const std::complex<double>*,
                            std::complex<double>*, Update);

}  // namespace spmv
