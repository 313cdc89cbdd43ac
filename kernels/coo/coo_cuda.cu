#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/coo/coo.cuh"

namespace spmv {

template <class View>
void launch_cuda(const View& view, const typename View::Value* x, typename View::Value* y, Update update,
                 void* stream) {
  launch_coo(view, x, y, update, stream, "launch COO (coo_cuda.cu)");
}

SPMV_INSTANTIATE_WITH(launch_cuda, CooView);

}  // namespace spmv
