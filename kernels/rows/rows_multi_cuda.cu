// Compressed sparse rows and k columns at once, see parts/multivector.cuh.
#include <cuda_runtime.h>

#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/parts/multivector.cuh"
#include "kernels/parts/read_once.cuh"
#include "kernels/rows/rows.hpp"

namespace spmv {
namespace {

template <int width, class T>
__global__ void __launch_bounds__(multi_block_threads)
    multiply_rows_columns_kernel(const CsrView<T> a, const DeviceValue<T>* x, DeviceValue<T>* y, int k,
                                 bool add_to_y) {
  using D = DeviceValue<T>;
  wait_for_last();
  let_next_begin();
  const RowsOfBlock mine(k / width);
  const offset row = static_cast<offset>(blockIdx.x) * mine.rows + mine.row;
  if (!mine.has_row() || row >= a.rows) return;
  const auto bundle = bundle_of<width>(a, x, y, k, add_to_y, mine.bundle);
  const D* const value = as_device(a.value);
  const ReadOnce once(a.kept_share);
  const auto element = [&](offset at, lidx& c, D& v) {
    c = once.load_with_line(a.col + at);
    v = once.load_with_line(value + at);
  };
  Bundle<D, width> sum{};
  add_elements(bundle, __ldg(a.row_ptr + row), 1, __ldg(a.row_ptr + row + 1), element, sum);
  bundle.store(row, sum);
}

}  // namespace

template <class View>
void launch_columns_cuda(const View& view, const typename View::Value* x, typename View::Value* y, int k,
                         Update update, void* stream) {
  using T = typename View::Value;
  with_bundle_width<T>(k, [&](auto width) {
    launch_columns_of<multiply_rows_columns_kernel<width.value, T>>(view, blocks_of_rows(view.rows, k, width),
                                                                    x, y, k, update, stream);
  });
}

SPMV_INSTANTIATE_WITH(launch_columns_cuda, CsrView);

}  // namespace spmv
