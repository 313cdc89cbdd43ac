// Tiles and k columns at once: every row is unpacked, and multiplied with all columns.
#include <cstdint>
#include <vector>

#include "core/value_types.hpp"
#include "kernels/parts/balanced_split.hpp"
#include "kernels/parts/half_size.hpp"
#include "kernels/parts/multivector_host.hpp"
#include "kernels/tiles/tiles.hpp"
#include "run_best.hpp"

namespace spmv {
namespace {

/// The elements of one row, unpacked.
template <class T>
struct UnpackedRow {
  std::vector<lidx> col;
  std::vector<T> value;
};

/// Unpacks `length` columns, from number `from` of the tile on.
void unpack_columns(const Tile& tile, const unsigned char* columns, offset from, offset length, lidx* to) {
  if (tile.columns == ColumnKind::full) {
    const lidx* const col = reinterpret_cast<const lidx*>(columns) + from;
    for (offset j = 0; j < length; ++j) to[j] = col[j];
  } else {
    const auto* const distance = reinterpret_cast<const std::uint16_t*>(columns) + from;
    for (offset j = 0; j < length; ++j) to[j] = tile.col_base + distance[j];
  }
}

/// Unpacks `length` values, from number `from` of all on.
template <class T>
void unpack_values(const TilesView<T>& a, offset from, offset length, T* to) {
  using Half = typename HalfOf<T>::Type;
  switch (a.values) {
    case ValueKind::constant:
      for (offset j = 0; j < length; ++j) to[j] = *a.dictionary;
      break;
    case ValueKind::dictionary:
      for (offset j = 0; j < length; ++j) to[j] = a.dictionary[a.value[from + j]];
      break;
    case ValueKind::half:
      for (offset j = 0; j < length; ++j)
        to[j] = static_cast<T>(reinterpret_cast<const Half*>(a.value)[from + j]);
      break;
    case ValueKind::full:
      for (offset j = 0; j < length; ++j) to[j] = reinterpret_cast<const T*>(a.value)[from + j];
      break;
  }
}

template <class T>
void multiply_tile(const TilesView<T>& a, const Tile& tile, const T* x, T* y, int k, Update update,
                   UnpackedRow<T>& row) {
  row.col.resize(std::max<std::size_t>(row.col.size(), tile.nonzeros));
  row.value.resize(row.col.size());
  for (offset i = tile.row; i < offset{tile.row} + tile.rows; ++i) {
    const offset begin = a.row_ptr[i];
    const offset length = a.row_ptr[i + 1] - begin;
    unpack_columns(tile, a.col + tile.col_at, begin - tile.first, length, row.col.data());
    unpack_values(a, begin, length, row.value.data());
    multiply_row_columns(PlainRow<T>{row.value.data(), row.col.data(), length}, x,
                         row_of_columns(y, a.row_list, i, k), k, update);
  }
}

}  // namespace

template <class T>
void multiply_columns_host(const TilesView<T>& a, const T* x, T* y, int k, Update update) {
  for_balanced_parts(a.nonzeros_before, a.tiles, [&](offset first, offset last) {
    UnpackedRow<T> row;
    run_best([&] {
      for (offset t = first; t < last; ++t) multiply_tile(a, a.tile[t], x, y, k, update, row);
    });
  });
}

SPMV_INSTANTIATE(multiply_columns_host);

}  // namespace spmv
