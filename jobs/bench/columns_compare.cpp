// Products with several columns on one GPU beside cuSPARSE's SpMM, in one run: every algorithm of its CSR in both layouts.
//   columns_compare [--columns K,...] [--format NAME,...] [--value float|double] MATRIX...
// MATRIX: a file or a generator's specification. Prints the median of some rounds, in microseconds for all columns and for one; what
// cuSPARSE cannot do is left out. Results are checked against each other by tests, not here.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <cusparse.h>
#include <fmt/format.h>

#include "bench_main.hpp"
#include "core/statistics.hpp"
#include "format_measure.hpp"
#include "kernels/by_columns.hpp"

namespace spmv {
namespace {

struct Settings {
  std::vector<int> columns = {1, 2, 4, 8, 16, 32};
  std::vector<std::string> formats = {"csr", "sell", "pjds", "ellpack_r", "sell_packed", "sell_blocked"};
  std::string value = "double";
  std::vector<std::string> matrices;
};

void check(cusparseStatus_t status, const char* doing) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw Error(ExitCode::environment,
                fmt::format("cuSPARSE failed to {}: {}", doing, cusparseGetErrorString(status)));
}

struct Destroy {
  void operator()(cusparseHandle_t handle) const { cusparseDestroy(handle); }
  void operator()(cusparseSpMatDescr_t matrix) const { cusparseDestroySpMat(matrix); }
  void operator()(cusparseDnMatDescr_t matrix) const { cusparseDestroyDnMat(matrix); }
};
using Handle = std::unique_ptr<std::remove_pointer_t<cusparseHandle_t>, Destroy>;
using Sparse = std::unique_ptr<std::remove_pointer_t<cusparseSpMatDescr_t>, Destroy>;
using Dense = std::unique_ptr<std::remove_pointer_t<cusparseDnMatDescr_t>, Destroy>;

template <class T>
constexpr cudaDataType_t data_type = sizeof(T) == sizeof(float) ? CUDA_R_32F : CUDA_R_64F;

/// Median seconds of some batches of a product.
double median_seconds(Stopwatch& watch, const std::function<void()>& product) {
  const Rounds rounds;
  const int calls = watch.calls_for(rounds.batch_ms, product);
  std::vector<double> seconds;
  for (int i = 0; i < rounds.count; ++i) seconds.push_back(watch.batch(calls, product));
  return median(seconds);
}

/// A CSR matrix of cuSPARSE and its dense matrices.
template <class T>
class Spmm {
 public:
  Spmm(const Csr<T>& block, Stopwatch& watch) : watch_(watch), rows_(block.rows), cols_(block.cols) {
    const std::vector<std::int32_t> row_ptr(block.row_ptr.begin(), block.row_ptr.end());
    row_ptr_ = upload(watch.backend(), row_ptr.data(), row_ptr.size());
    col_ = upload(watch.backend(), block.col.data(), block.col.size());
    value_ = upload(watch.backend(), block.value.data(), block.value.size());
    cusparseHandle_t handle = nullptr;
    check(cusparseCreate(&handle), "start");
    handle_.reset(handle);
    check(cusparseSetStream(handle, static_cast<cudaStream_t>(watch.queue().stream())), "take a stream");
    cusparseSpMatDescr_t matrix = nullptr;
    check(cusparseCreateCsr(&matrix, rows_, cols_, block.nonzeros(), row_ptr_.data(), col_.data(),
                            value_.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                            data_type<T>),
          "describe a matrix");
    matrix_.reset(matrix);
  }

  /// Prints the times of what it can do, and returns the least.
  double best(int columns, const T* x, T* y) {
    constexpr std::pair<cusparseOrder_t, const char*> orders[] = {{CUSPARSE_ORDER_ROW, "by rows"},
                                                                  {CUSPARSE_ORDER_COL, "by columns"}};
    constexpr std::pair<cusparseSpMMAlg_t, const char*> algorithms[] = {
        {CUSPARSE_SPMM_CSR_ALG1, "cusparse ALG1"},
        {CUSPARSE_SPMM_CSR_ALG2, "cusparse ALG2"},
        {CUSPARSE_SPMM_CSR_ALG3, "cusparse ALG3"}};
    double least = 0;
    for (const auto& [order, order_name] : orders)
      for (const auto& [algorithm, name] : algorithms) {
        const double seconds = time(columns, order, algorithm, x, y);
        if (seconds == 0) continue;
        fmt::print("{:<16}{:<12}{:>6}{:>12.2f}{:>12.2f}\n", name, order_name, columns, seconds * 1e6,
                   seconds * 1e6 / columns);
        if (least == 0 || seconds < least) least = seconds;
      }
    return least;
  }

