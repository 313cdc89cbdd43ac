#include "kernels/csr/csr.hpp"

#include "kernels/analysis.hpp"
#include "kernels/tiles/tiles.hpp"

namespace spmv {
namespace {

template <class T>
std::unique_ptr<LocalOperator<T>> make(const Csr<T>& block, const std::vector<lidx>& row_list,
                                       const FormatOptions&, const std::shared_ptr<Backend>& backend) {
  return make_tiled("csr", false, block, row_list, backend);
}

Cost cost(const Analysis& a, const FormatOptions&) {
  const double bytes =
      static_cast<double>(a.nonzeros) * static_cast<double>(a.value_bytes + sizeof(lidx)) +
      (a.rows + 1.0) * sizeof(offset) +
      static_cast<double>(a.nonzeros) / (tile_threads * tile_items(a.nonzeros)) * sizeof(Tile);
  return {bytes, bytes + vector_bytes(a), static_cast<double>(a.nonzeros) / warp_rows, 8};
}

}  // namespace

int csr_threads_per_row(lidx rows, offset nonzeros) {
  int threads = 1;
  while (threads < 32 && 3 * static_cast<offset>(threads) * rows <= nonzeros) threads *= 2;
  return threads;
}

template <class T>
Format<T> csr_format() {
  return {"csr", "compressed sparse rows, in tiles of like many nonzeros: any row lengths",
          tiles_row_order<T>, make<T>, cost};
}

template Format<float> csr_format();
template Format<double> csr_format();
template Format<std::complex<float>> csr_format();
template Format<std::complex<double>> csr_format();

}  // namespace spmv
