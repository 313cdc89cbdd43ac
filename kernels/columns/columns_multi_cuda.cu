// Neighbouring rows side by side and k columns at once, see parts/multivector.cuh.
#include <cuda_runtime.h>

#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/columns/columns.hpp"
#include "kernels/parts/multivector.cuh"
#include "kernels/parts/read_once.cuh"

namespace spmv {
namespace {

static_assert(no_col == no_element, "padding that is marked is no element");

template <int width, class View>
__global__ void __launch_bounds__(multi_block_threads)
    multiply_columns_columns_kernel(const View a, const DeviceValue<typename View::Value>* x,
                                    DeviceValue<typename View::Value>* y, int k, bool add_to_y) {
  using D = DeviceValue<typename View::Value>;
  wait_for_last();
  let_next_begin();
  const RowsOfBlock mine(k / width);
  const offset row = static_cast<offset>(blockIdx.x) * mine.rows + mine.row;
  if (!mine.has_row() || row >= a.rows) return;
  const auto bundle = bundle_of<width>(a, x, y, k, add_to_y, mine.bundle);
  const D* const value = as_device(a.value);
  const ReadOnce once(a.kept_share);
  const auto element = [&](offset j, lidx& c, D& v) {
    const offset at = a.placement.at(row, static_cast<lidx>(j));
    c = once.load(a.col + at);
    v = once.load(value + at);
  };
  const lidx length = a.row_length == nullptr ? a.width : __ldg(a.row_length + row);
  Bundle<D, width> sum{};
  add_elements(bundle, 0, 1, length, element, sum);
  bundle.store(row, sum);
}

}  // namespace

template <class View>
void launch_columns_cuda(const View& view, const typename View::Value* x, typename View::Value* y, int k,
                         Update update, void* stream) {
  with_bundle_width<typename View::Value>(k, [&](auto width) {
    launch_columns_of<multiply_columns_columns_kernel<width.value, View>>(
        view, blocks_of_rows(view.rows, k, width), x, y, k, update, stream);
  });
}

SPMV_INSTANTIATE_WITH(launch_columns_cuda, StridedView);
SPMV_INSTANTIATE_WITH(launch_columns_cuda, JaggedView);
SPMV_INSTANTIATE_WITH(launch_columns_cuda, SlicedView);

}  // namespace spmv