 private:
  Dense dense(lidx rows, int columns, cusparseOrder_t order, const T* values) const {
    cusparseDnMatDescr_t matrix = nullptr;
    check(cusparseCreateDnMat(&matrix, rows, columns, order == CUSPARSE_ORDER_ROW ? columns : rows,
                              const_cast<T*>(values), data_type<T>, order),
          "describe a dense matrix");
    return Dense(matrix);
  }
  /// 0: it cannot.
  double time(int columns, cusparseOrder_t order, cusparseSpMMAlg_t algorithm, const T* x, T* y) {
    const Dense of_x = dense(cols_, columns, order, x), of_y = dense(rows_, columns, order, y);
    const T one = 1, zero = 0;
    const auto call = [&](auto function, auto* buffer) {
      return function(handle_.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one,
                      matrix_.get(), of_x.get(), &zero, of_y.get(), data_type<T>, algorithm, buffer);
    };
    std::size_t bytes = 0;
    if (call(cusparseSpMM_bufferSize, &bytes) != CUSPARSE_STATUS_SUCCESS) return 0;
    Buffer<char> buffer(watch_.backend(), std::max<std::size_t>(bytes, 1), Memory::device);
    auto* const at = static_cast<void*>(buffer.data());
    if (call(cusparseSpMM_preprocess, at) != CUSPARSE_STATUS_SUCCESS) return 0;
    if (call(cusparseSpMM, at) != CUSPARSE_STATUS_SUCCESS) return 0;
    const double seconds = median_seconds(watch_, [&] { check(call(cusparseSpMM, at), "multiply"); });
    watch_.queue().synchronize();
    return seconds;
  }

  Stopwatch& watch_;
  lidx rows_, cols_;
  Buffer<std::int32_t> row_ptr_;
  Buffer<lidx> col_;
  Buffer<T> value_;
  Handle handle_;
  Sparse matrix_;
};

/// Random elements, so that no power is saved by multiplying zeros.
template <class T>
Buffer<T> random_elements(Stopwatch& watch, std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = x_value<T>(static_cast<gidx>(i), 1);
  return upload(watch.backend(), values.data(), count);
}

template <class T>
void compare(const Settings& settings, Stopwatch& watch, const std::string& name) {
  const Csr<T> block = as_one_block(load_whole<T>(name), whole_columns(name), name);
  const int most = *std::max_element(settings.columns.begin(), settings.columns.end());
  const auto elements = [&](lidx rows) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(most);
  };
  const Buffer<T> x = random_elements<T>(watch, elements(block.cols));
  Buffer<T> y(watch.backend(), elements(block.rows), Memory::device);
  Buffer<T> column_x(watch.backend(), static_cast<std::size_t>(block.cols), Memory::device);
  Buffer<T> column_y(watch.backend(), static_cast<std::size_t>(block.rows), Memory::device);
  fmt::print("\n{}: {} rows, {} nonzeros, {}\n{:<16}{:<12}{:>6}{:>12}{:>12}{:>12}\n", name, block.rows,
             block.nonzeros(), settings.value, "format", "", "k", "us", "us/column", "of bytes");
  const double rate = watch.copy_rate(Rounds{});
  Spmm<T> spmm(block, watch);
  std::vector<double> least;
  for (const int k : settings.columns) least.push_back(spmm.best(k, x.data(), y.data()));
  for (const std::string& format_name : settings.formats) {
    const Format<T>& format = pick(formats<T>(), format_name, "format");
    const OrderedOperator<T> ordered =
        make_ordered(format, BuildRequest<T>{block, {}, {}, watch.backend(), block.rows == block.cols});
    for (std::size_t i = 0; i < settings.columns.size(); ++i) {
      const int k = settings.columns[i];
      const double seconds = median_seconds(watch, [&] {
        if (ordered.op->takes_columns())
          return ordered.op->apply_columns(watch.queue(), x.data(), y.data(), k, Update::assign);
        apply_by_columns(*ordered.op, watch.queue(), x.data(), y.data(), k, Update::assign,
                         ColumnScratch<T>{column_x.data(), block.cols, column_y.data(), block.rows});
      });
      watch.queue().synchronize();
      const Traffic traffic = ordered.op->traffic(Update::assign, k);
      const double by_bytes = (traffic.matrix_bytes + traffic.vector_bytes) / rate;
      fmt::print("{:<16}{:<12}{:>6}{:>12.2f}{:>12.2f}{:>11.2f}x   cuSPARSE's best: {:.2f}x\n", format_name,
                 ordered.op->takes_columns() ? "together" : "one by one", k, seconds * 1e6, seconds * 1e6 / k,
                 seconds / by_bytes, least[i] / seconds);
    }
  }
}

ExitCode run(const Settings& settings) {
  Stopwatch watch("cuda");
  fmt::print("{}\n", watch.backend()->describe());
  for (const std::string& name : settings.matrices)
    settings.value == "float" ? compare<float>(settings, watch, name)
                              : compare<double>(settings, watch, name);
  return ExitCode::ok;
}

}  // namespace
}  // namespace spmv

int main(int argc, char** argv) {
  spmv::Settings settings;
  CLI::App app("Products with several columns beside cuSPARSE's SpMM", "columns_compare");
  app.add_option("--columns", settings.columns, "numbers of columns")
      ->delimiter(',')
      ->check(CLI::Range(1, spmv::most_columns));
  app.add_option("--format", settings.formats, "formats")->delimiter(',');
  app.add_option("--value", settings.value, "value type")->check(CLI::IsMember({"float", "double"}));
  app.add_option("matrices", settings.matrices, "files or generators")->required();
  return spmv::bench_main(app, argc, argv, [&] { return spmv::run(settings); });
}
