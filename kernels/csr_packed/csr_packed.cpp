#include "kernels/csr_packed/csr_packed.hpp"

#include <complex>

#include "kernels/analysis.hpp"
#include "kernels/tiles/tiles.hpp"
#include "kernels/value_set.hpp"

namespace spmv {
namespace {

template <class T>
std::unique_ptr<LocalOperator<T>> make(const Csr<T>& block, const std::vector<lidx>& row_list,
                                       const FormatOptions&, const std::shared_ptr<Backend>& backend) {
  return make_tiled("csr_packed", true, block, row_list, backend);
}

Cost cost(const Analysis& a, const FormatOptions&) {
  const auto full = static_cast<double>(a.value_bytes);
  const double value = a.distinct_values == 1                        ? 0
                       : a.distinct_values <= most_dictionary_values ? 1
                       : a.float_share == 1                          ? full / 2
                                                                     : full;
  const double col = a.cols <= 65536 ? 2 : 4 - 2 * a.offset16_share;
  const double bytes =
      static_cast<double>(a.nonzeros) * (value + col) + (a.rows + 1.0) * sizeof(offset) +
      static_cast<double>(a.nonzeros) / (tile_threads * tile_items(a.nonzeros)) * sizeof(Tile);
  return {bytes, bytes + vector_bytes(a), static_cast<double>(a.nonzeros) / warp_rows, 8};
}

}  // namespace

template <class T>
Format<T> csr_packed_format() {
  return {"csr_packed",
          "CSR in tiles, columns as short distances, values by number or in half their size",
          tiles_row_order<T>,
          make<T>,
          cost,
          nullptr,
          false,
          true};
}

template Format<float> csr_packed_format();
template Format<double> csr_packed_format();
template Format<std::complex<float>> csr_packed_format();
template Format<std::complex<double>> csr_packed_format();

}  // namespace spmv
