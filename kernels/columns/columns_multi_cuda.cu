// Neighbouring rows side by side and k columns at once, see parts/multivector.cuh.
#include <cuda_runtime.h>

#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/columns/columns.hpp"
#include "kernels/parts/multivector.cuh"
#include "kernels/parts/read_once.cuh"

namespace spmv {

static_assert(no_col == no_element, "padding that is marked is no element");

/// Views with a placement.
template <class View>
struct RowElements {
  using D = DeviceValue<typename View::Value>;
  const View& a;
  const D* value;
  ReadOnce once;
  offset row;
  offset first = 0, last;

  __device__ RowElements(const View& view, offset of_row)
      : a(view),
        value(as_device(view.value)),
        once(view.kept_share),
        row(of_row),
        last(view.row_length == nullptr ? view.width : __ldg(view.row_length + of_row)) {}
  __device__ __forceinline__ void operator()(offset j, lidx& c, D& v) const {
    const offset at = a.placement.at(row, static_cast<lidx>(j));
    c = once.load(a.col + at);
    v = once.load(value + at);
  }
};

template <class View>
void launch_columns_cuda(const View& view, const typename View::Value* x, typename View::Value* y, int k,
                         Update update, void* stream) {
  launch_rows_columns(view, x, y, k, update, stream);
}

SPMV_INSTANTIATE_WITH(launch_columns_cuda, StridedView);
SPMV_INSTANTIATE_WITH(launch_columns_cuda, JaggedView);
SPMV_INSTANTIATE_WITH(launch_columns_cuda, SlicedView);

}  // namespace spmv
