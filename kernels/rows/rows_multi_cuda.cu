// Compressed sparse rows and k columns at once, see parts/multivector.cuh.
#include <cuda_runtime.h>

#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/parts/multivector.cuh"
#include "kernels/parts/read_once.cuh"
#include "kernels/parts/summed_columns.cuh"
#include "kernels/rows/rows.hpp"

namespace spmv {

template <class T>
struct RowElements<CsrView<T>> {
  const lidx* col;
  const DeviceValue<T>* value;
  ReadOnce once;
  int first = 0, last;

  __device__ RowElements(const CsrView<T>& a, offset row) : once(a.kept_share) {
    const offset begin = __ldg(a.row_ptr + row);
    col = a.col + begin;
    value = as_device(a.value) + begin;
    last = static_cast<int>(__ldg(a.row_ptr + row + 1) - begin);
  }
  __device__ __forceinline__ void operator()(int at, lidx& c, DeviceValue<T>& v) const {
    c = once.load_with_line(col + at);
    v = once.load_with_line(value + at);
  }
};

template <class View>
void launch_columns_cuda(const View& view, const typename View::Value* x, typename View::Value* y, int k,
                         Update update, void* stream) {
  launch_rows_columns(view, x, y, k, update, stream);
}

template <class View>
int launch_summed_columns_cuda(const View& view, const typename View::Value* x, typename View::Value* y,
                               const typename View::Value* own_x, int k,
                               const RowWork<typename View::Value>& work, void* stream) {
  return launch_rows_summed(view, x, y, own_x, k, work, stream);
}

SPMV_INSTANTIATE_WITH(launch_columns_cuda, CsrView);
SPMV_INSTANTIATE_WITH(launch_summed_columns_cuda, CsrView);

}  // namespace spmv
