#include "kernels/cusparse/cusparse.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/value_types.hpp"
#include "kernels/cusparse/cusparse_product.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/parts/format_operator.hpp"
#include "kernels/tune/analysis.hpp"

namespace spmv {
namespace {

std::string why_unusable(const char* format, const Backend& backend) {
  if (std::string(backend.name()) != "cuda")
    return fmt::format("format {} runs on the cuda backend only: use --backend cuda or another format",
                       format);
  const std::string reason = why_no_cusparse();
  return reason.empty() ? reason : fmt::format("format {}: {}", format, reason);
}

void require_usable(const char* format, const Backend& backend) {
  const std::string reason = why_unusable(format, backend);
  if (!reason.empty()) throw Error(ExitCode::environment, reason);
}

constexpr double largest_narrow = std::numeric_limits<std::int32_t>::max();

/// Uploads positions: 32 bits each where that is enough, because the library is best with them.
template <class T>
void add_start(CusparseMatrix<T>& matrix, const std::vector<offset>& start, DeviceArrays& arrays) {
  matrix.wide = static_cast<double>(start.back()) > largest_narrow;
  matrix.start =
      matrix.wide
          ? static_cast<const void*>(arrays.add(start))
          : static_cast<const void*>(arrays.add(std::vector<std::int32_t>(start.begin(), start.end())));
}

template <class T>
class CusparseOperator final : public LocalOperator<T> {
 public:
  CusparseOperator(std::unique_ptr<CusparseProduct<T>> product, DeviceArrays arrays, lidx rows,
                   const Footprint& footprint, const Traffic& traffic, std::string choices)
      : arrays_(std::move(arrays)),
        product_(std::move(product)),
        rows_(rows),
        footprint_(footprint),
        traffic_(traffic),
        choices_(std::move(choices)) {}

  void apply(Queue& queue, const T* x, T* y, Update update) const override {
    product_->apply(x, y, update, queue.stream());
  }
  Traffic traffic(Update update) const override {
    Traffic result = traffic_;
    if (update == Update::add) result.vector_bytes += static_cast<double>(rows_) * sizeof(T);
    return result;
  }
  Footprint footprint() const override { return footprint_; }
  std::string choices() const override { return choices_; }

