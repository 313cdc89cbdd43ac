// Products with k columns at once. Neighbouring threads share a row: each has a bundle of its columns, of 16 bytes where k allows
// it, and all go through the row's elements together, so that one load brings an element to all of them. With k = 8 columns of
// double:
//
//   lane       0   1   2   3 | 4   5   6   7 | ...  28  29  30  31
//   row        0             | 1             |      7
//   columns    01  23  45  67  01  23  45  67       01  23  45  67
//
// Every sum is added up in the order of the row's elements, but for slices of one pattern (packed/packed_groups_multi.cuh).
#pragma once

#include <type_traits>

#include <cuda_runtime.h>

#include "core/launch_behind.cuh"
#include "core/types.hpp"
#include "kernels/local_operator.hpp"
#include "kernels/parts/device_value.cuh"

namespace spmv {

inline constexpr int multi_block_threads = 128;
/// Thread blocks on a multiprocessor: enough loads are in flight, and a thread has registers for its own.
template <class T>
inline constexpr int multi_blocks_per_multiprocessor = sizeof(T) > 8 ? 5 : 8;

/// An unsigned number, or several, of so many bytes, which one instruction loads.
template <int bytes>
using WordOf = std::conditional_t<bytes == 16, uint4, std::conditional_t<bytes == 8, uint2, unsigned>>;

/// `width` neighbouring columns of one row.
template <class D, int width>
struct alignas(sizeof(D) * width) Bundle {
  D at[width];
  using Word = WordOf<sizeof(D) * width>;
};
template <class D, int width>
__device__ __forceinline__ Bundle<D, width> load_bundle(const D* at) {
  using B = Bundle<D, width>;
  return __builtin_bit_cast(B, __ldg(reinterpret_cast<const typename B::Word*>(at)));
}

template <class D, int width>
__device__ __forceinline__ Bundle<D, width> multiply_add(D value, const Bundle<D, width>& x,
                                                         Bundle<D, width> sum) {
#pragma unroll
  for (int i = 0; i < width; ++i) sum.at[i] = multiply_add(value, x.at[i], sum.at[i]);
  return sum;
}
template <class D, int width>
__device__ __forceinline__ Bundle<D, width> add(Bundle<D, width> a, const Bundle<D, width>& b) {
#pragma unroll
  for (int i = 0; i < width; ++i) a.at[i] = add(a.at[i], b.at[i]);
  return a;
}

/// Where a thread's columns of x and y are.
template <class D, int width>
struct BundleOf {
  const D* x;  // its first column
  D* y;
  int k;
  bool add_to_y;
  const lidx* row_list;

  /// One multiplication and addition makes the address.
  __device__ __forceinline__ Bundle<D, width> x_at(lidx c) const {
    const int row_bytes = k * static_cast<int>(sizeof(D));
    return load_bundle<D, width>(
        reinterpret_cast<const D*>(reinterpret_cast<const char*>(x) + offset{c} * row_bytes));
  }
  /// Row of y that a row of the block is.
  __device__ __forceinline__ offset row_of_y(offset row) const {
    return row_list != nullptr ? row_list[row] : row;
  }
  __device__ __forceinline__ void store(offset row, Bundle<D, width> sum) const {
    store_at(row_of_y(row), sum);
  }
  /// Writes the sums of row i of y, which is read for add only, and not kept in a cache.
  __device__ __forceinline__ void store_at(offset i, Bundle<D, width> sum) const {
    using B = Bundle<D, width>;
    auto* const to = reinterpret_cast<typename B::Word*>(y + i * k);
    if (add_to_y) sum = add(sum, __builtin_bit_cast(B, *to));
    __stcs(to, __builtin_bit_cast(typename B::Word, sum));
  }
};

/// Marks an element that a row does not have.
inline constexpr lidx no_element = -1;

/// Elements of a row whose loads are in flight together.
inline constexpr int multi_batch = 4;

/// Adds elements first, first + step, ... of a row, before number `length`. element(j, column, value) tells of an element; its
/// column may be no_element. While x is loaded for one batch of elements, the next batch is on its way. Only the last
/// instruction, the addition, depends on whether there is an element: loads without a condition need no register of their own for
/// the case that nothing is loaded, and what they load twice is in the first cache.
template <class D, int width, class Element>
__device__ __forceinline__ void add_elements(const BundleOf<D, width>& bundle, int first, int step,
                                             int length, const Element& element, Bundle<D, width>& sum) {
  if (first >= length) return;
  lidx next_c[multi_batch];
  D next_v[multi_batch];
  const auto load = [&](int j) {
#pragma unroll
    for (int u = 0; u < multi_batch; ++u) {
      element(min(j + u * step, length - 1), next_c[u], next_v[u]);
      if (j + u * step >= length) next_c[u] = no_element;
    }
  };
  load(first);
#pragma unroll 1
  for (int j = first; j < length; j += multi_batch * step) {
    lidx c[multi_batch];
    D v[multi_batch];
    Bundle<D, width> w[multi_batch];
#pragma unroll
    for (int u = 0; u < multi_batch; ++u) {
      c[u] = next_c[u];
      v[u] = next_v[u];
    }
#pragma unroll
    for (int u = 0; u < multi_batch; ++u) w[u] = bundle.x_at(max(c[u], 0));
    load(j + multi_batch * step);
#pragma unroll
    for (int u = 0; u < multi_batch; ++u)
      if (c[u] >= 0) sum = multiply_add(v[u], w[u], sum);
  }
}

/// How the threads of a block share rows: `bundles` neighbouring ones each. The last ones of a block may have none.
struct RowsOfBlock {
  int bundles;
  int rows;  // of the block at a time
  int row;   // this thread's: `rows` or more if it has none
  int bundle;

