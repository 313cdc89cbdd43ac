// Steps of packing tiles, and how one element is packed: the same code on the host and on the device. All pointers are
// device memory.
#pragma once

#include "kernels/packed/pack.hpp"
#include "kernels/tiles/tiles.hpp"

namespace spmv {

/// Finds the shortest columns that hold a tile, for every tile that has nonzeros.
struct ChooseColumns {
  lidx tiles;
  const lidx* col;
  Tile* tile;
};
/// Writes the columns of all tiles.
struct PackColumns {
  lidx tiles;
  const Tile* tile;
  const lidx* col;
  unsigned char* to;
};
/// `misfit`, which is 0, becomes 1 if a value is not exact in half its size.
template <class T>
struct FindMisfit {
  offset count;
  const T* value;
  unsigned* misfit;
};
/// Writes all values.
template <class T>
struct PackValues {
  offset count;
  ValueKind kind;
  const T* dictionary;
  int dictionary_size;
  const T* value;
  unsigned char* to;
};

/// Of a value.
template <class T>
constexpr std::size_t packed_bytes(ValueKind kind) {
  return kind == ValueKind::constant     ? 0
         : kind == ValueKind::dictionary ? 1
         : kind == ValueKind::half       ? sizeof(typename HalfOf<T>::Type)
                                         : sizeof(T);
}

constexpr void set_columns(Tile& tile, lidx low, lidx high) {
  tile.col_base = low;
  tile.columns = high - low <= most_distance16 ? ColumnKind::distance16 : ColumnKind::full;
}

/// Element k of the tile. `Step` is PackColumns: only a template may be constexpr, and so run on both sides, and write
/// through a pointer of another type.
template <class Step>
constexpr void pack_column(const Step& step, const Tile& tile, lidx k) {
  unsigned char* const to = step.to + tile.col_at;
  const lidx col = step.col[tile.first + k];
  if (tile.columns == ColumnKind::distance16)
    reinterpret_cast<std::uint16_t*>(to)[k] = static_cast<std::uint16_t>(col - tile.col_base);
  else
    reinterpret_cast<lidx*>(to)[k] = col;
}

/// Value k of all.
template <class T>
constexpr void pack_value(const PackValues<T>& step, offset k) {
  const T& value = step.value[k];
  if (step.kind == ValueKind::dictionary)
    step.to[k] = static_cast<unsigned char>(dictionary_number(step.dictionary, step.dictionary_size, value));
  else if (step.kind == ValueKind::half)
    to_half(value, reinterpret_cast<typename HalfOf<T>::Type*>(step.to)[k]);
  else if (step.kind == ValueKind::full)
    reinterpret_cast<T*>(step.to)[k] = value;
}

}  // namespace spmv