 private:
  DeviceArrays arrays_;
  std::unique_ptr<CusparseProduct<T>> product_;
  lidx rows_;
  Footprint footprint_;
  Traffic traffic_;
  std::string choices_;
};

/// `unread_bytes` of the arrays are padding that the product cannot need.
template <class T>
std::unique_ptr<LocalOperator<T>> make_operator(std::unique_ptr<CusparseProduct<T>> product,
                                                DeviceArrays arrays, const Csr<T>& block, offset stored,
                                                double unread_bytes, std::string choices) {
  const offset padded_rows = (offset{block.rows} + warp_size - 1) / warp_size * warp_size;
  const auto array_bytes = static_cast<double>(arrays.bytes());
  const Footprint footprint{block.nonzeros(), stored, padded_rows * longest_row(block),
                            arrays.bytes() + product->workspace_bytes()};
  const Traffic traffic{array_bytes - unread_bytes, vector_bytes(block.rows, block.cols, sizeof(T)),
                        static_cast<double>(block.nonzeros()) * ValueTraits<T>::flops_per_nonzero};
  return std::make_unique<CusparseOperator<T>>(std::move(product), std::move(arrays), block.rows, footprint,
                                               traffic, std::move(choices));
}

template <class T>
CusparseMatrix<T> matrix_of(CusparseAlgorithm algorithm, const Csr<T>& block) {
  CusparseMatrix<T> matrix{};
  matrix.algorithm = algorithm;
  matrix.rows = block.rows;
  matrix.cols = block.cols;
  return matrix;
}

/// Of x and y, of which the library may want its own, and the row list.
template <class T>
double other_bytes(const Csr<T>& block, const std::vector<lidx>& row_list) {
  return 2 * vector_bytes(block.rows, block.cols, sizeof(T)) +
         static_cast<double>(row_list.size()) * sizeof(lidx);
}

/// Seconds of one product of a matrix without row list: the least of a few batches after some to warm up.
template <class T>
double seconds_of(CusparseProduct<T>& product, const CusparseMatrix<T>& matrix,
                  const std::shared_ptr<Backend>& backend) {
  Buffer<T> x(backend, static_cast<std::size_t>(matrix.cols), Memory::device);
  Buffer<T> y(backend, static_cast<std::size_t>(matrix.rows), Memory::device);
  const auto queue = backend->make_queue(Priority::normal);
  const auto begin = backend->make_event();
  const auto end = backend->make_event();
  queue->fill(x.data(), 0, x.bytes());
  double least = std::numeric_limits<double>::infinity();
  constexpr int batches = 4, calls = 5;  // the first batch warms up
  for (int batch = 0; batch < batches; ++batch) {
    queue->record(*begin);
    for (int call = 0; call < calls; ++call)
      product.apply(x.data(), y.data(), Update::assign, queue->stream());
    queue->record(*end);
    end->synchronize();
    if (batch > 0) least = std::min(least, end->seconds_since(*begin) / calls);
  }
  return least;
}

/// The algorithm that is faster for this matrix on this device.
template <class T>
CusparseAlgorithm faster_algorithm(CusparseMatrix<T> matrix, const std::shared_ptr<Backend>& backend) {
  if (matrix.rows == 0 || matrix.nonzeros == 0) return CusparseAlgorithm::csr_1;
  matrix.row_list = nullptr;  // what writes y costs both alike
  double seconds[2] = {};
  for (const auto algorithm : {CusparseAlgorithm::csr_1, CusparseAlgorithm::csr_2}) {
    matrix.algorithm = algorithm;
    const auto product = make_cusparse_product(matrix, backend);
    seconds[algorithm == CusparseAlgorithm::csr_2] = seconds_of(*product, matrix, backend);
  }
  return seconds[1] < seconds[0] ? CusparseAlgorithm::csr_2 : CusparseAlgorithm::csr_1;
}

template <class T>
std::unique_ptr<LocalOperator<T>> make_csr(const Csr<T>& block, const std::vector<lidx>& row_list,
                                           const FormatOptions&, const std::shared_ptr<Backend>& backend) {
  require_usable("cusparse_csr", *backend);
  require_row_list(block.rows, row_list);
  const double bytes = static_cast<double>(block.nonzeros()) * (sizeof(T) + sizeof(lidx)) +
                       (block.rows + 1.0) * sizeof(offset) + other_bytes(block, row_list);
  require_memory(*backend, "cusparse_csr", {bytes, 0}, "spread the matrix over more ranks");

  DeviceArrays arrays(backend);
  CusparseMatrix<T> matrix = matrix_of(CusparseAlgorithm::csr_1, block);
  matrix.nonzeros = matrix.stored = block.nonzeros();
  add_start(matrix, block.row_ptr, arrays);
  matrix.col = arrays.add(block.col);
  matrix.value = arrays.add(block.value);
  matrix.row_list = arrays.add_row_list(row_list);
  matrix.algorithm = faster_algorithm(matrix, backend);
  auto product = make_cusparse_product(matrix, backend);
  return make_operator(std::move(product), std::move(arrays), block, block.nonzeros(), 0,
                       matrix.algorithm == CusparseAlgorithm::csr_1 ? "ALG1" : "ALG2");
}

template <class T>
std::unique_ptr<LocalOperator<T>> make_sell(const Csr<T>& block, const std::vector<lidx>& row_list,
                                            const FormatOptions& options,
                                            const std::shared_ptr<Backend>& backend) {
  require_usable("cusparse_sell", *backend);
  require_row_list(block.rows, row_list);
  const lidx slice_rows = cusparse_slice_rows(options);
  double stored = 0;
  for (offset first = 0; first < block.rows; first += slice_rows) {
    offset longest = 0;
    for (offset row = first; row < std::min<offset>(first + slice_rows, block.rows); ++row)
      longest = std::max(longest, block.row_length(static_cast<lidx>(row)));
    stored += static_cast<double>(longest) * slice_rows;
  }
  const double bytes = stored * (sizeof(T) + sizeof(lidx)) +
                       (1.0 * block.rows / slice_rows + 2) * sizeof(offset) + other_bytes(block, row_list);
  require_memory(*backend, "cusparse_sell", {bytes, bytes}, "use fewer rows of a slice, or format csr");

  const SlicedEll<T> built = build_sliced_ell(block, slice_rows);
  DeviceArrays arrays(backend);
  CusparseMatrix<T> matrix = matrix_of(CusparseAlgorithm::sliced_ell, block);
  matrix.nonzeros = block.nonzeros();
  matrix.stored = static_cast<offset>(built.value.size());
  matrix.group = slice_rows;
  add_start(matrix, built.slice_start, arrays);
  matrix.col = arrays.add(built.col);
  matrix.value = arrays.add(built.value);
  matrix.row_list = arrays.add_row_list(row_list);
  auto product = make_cusparse_product(matrix, backend);
  // Without row lengths the columns of padding have to be read; its values need not be.
  const double unread = static_cast<double>(matrix.stored - matrix.nonzeros) * sizeof(T);
  return make_operator(std::move(product), std::move(arrays), block, matrix.stored, unread,
                       fmt::format("slices of {} rows", slice_rows));
}

template <class T>
std::unique_ptr<LocalOperator<T>> make_bsr(const Csr<T>& block, const std::vector<lidx>& row_list,
                                           const FormatOptions& options,
                                           const std::shared_ptr<Backend>& backend) {
  require_usable("cusparse_bsr", *backend);
  require_row_list(block.rows, row_list);
  const Analysis analysis = analyze(block);
  const int size = cusparse_block_size(analysis, options);
  double blocks = 0;
  for (const BlockCover& cover : analysis.block_covers)
    if (cover.size == size) blocks = static_cast<double>(cover.blocks);
  const double bytes = blocks * (static_cast<double>(sizeof(T)) * size * size + sizeof(lidx)) +
                       (1.0 * block.rows / size + 2) * sizeof(offset) + other_bytes(block, row_list);
  require_memory(*backend, "cusparse_bsr", {bytes, bytes}, "use format csr");

  const BlockCsr<T> built = build_block_csr(block, size);
  DeviceArrays arrays(backend);
  CusparseMatrix<T> matrix = matrix_of(CusparseAlgorithm::block_csr, block);
  matrix.nonzeros = static_cast<offset>(built.col.size());
  matrix.stored = static_cast<offset>(built.value.size());
  matrix.group = size;
  add_start(matrix, built.row_ptr, arrays);
  matrix.col = arrays.add(built.col);
  matrix.value = arrays.add(built.value);
  matrix.row_list = arrays.add_row_list(row_list);
  auto product = make_cusparse_product(matrix, backend);
  return make_operator(std::move(product), std::move(arrays), block, matrix.stored, 0,
                       fmt::format("blocks of {0} x {0}", size));
}

/// Rows by descending length within windows of sigma rows.
template <class T>
std::vector<lidx> sell_row_order(const Csr<T>& block, const FormatOptions& options) {
  if (options.sigma <= 1) return {};
  std::vector<lidx> order(static_cast<std::size_t>(block.rows));
  std::iota(order.begin(), order.end(), 0);
  for (offset first = 0; first < block.rows; first += options.sigma)
    std::stable_sort(order.begin() + first,
                     order.begin() + std::min<offset>(first + options.sigma, block.rows),
                     [&](lidx a, lidx b) { return block.row_length(a) > block.row_length(b); });
  return order;
}

/// Iterations as if the library spread the stored elements evenly: how it does is not known.
Cost library_cost(const Analysis& a, double bytes, double unread_bytes, double stored) {
  return {bytes, bytes - unread_bytes + vector_bytes(a), std::ceil(stored / warp_size),
          std::ceil(static_cast<double>(a.longest) / warp_size)};
}

/// Bytes of a position when there are `count` elements to point to.
double start_bytes(double count) {
  return count > largest_narrow ? sizeof(offset) : sizeof(std::int32_t);
}

Cost csr_cost(const Analysis& a, const FormatOptions&) {
  const auto nonzeros = static_cast<double>(a.nonzeros);
  const double bytes =
      nonzeros * static_cast<double>(a.value_bytes + sizeof(lidx)) + (a.rows + 1.0) * start_bytes(nonzeros);
  return library_cost(a, bytes, 0, nonzeros);
}

/// The analysis knows slices of 32 rows; others are taken for the same.
Cost sell_cost(const Analysis& a, const FormatOptions& options) {
  const double stored = static_cast<double>(a.iterations(options.sigma)) * warp_size;
  const double padding = stored - static_cast<double>(a.nonzeros);
  const double bytes = stored * static_cast<double>(a.value_bytes + sizeof(lidx)) +
                       (1.0 * a.rows / cusparse_slice_rows(options) + 1) * start_bytes(stored);
  return library_cost(a, bytes, padding * static_cast<double>(a.value_bytes), stored);
}

Cost bsr_cost(const Analysis& a, const FormatOptions& options) {
  const int size = cusparse_block_size(a, options);
  for (const BlockCover& cover : a.block_covers) {
    if (cover.size != size) continue;
    const auto blocks = static_cast<double>(cover.blocks);
    const double stored = blocks * size * size;
    const double bytes = stored * static_cast<double>(a.value_bytes) + blocks * sizeof(lidx) +
                         (1.0 * a.rows / size + 1) * start_bytes(blocks);
    return library_cost(a, bytes, 0, stored);
  }
  throw Error(ExitCode::internal, "the analysis does not know this size of block");
}

}  // namespace

template <class T>
std::vector<Format<T>> cusparse_formats() {
  return {
      {.name = "cusparse_csr",
       .summary = "baseline: cuSPARSE's CSR, the faster of its two algorithms; cuda only",
       .listed_at = 200,
       .make = make_csr<T>,
       .cost = csr_cost,
       .pace = {.iteration_ps = 200,
                .chain_ns = 0,
                .host_iteration_ns = 28,
                .build_ns = 0.9,
                .host_build_ns = 2.6},
       .why_unusable = [](const Backend& backend) { return why_unusable("cusparse_csr", backend); }},
      {.name = "cusparse_sell",
       .summary = "baseline: cuSPARSE's sliced ELLPACK, C rows a slice; cuda only",
       .listed_at = 210,
       .row_order = sell_row_order<T>,
       .make = make_sell<T>,
       .cost = sell_cost,
       .pace =
           {.iteration_ps = 140, .chain_ns = 0, .host_iteration_ns = 20, .build_ns = 9, .host_build_ns = 10},
       .why_unusable = [](const Backend& backend) { return why_unusable("cusparse_sell", backend); }},
      {.name = "cusparse_bsr",
       .summary = "baseline: cuSPARSE's BSR, dense b x b blocks filled up with zeros; cuda only",
       .listed_at = 220,
       .make = make_bsr<T>,
       .cost = bsr_cost,
       .pace =
           {.iteration_ps = 170, .chain_ns = 0, .host_iteration_ns = 44, .build_ns = 19, .host_build_ns = 22},
       .multiplies_fill = true,
       .why_unusable = [](const Backend& backend) { return why_unusable("cusparse_bsr", backend); }},
  };
}

SPMV_INSTANTIATE(cusparse_formats);

}  // namespace spmv
