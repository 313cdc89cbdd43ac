#include "load/sample.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "io/generate/hash.hpp"

namespace spmv {
namespace {

constexpr gidx slice_rows = 32;  // rows that packed formats look at together

/// A pseudo-random place in the n-th of `parts` equal parts of `count` rows. Places at even distances would meet a periodic
/// feature of the matrix always or never.
gidx place_in_part(gidx n, gidx parts, gidx count) {
  const double at = static_cast<double>(n) + unit_value(mixed(static_cast<std::uint64_t>(n)));
  return static_cast<gidx>(at / static_cast<double>(parts) * static_cast<double>(count));
}

}  // namespace

double estimate_nonzeros(const RowSource& source, gidx first, gidx count, gidx few) {
  const gidx looked_at = std::min(count, few);
  gidx nonzeros = 0;
#pragma omp parallel for schedule(static) reduction(+ : nonzeros)
  for (gidx n = 0; n < looked_at; ++n)
    nonzeros += source.row_length(first + (looked_at == count ? n : place_in_part(n, looked_at, count)));
  return looked_at > 0
             ? static_cast<double>(nonzeros) / static_cast<double>(looked_at) * static_cast<double>(count)
             : 0;
}

template <class T>
RowBlock<T> sample_rows(const RowSource& source, gidx first, gidx count, gidx slices) {
  if (count <= slices * slice_rows) return generate_rows<T>(source, first, count);
  RowBlock<T> sample;
  sample.first_row = first;
  for (gidx slice = 0; slice < slices; ++slice) {
    const gidx start = first + place_in_part(slice, slices, count - slice_rows);
    const RowBlock<T> rows = generate_rows<T>(source, start, slice_rows);
    for (gidx i = 0; i < rows.rows(); ++i)
      sample.row_ptr.push_back(sample.row_ptr.back() + rows.row_ptr[i + 1] - rows.row_ptr[i]);
    sample.col.insert(sample.col.end(), rows.col.begin(), rows.col.end());
    sample.value.insert(sample.value.end(), rows.value.begin(), rows.value.end());
  }
  return sample;
}

std::shared_ptr<const RowSource> rows_like(const MatrixSource& source) {
  if (source.generated) return make_generator(source.name);
  const double rows = std::max(1.0, static_cast<double>(source.shape.rows));
  const double cols = std::max(1.0, static_cast<double>(source.shape.cols));
  constexpr double longest_mean = 1e6;
  const double mean = std::min({source.entries / rows, cols, longest_mean});
  return make_generator(fmt::format("random:{:.0f},{:.0f},{}", rows, cols, mean));
}

SPMV_INSTANTIATE(sample_rows);

}  // namespace spmv
