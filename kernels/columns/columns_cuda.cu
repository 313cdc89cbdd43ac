// One thread per row, or several: part p of T takes elements p, p + T, ... of its row. Neighbouring threads
// have neighbouring rows in either case, so a warp reads one piece of a column.
#include <complex>

#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "cuda_launch.hpp"
#include "kernels/add_batch.cuh"
#include "kernels/columns/columns.hpp"
#include "kernels/device_value.cuh"

namespace spmv {
namespace {

constexpr int most_block_threads = 512;
/// Tells the compiler that it may use 64 registers; it then issues all loads of a batch before the first use.
/// Left alone it takes 32 and puts arithmetic between the loads. 1024 threads with 8 loads each are enough.
constexpr int blocks_per_multiprocessor = 2;

template <int batch, bool marked, bool shared_rows, class D, class Layout>
__global__ void __launch_bounds__(most_block_threads, blocks_per_multiprocessor)
    multiply_columns_kernel(lidx rows, int threads_per_row, Layout layout, lidx width,
                            const lidx* __restrict__ row_length, const D* __restrict__ value,
                            const lidx* __restrict__ col, const lidx* __restrict__ row_list,
                            const D* __restrict__ x, D* __restrict__ y, bool add_to_y) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const int step = shared_rows ? threads_per_row : 1;
  const int block_rows = static_cast<int>(blockDim.x) / step;
  const int part = shared_rows ? static_cast<int>(threadIdx.x) / block_rows : 0;
  const int local = static_cast<int>(threadIdx.x) - part * block_rows;
  const offset row = static_cast<offset>(blockIdx.x) * block_rows + local;
  D sum{};
  if (row < rows) {
    const lidx length = marked ? width : row_length[row];
    lidx j = part;
#pragma unroll 1
    for (; j + (batch - 1) * step < length; j += batch * step)
      sum = add_batch < batch, true,
      marked
          ? no_col
          : every_col > (
                            sum, batch, [&](int u) { return layout.at(row, j + u * step); }, value, col, x);
    if (j < length)
      sum = add_batch < batch, false,
      marked ? no_col
             : every_col > (
                               sum, (length - j + step - 1) / step,
                               [&](int u) { return layout.at(row, j + u * step); }, value, col, x);
  }
  if constexpr (shared_rows) {
    D* const sums = reinterpret_cast<D*>(shared_bytes);
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (part > 0) return;
    for (int p = 1; p < step; ++p) sum = add(sum, sums[p * block_rows + local]);
  }
  if (row < rows) store_row(y, row_list, row, sum, add_to_y);
}

template <int batch, bool marked, class View>
void launch(const View& view, const typename View::Value* x, typename View::Value* y, bool add_to_y,
            cudaStream_t stream) {
  const auto run = [&](auto kernel, int threads_per_row, std::size_t shared_bytes) {
    const offset block_rows = view.threads_per_block / threads_per_row;
    kernel<<<static_cast<unsigned>((view.rows + block_rows - 1) / block_rows), view.threads_per_block,
             shared_bytes, stream>>>(view.rows, threads_per_row, view.layout, view.width, view.row_length,
                                     as_device(view.value), view.col, view.row_list, as_device(x),
                                     as_device(y), add_to_y);
  };
  using D = DeviceValue<typename View::Value>;
  using Layout = typename View::Layout;
  if (view.threads_per_row == 1)
    run(multiply_columns_kernel<batch, marked, false, D, Layout>, 1, 0);
  else
    run(multiply_columns_kernel<batch, marked, true, D, Layout>, view.threads_per_row,
        view.threads_per_block * sizeof(D));
}

/// Several threads read a row; the writes of neighbouring rows meet in the L2 cache.
template <class T, class Layout>
__global__ void fill_kernel(ColumnsFill<T, Layout> fill) {
  constexpr int threads = 8;  // of a row
  const offset thread = static_cast<offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  const offset row = thread / threads;
  if (row >= fill.rows) return;
  const offset first = fill.row_ptr[row];
  const offset length = fill.row_ptr[row + 1] - first;
  for (offset j = thread % threads; j < length; j += threads) {
    const offset at = fill.layout.at(row, static_cast<lidx>(j));
    fill.col[at] = fill.from_col[first + j];
    as_device(fill.value)[at] = as_device(fill.from_value)[first + j];
  }
}

}  // namespace

