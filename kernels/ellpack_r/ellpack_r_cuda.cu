#include "cuda_launch.hpp"
#include "kernels/column_major.cuh"
#include "kernels/ellpack_r/ellpack_r.hpp"

namespace spmv {
namespace {

struct ColStart {
  offset stride;
  __device__ offset operator()(lidx j) const { return j * stride; }
};

}  // namespace

template <class View>
void launch_cuda(const View& view, const typename View::Value* x, typename View::Value* y, Update update,
                 void* stream) {
  launch_columns(view, ColStart{view.stride}, x, y, update, stream, "launch ELLPACK-R (ellpack_r_cuda.cu)");
}

template void launch_cuda(const EllpackRView<float>&, const float*, float*, Update, void*);
template void launch_cuda(const EllpackRView<double>&, const double*, double*, Update, void*);
template void launch_cuda(const EllpackRView<std::complex<float>>&, const std::complex<float>*,
                          std::complex<float>*, Update, void*);
template void launch_cuda(const EllpackRView<std::complex<double>>&, const std::complex<double>*,
                          std::complex<double>*, Update, void*);

}  // namespace spmv