  __device__ __forceinline__ explicit RowsOfBlock(int bundles_of_row)
      : bundles(bundles_of_row),
        rows(static_cast<int>(blockDim.x) / bundles_of_row),
        row(static_cast<int>(threadIdx.x) / bundles_of_row),
        bundle(static_cast<int>(threadIdx.x) % bundles_of_row) {}
  __device__ __forceinline__ bool has_row() const { return row < rows; }
};

template <int width, class View, class D>
__device__ __forceinline__ BundleOf<D, width> bundle_of(const View& a, const D* x, D* y, int k, bool add_to_y,
                                                        int bundle) {
  return {x + bundle * width, y + bundle * width, k, add_to_y, a.row_list};
}

/// Calls use(std::integral_constant<int, width>) with the widest bundle of T that divides k columns.
template <class T, class Use>
void with_bundle_width(int k, const Use& use) {
  constexpr int widest = 16 / static_cast<int>(sizeof(T));
  if constexpr (widest >= 4)
    if (k % 4 == 0) return use(std::integral_constant<int, 4>{});
  if constexpr (widest >= 2)
    if (k % 2 == 0) return use(std::integral_constant<int, 2>{});
  use(std::integral_constant<int, 1>{});
}

/// The elements first to last - 1 of a row, of which (j, column, value) tells. Families specialise it for their views.
template <class View>
struct RowElements;

/// A product in which each thread has a bundle of one row.
template <int width, class View>
__global__ void __launch_bounds__(multi_block_threads, multi_blocks_per_multiprocessor<typename View::Value>)
    multiply_rows_columns_kernel(const View a, const DeviceValue<typename View::Value>* x,
                                 DeviceValue<typename View::Value>* y, int k, bool add_to_y) {
  using D = DeviceValue<typename View::Value>;
  wait_for_last();
  let_next_begin();
  const RowsOfBlock mine(k / width);
  const offset row = static_cast<offset>(blockIdx.x) * mine.rows + mine.row;
  if (!mine.has_row() || row >= a.rows) return;
  const auto bundle = bundle_of<width>(a, x, y, k, add_to_y, mine.bundle);
  const RowElements<View> elements(a, row);
  Bundle<D, width> sum{};
  add_elements(bundle, elements.first, 1, elements.last, elements, sum);
  bundle.store(row, sum);
}

/// Launches so many thread blocks of a kernel that multiplies k columns.
template <auto kernel, class View>
void launch_columns_of(const View& view, offset blocks, const typename View::Value* x,
                       typename View::Value* y, int k, Update update, void* stream) {
  launch_behind<kernel>(static_cast<unsigned>(blocks), multi_block_threads, 0,
                        static_cast<cudaStream_t>(stream), view, as_device(x), as_device(y), k,
                        update == Update::add);
}

/// Thread blocks for so many rows of k columns, `width` to a thread.
inline offset blocks_of_rows(offset rows, int k, int width) {
  const offset of_block = multi_block_threads / (k / width);
  return (rows + of_block - 1) / of_block;
}

/// launch_columns_cuda() for views with RowElements.
template <class View>
void launch_rows_columns(const View& view, const typename View::Value* x, typename View::Value* y, int k,
                         Update update, void* stream) {
  with_bundle_width<typename View::Value>(k, [&](auto width) {
    launch_columns_of<multiply_rows_columns_kernel<width.value, View>>(
        view, blocks_of_rows(view.rows, k, width), x, y, k, update, stream);
  });
}

}  // namespace spmv
