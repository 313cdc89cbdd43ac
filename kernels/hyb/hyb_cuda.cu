#include "cuda_launch.hpp"
#include "kernels/column_major.cuh"
#include "kernels/coo/coo.cuh"
#include "kernels/hyb/hyb.hpp"

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
  launch_columns(view.ell, ColStart{view.ell.stride}, x, y, update, stream, "launch HYB (hyb_cuda.cu)");
  launch_coo(view.rest, x, y, Update::add, stream, "launch the COO part of HYB (hyb_cuda.cu)");
}

template void launch_cuda(const HybView<float>&, const float*, float*, Update, void*);
template void launch_cuda(const HybView<double>&, const double*, double*, Update, void*);
template void launch_cuda(const HybView<std::complex<float>>&, const std::complex<float>*,
                          std::complex<float>*, Update, void*);
template void launch_cuda(const HybView<std::complex<double>>&, const std::complex<double>*,
                          std::complex<double>*, Update, void*);

}  // namespace spmv
