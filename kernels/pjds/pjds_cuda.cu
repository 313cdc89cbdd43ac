#include "cuda_launch.hpp"
#include "kernels/column_major.cuh"
#include "kernels/pjds/pjds.hpp"

namespace spmv {
namespace {

/// The same address in all threads of a warp: one read-only cache access serves all.
struct ColStart {
  const offset* col_start;
  __device__ offset operator()(lidx j) const { return __ldg(col_start + j); }
};

}  // namespace

template <class View>
void launch_cuda(const View& view, const typename View::Value* x, typename View::Value* y, Update update,
                 void* stream) {
  launch_columns(view, ColStart{view.col_start}, x, y, update, stream, "launch pJDS (pjds_cuda.cu)");
}

template void launch_cuda(const PjdsView<float>&, const float*, float*, Update, void*);
template void launch_cuda(const PjdsView<double>&, const double*, double*, Update, void*);
template void launch_cuda(const PjdsView<std::complex<float>>&, const std::complex<float>*,
                          std::complex<float>*, Update, void*);
template void launch_cuda(const PjdsView<std::complex<double>>&, const std::complex<double>*,
                          std::complex<double>*, Update, void*);

}  // namespace spmv
