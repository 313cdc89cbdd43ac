#include "kernels/ellpack_r/ellpack_r.hpp"

#include <utility>

#include "kernels/analysis.hpp"
#include "kernels/column_major.hpp"
#include "kernels/format_checks.hpp"
#include "kernels/format_operator.hpp"

namespace spmv {
namespace {

constexpr offset warp_size = 32;

offset padded_rows(lidx rows) {
  return (rows + warp_size - 1) / warp_size * warp_size;
}

template <class T>
std::unique_ptr<LocalOperator<T>> make(const Csr<T>& block, const std::vector<lidx>& row_list,
                                       const FormatOptions&, const std::shared_ptr<Backend>& backend) {
  require_row_list(block.rows, row_list);
  const double padded_bytes =
      static_cast<double>(padded_rows(block.rows)) * longest_row(block) * (sizeof(T) + sizeof(lidx));
  const double bytes = padded_bytes + (static_cast<double>(block.rows) + row_list.size()) * sizeof(lidx);
  require_memory(*backend, "ellpack_r", {bytes, bytes}, "use format pjds or csr");

  const EllpackR<T> built = build_ellpack_r(block);
  DeviceArrays arrays(backend);
  EllpackRView<T> view{};
  view.rows = block.rows;
  view.stride = built.stride;
  view.row_length = arrays.add(built.row_length);
  view.col = arrays.add(built.col);
  view.value = arrays.add(built.value);
  view.row_list = arrays.add_row_list(row_list);
  if (runs_host_code(*backend)) view.chunk_ptr = arrays.add(chunk_nonzeros(built.row_length));
  return make_format_operator(view, std::move(arrays), block, static_cast<offset>(built.value.size()));
}

Cost cost(const Analysis& a, const FormatOptions&) {
  const double element = static_cast<double>(a.value_bytes + sizeof(lidx));
  const double lengths = static_cast<double>(a.rows) * sizeof(lidx);
  return {static_cast<double>(padded_rows(a.rows)) * a.longest * element + lengths,
          static_cast<double>(a.nonzeros) * element + lengths + vector_bytes(a),
          static_cast<double>(a.iterations(1)), static_cast<double>(a.longest)};
}

}  // namespace

template <class T>
EllpackR<T> build_ellpack_r(const Csr<T>& block) {
  EllpackR<T> built;
  built.stride = padded_rows(block.rows);
  built.row_length.resize(block.rows);
  built.col.resize(built.stride * longest_row(block));
  built.value.resize(built.col.size());
#pragma omp parallel for schedule(static)
  for (lidx row = 0; row < block.rows; ++row) {
    const offset first = block.row_ptr[row];
    built.row_length[row] = static_cast<lidx>(block.row_length(row));
    for (lidx j = 0; j < built.row_length[row]; ++j) {
      built.col[j * built.stride + row] = block.col[first + j];
      built.value[j * built.stride + row] = block.value[first + j];
    }
  }
  return built;
}

template <class T>
Format<T> ellpack_r_format() {
  return {"ellpack_r", "rows padded to the longest, stored column-wise: for rows of like length",
          keep_row_order<T>, make<T>, cost};
}

template Format<float> ellpack_r_format();
template Format<double> ellpack_r_format();
template Format<std::complex<float>> ellpack_r_format();
template Format<std::complex<double>> ellpack_r_format();

template EllpackR<float> build_ellpack_r(const Csr<float>&);
template EllpackR<double> build_ellpack_r(const Csr<double>&);
template EllpackR<std::complex<float>> build_ellpack_r(const Csr<std::complex<float>>&);
template EllpackR<std::complex<double>> build_ellpack_r(const Csr<std::complex<double>>&);

}  // namespace spmv
