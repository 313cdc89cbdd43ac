#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/region_failure.hpp"
#include "core/value_types.hpp"
#include "io/generate/generator.hpp"

namespace spmv {
namespace {

constexpr gidx worth_threads = 4096;       // rows; fewer take less time than starting threads
constexpr gidx rows_per_report = 1 << 18;  // to `progress`: some milliseconds

}  // namespace

template <class T>
RowBlock<T> generate_rows(const RowSource& source, gidx first, gidx count, const Progress& progress) {
  const gidx all = source.shape().rows;
  if (first < 0 || count < 0 || first > all || count > all - first) {
    throw Error(ExitCode::internal,
                fmt::format("a matrix of {} rows does not have {} rows from row {} on", all, count, first));
  }
  RowBlock<T> block;
  block.first_row = first;
  block.row_ptr.resize(count + 1);
#pragma omp parallel for schedule(static) if (count >= worth_threads)
  for (gidx i = 0; i < count; ++i) block.row_ptr[i + 1] = source.row_length(first + i);
  for (gidx i = 0; i < count; ++i) block.row_ptr[i + 1] += block.row_ptr[i];

  block.col.resize(block.nonzeros());
  block.value.resize(block.nonzeros());
  for (gidx begin = 0; begin < count; begin += rows_per_report) {
    const gidx end = std::min(count, begin + rows_per_report);
    RegionFailure failure;
#pragma omp parallel if (end - begin >= worth_threads)
    {
      // row() writes doubles, and may use longest_row() elements: more than the row has.
      std::vector<gidx> cols;
      std::vector<double> values;
      failure.guard([&] {
        cols.resize(source.longest_row());
        values.resize(source.longest_row());
      });
#pragma omp for schedule(static)
      for (gidx i = begin; i < end; ++i)
        failure.guard([&] {
          const int length = source.row(first + i, cols.data(), values.data());
          const offset at = block.row_ptr[i];
          for (int j = 0; j < length; ++j) {
            block.col[at + j] = cols[j];
            block.value[at + j] = static_cast<T>(values[j]);
          }
        });
    }
    failure.rethrow();
    if (progress) progress(static_cast<std::uint64_t>(end), static_cast<std::uint64_t>(count));
  }
  return block;
}

SPMV_INSTANTIATE(generate_rows);

}  // namespace spmv