template <class View>
void launch_cuda(const View& view, const typename View::Value* x, typename View::Value* y, Update update,
                 void* stream) {
  if (view.rows == 0) return;
  constexpr int wide = sizeof(typename View::Value) > 8 ? 4 : 8;  // 8 of complex_double would cost occupancy
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  const bool add_to_y = update == Update::add;
  if (view.row_length == nullptr)
    launch<wide, true>(view, x, y, add_to_y, cuda_stream);
  else if (view.unroll < 8)
    launch<wide / 2, false>(view, x, y, add_to_y, cuda_stream);
  else
    launch<wide, false>(view, x, y, add_to_y, cuda_stream);
  cuda_check(cudaGetLastError(), "launch a product by columns (columns_cuda.cu)");
}

template <class Step>
void launch_build_cuda(const Step& fill, void* stream) {
  if (fill.rows == 0) return;
  constexpr offset block_rows = 32;
  fill_kernel<<<static_cast<unsigned>((fill.rows + block_rows - 1) / block_rows), 256, 0,
                static_cast<cudaStream_t>(stream)>>>(fill);
  cuda_check(cudaGetLastError(), "fill columns (columns_cuda.cu)");
}

template void launch_cuda(const ColumnsView<float, Strided>&, const float*, float*, Update, void*);
template void launch_cuda(const ColumnsView<double, Strided>&, const double*, double*, Update, void*);
template void launch_cuda(const ColumnsView<std::complex<float>, Strided>&, const std::complex<float>*,
                          std::complex<float>*, Update, void*);
template void launch_cuda(const ColumnsView<std::complex<double>, Strided>&, const std::complex<double>*,
                          std::complex<double>*, Update, void*);
template void launch_cuda(const ColumnsView<float, Jagged>&, const float*, float*, Update, void*);
template void launch_cuda(const ColumnsView<double, Jagged>&, const double*, double*, Update, void*);
template void launch_cuda(const ColumnsView<std::complex<float>, Jagged>&, const std::complex<float>*,
                          std::complex<float>*, Update, void*);
template void launch_cuda(const ColumnsView<std::complex<double>, Jagged>&, const std::complex<double>*,
                          std::complex<double>*, Update, void*);
template void launch_cuda(const ColumnsView<float, Sliced>&, const float*, float*, Update, void*);
template void launch_cuda(const ColumnsView<double, Sliced>&, const double*, double*, Update, void*);
template void launch_cuda(const ColumnsView<std::complex<float>, Sliced>&, const std::complex<float>*,
                          std::complex<float>*, Update, void*);
template void launch_cuda(const ColumnsView<std::complex<double>, Sliced>&, const std::complex<double>*,
                          std::complex<double>*, Update, void*);
template void launch_build_cuda(const ColumnsFill<float, Strided>&, void*);
template void launch_build_cuda(const ColumnsFill<double, Strided>&, void*);
template void launch_build_cuda(const ColumnsFill<std::complex<float>, Strided>&, void*);
template void launch_build_cuda(const ColumnsFill<std::complex<double>, Strided>&, void*);
template void launch_build_cuda(const ColumnsFill<float, Jagged>&, void*);
template void launch_build_cuda(const ColumnsFill<double, Jagged>&, void*);
template void launch_build_cuda(const ColumnsFill<std::complex<float>, Jagged>&, void*);
template void launch_build_cuda(const ColumnsFill<std::complex<double>, Jagged>&, void*);
template void launch_build_cuda(const ColumnsFill<float, Sliced>&, void*);
template void launch_build_cuda(const ColumnsFill<double, Sliced>&, void*);
template void launch_build_cuda(const ColumnsFill<std::complex<float>, Sliced>&, void*);
template void launch_build_cuda(const ColumnsFill<std::complex<double>, Sliced>&, void*);

}  // namespace spmv
