#include "kernels/cusparse/cusparse.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/value_types.hpp"
#include "kernels/columns/plans.hpp"
#include "kernels/cusparse/cusparse_product.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/parts/format_operator.hpp"

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

/// Uploads positions: 32 bits each where that is enough, because the library is best with them.
template <class T>
void add_start(CusparseMatrix<T>& matrix, const std::vector<offset>& start, DeviceArrays& arrays) {
  matrix.wide = cusparse_start_bytes(static_cast<double>(start.back())) == sizeof(offset);
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
  using LocalOperator<T>::traffic;
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

/// The arrays on the device, as many nonzeros as columns. `start`: of rows, slices or rows of blocks.
template <class T>
CusparseMatrix<T> matrix_of(CusparseAlgorithm algorithm, const BuildRequest<T>& request,
                            const std::vector<offset>& start, const std::vector<lidx>& col,
                            const std::vector<T>& value, DeviceArrays& arrays) {
  CusparseMatrix<T> matrix{};
  matrix.algorithm = algorithm;
  matrix.rows = request.block.rows;
  matrix.cols = request.block.cols;
  matrix.nonzeros = static_cast<offset>(col.size());
  matrix.stored = static_cast<offset>(value.size());
  add_start(matrix, start, arrays);
  matrix.col = arrays.add(col);
  matrix.value = arrays.add(value);
  matrix.row_list = arrays.add_row_list(request.row_list);
  return matrix;
}

/// Of x and y, of which the library may want its own, and the row list.
template <class T>
double other_bytes(const BuildRequest<T>& request) {
  return 2 * vector_bytes(request.block.rows, request.block.cols, sizeof(T)) +
         static_cast<double>(request.row_list.size()) * sizeof(lidx);
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
  matrix.row_list = nullptr;  // writing y costs both the same
  double seconds[2] = {};
  for (const auto algorithm : {CusparseAlgorithm::csr_1, CusparseAlgorithm::csr_2}) {
    matrix.algorithm = algorithm;
    const auto product = make_cusparse_product(matrix, backend);
    seconds[algorithm == CusparseAlgorithm::csr_2] = seconds_of(*product, matrix, backend);
  }
  return seconds[1] < seconds[0] ? CusparseAlgorithm::csr_2 : CusparseAlgorithm::csr_1;
}

template <class T>
std::unique_ptr<LocalOperator<T>> make_csr(const BuildRequest<T>& request) {
  const Csr<T>& block = request.block;
  const auto& backend = request.backend;
  require_usable("cusparse_csr", *backend);
  require_row_list(block.rows, request.row_list);
  const double bytes = static_cast<double>(block.nonzeros()) * (sizeof(T) + sizeof(lidx)) +
                       (block.rows + 1.0) * sizeof(offset) + other_bytes(request);
  require_memory(*backend, "cusparse_csr", {bytes, 0}, "spread the matrix over more ranks");

  DeviceArrays arrays(backend);
  CusparseMatrix<T> matrix =
      matrix_of(CusparseAlgorithm::csr_1, request, block.row_ptr, block.col, block.value, arrays);
  matrix.algorithm = faster_algorithm(matrix, backend);
  auto product = make_cusparse_product(matrix, backend);
  return make_operator(std::move(product), std::move(arrays), block, block.nonzeros(), 0,
                       matrix.algorithm == CusparseAlgorithm::csr_1 ? "ALG1" : "ALG2");
}

template <class T>
std::unique_ptr<LocalOperator<T>> make_sell(const BuildRequest<T>& request) {
  const Csr<T>& block = request.block;
  const auto& backend = request.backend;
  require_usable("cusparse_sell", *backend);
  require_row_list(block.rows, request.row_list);
  const lidx slice_rows = cusparse_slice_rows(request.options);
  const SlicedPlan plan = plan_sliced(row_lengths(block.row_ptr), slice_rows);
  const double bytes = static_cast<double>(plan.stored) * (sizeof(T) + sizeof(lidx)) +
                       (1.0 * block.rows / slice_rows + 2) * sizeof(offset) + other_bytes(request);
  require_memory(*backend, "cusparse_sell", {bytes, bytes}, "use fewer rows of a slice, or format csr");

  const SlicedEll<T> built = build_sliced_ell(block, slice_rows);
  DeviceArrays arrays(backend);
  CusparseMatrix<T> matrix =
      matrix_of(CusparseAlgorithm::sliced_ell, request, built.slice_start, built.col, built.value, arrays);
  matrix.nonzeros = block.nonzeros();
  matrix.group = slice_rows;
  auto product = make_cusparse_product(matrix, backend);
  // Without row lengths the columns of padding have to be read; its values need not be.
  const double unread = static_cast<double>(matrix.stored - matrix.nonzeros) * sizeof(T);
  return make_operator(std::move(product), std::move(arrays), block, matrix.stored, unread,
                       fmt::format("slices of {} rows", slice_rows));
}

template <class T>
std::unique_ptr<LocalOperator<T>> make_bsr(const BuildRequest<T>& request) {
  const Csr<T>& block = request.block;
  const auto& backend = request.backend;
  require_usable("cusparse_bsr", *backend);
  require_row_list(block.rows, request.row_list);
  constexpr offset most_slices = 1 << 14;  // to look at
  const std::vector<BlockCover> covers = block_covers(block, most_slices);
  const int size = cusparse_block_size(covers, block.rows, sizeof(T), request.options);
  double blocks = 0;
  for (const BlockCover& cover : covers)
    if (cover.size == size) blocks = static_cast<double>(cover.blocks);
  const double bytes = blocks * (static_cast<double>(sizeof(T)) * size * size + sizeof(lidx)) +
                       (1.0 * block.rows / size + 2) * sizeof(offset) + other_bytes(request);
  require_memory(*backend, "cusparse_bsr", {bytes, bytes}, "use format csr");

  const BlockElements<T> built = build_block_csr(block, size);
  DeviceArrays arrays(backend);
  CusparseMatrix<T> matrix =
      matrix_of(CusparseAlgorithm::block_csr, request, built.row_ptr, built.col, built.value, arrays);
  matrix.group = size;
  auto product = make_cusparse_product(matrix, backend);
  return make_operator(std::move(product), std::move(arrays), block, matrix.stored, 0,
                       fmt::format("blocks of {0} x {0}", size));
}

}  // namespace

template <class T>
std::vector<Format<T>> cusparse_formats() {
  return {
      {.name = "cusparse_csr",
       .summary = "baseline: cuSPARSE's CSR, the faster of its two algorithms; cuda only",
       .listed_at = 200,
       .make = make_csr<T>,
       .why_unusable = [](const Backend& backend) { return why_unusable("cusparse_csr", backend); }},
      {.name = "cusparse_sell",
       .summary = "baseline: cuSPARSE's sliced ELLPACK, C rows a slice; cuda only",
       .listed_at = 210,
       .row_order = sort_in_windows<T>,
       .make = make_sell<T>,
       .why_unusable = [](const Backend& backend) { return why_unusable("cusparse_sell", backend); }},
      {.name = "cusparse_bsr",
       .summary = "baseline: cuSPARSE's BSR, dense b x b blocks filled up with zeros; cuda only",
       .listed_at = 220,
       .make = make_bsr<T>,
       .multiplies_fill = true,
       .why_unusable = [](const Backend& backend) { return why_unusable("cusparse_bsr", backend); }},
  };
}

SPMV_INSTANTIATE(cusparse_formats);

}  // namespace spmv
