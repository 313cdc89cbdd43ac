// Formats that keep compressed sparse rows as they are, and give a fixed number of threads to every row:
//
//   csr_scalar        1 thread                  [Wang 2020, sect. 2.2, CSR scalar]
//   csr_vector        T = 2 to 32 threads       [Vazquez 2011, sect. 3.4], [Wang 2020, sect. 2.2, CSR vector]
//   spmv4gpu          16 or 32, aligned loads   [Bordawekar 2013], see spmv4gpu.hpp
//   spmv4gpu_padded   the same, rows filled up
//
// With one thread per row, neighbouring threads read far from each other, so that every load brings in more
// than it wants: csr_scalar is for short rows, and the measure of what the others gain.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "kernels/format.hpp"
#include "kernels/parts/fused.hpp"
#include "kernels/parts/multivector.hpp"
#include "kernels/parts/row_threads.hpp"
#include "kernels/parts/sizes.hpp"

namespace spmv {

template <class T>
struct CsrView {
  using Value = T;
  lidx rows;
  const offset* row_ptr;  // rows + 1
  const lidx* col;
  const T* value;
  const lidx* row_list;
  int threads_per_row;                  // CUDA: a power of two up to the warp size
  int threads_per_block;                // CUDA: a multiple of the warp size up to 512
  float kept_share = 0;                 // CUDA: see read_once.hpp
  const std::uint8_t* alike = nullptr;  // host: AlikeRows::alike; nullptr where there are none
  bool by_fours = false;                // host: see pays_by_fours()
};

template <class T>
inline constexpr bool fuses_with_exchange<CsrView<T>> = true;
template <class T>
bool can_fuse(const CsrView<T>&, const CsrView<T>&) {
  return true;
}

/// CUDA: threads of a thread block of csr_vector.
inline constexpr int csr_vector_block_threads = 128;

/// See format_operator.hpp. One thread a row stays one.
template <class T>
bool set_launch(CsrView<T>& view, const FormatOptions& options, const Footprint& footprint) {
  const bool shared_rows = view.threads_per_row > 1;
  if (shared_rows) view.threads_per_row = csr_vector_threads_per_row(view.rows, footprint.nonzeros, options);
  view.threads_per_block =
      threads_of_a_block(options, shared_rows ? csr_vector_block_threads : usual_block_threads);
  return true;
}
template <class T>
void get_launch(const CsrView<T>& view, FormatOptions& options) {
  options.threads_per_row = view.threads_per_row;
  options.threads_per_block = view.threads_per_block;
}

/// What says how a host multiplies the rows of a block best.
struct RowsShape {
  double x_bytes = 0;
  double mean_length = 0;
  double changes_share = 0;  // of the rows: those of another length than the row before
  /// Of the elements that have one before them in their row: see is_near_the_one_before().
  double near_share = 0;
  bool complex_values = false;
};

/// Whether element k of a row of the block lies less than a cache line of x from element k - 1. Pure.
template <class T>
bool is_near_the_one_before(const Csr<T>& block, offset k) {
  constexpr lidx cache_line = cache_line_bytes / sizeof(T);  // elements of x
  return std::abs(block.col[k] - block.col[k - 1]) < cache_line;
}

/// Whether a host multiplies rows faster by row_product_by_fours() than by row_product(). Pure.
bool pays_by_fours(const RowsShape& shape);
/// The same of a block, of whose rows some are looked at. Pure.
template <class T>
bool pays_by_fours(const Csr<T>& block);

template <class T>
void multiply_host(const CsrView<T>& a, const T* x, T* y, Update update);

template <class T>
inline constexpr bool multiplies_columns<CsrView<T>> = true;
template <class T>
inline constexpr bool sums_its_columns<CsrView<T>> = true;
template <class T>
void multiply_columns_host(const CsrView<T>& a, const T* x, T* y, int k, Update update);

/// As Format::make: CSR as it is, one thread a row, for the format of that name.
template <class T>
std::unique_ptr<LocalOperator<T>> make_plain_rows(const char* name, const BuildRequest<T>& request);

template <class T>
std::vector<Format<T>> rows_formats();

}  // namespace spmv
