#include "cuda_launch.hpp"
#include "kernels/coo/coo.cuh"

namespace spmv {

template <class View>
void launch_cuda(const View& view, const typename View::Value* x, typename View::Value* y, Update update,
                 void* stream) {
  launch_coo(view, x, y, update, stream, "launch COO (coo_cuda.cu)");
}

template void launch_cuda(const CooView<float>&, const float*, float*, Update, void*);
template void launch_cuda(const CooView<double>&, const double*, double*, Update, void*);
template void launch_cuda(const CooView<std::complex<float>>&, const std::complex<float>*,
                          std::complex<float>*, Update, void*);
template void launch_cuda(const CooView<std::complex<double>>&, const std::complex<double>*,
                          std::complex<double>*, Update, void*);

}  // namespace spmv
