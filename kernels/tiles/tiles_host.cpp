#include <omp.h>

#include "core/value_types.hpp"
#include "kernels/parts/balanced_split.hpp"
#include "kernels/parts/row_product.hpp"
#include "kernels/tiles/tiles.hpp"
#include "run_best.hpp"

namespace spmv {
namespace {

// Columns of a tile and values of all, from some element on. from(k) is what begins k elements later.
struct FullColumns {
  const lidx* col;
  FullColumns from(offset k) const { return {col + k}; }
  lidx operator()(offset k) const { return col[k]; }
  void prefetch(offset k) const { prefetch_ahead(col + k); }
};
/// Counted from the tile's least column, and so is x: adding it to each column took up to an eighth of the time.
struct ShortColumns {
  const std::uint16_t* distance;
  ShortColumns from(offset k) const { return {distance + k}; }
  offset operator()(offset k) const { return distance[k]; }
  void prefetch(offset k) const { prefetch_ahead(distance + k); }
};

template <class T>
struct FullValues {
  const T* value;
  FullValues from(offset k) const { return {value + k}; }
  const T& operator()(offset k) const { return value[k]; }
  void prefetch(offset k) const { prefetch_ahead(value + k); }
};
template <class T>
struct HalfValues {
  const typename HalfOf<T>::Type* value;
  HalfValues from(offset k) const { return {value + k}; }
  T operator()(offset k) const { return static_cast<T>(value[k]); }
  void prefetch(offset k) const { prefetch_ahead(value + k); }
};
template <class T>
struct DictionaryValues {
  const unsigned char* number;
  const T* dictionary;
  DictionaryValues from(offset k) const { return {number + k, dictionary}; }
  T operator()(offset k) const { return load_alone(dictionary, number[k]); }
  void prefetch(offset k) const { prefetch_ahead(number + k); }
};
template <class T>
struct ConstantValue {
  const T* dictionary;
  ConstantValue from(offset) const { return *this; }
  const T& operator()(offset) const { return *dictionary; }
  void prefetch(offset) const {}
};

/// Where the sums of rows go.
template <class T>
struct Target {
  T* y;
  const lidx* row_list;  // or nullptr
  Update update;

  void store(offset row, const T& sum) const {
    T& element = y[row_list ? row_list[row] : row];
    element = update == Update::add ? element + sum : sum;
  }
};

template <class T, class Columns, class Values>
void multiply_tile(const TilesView<T>& a, const Tile& tile, Columns cols, Values values, const T* x,
                   Target<T> target) {
  offset first = tile.first;
  for (offset row = tile.row; row < offset{tile.row} + tile.rows; ++row) {
    const offset last = a.row_ptr[row + 1];
    const Columns col = cols.from(first - tile.first);
    const Values value = values.from(first);
    const auto prefetch = [col, value](offset j) {
      value.prefetch(j);
      col.prefetch(j);
    };
    target.store(row, row_product<T>(last - first, value, col, prefetch, x));
    first = last;
  }
}

template <class T, class Values>
void multiply_part(const TilesView<T>& a, offset first, offset last, Values value, const T* x,
                   Target<T> target) {
  for (offset t = first; t < last; ++t) {
    const Tile& tile = a.tile[t];
    const unsigned char* const col = a.col + tile.col_at;
    if (tile.columns == ColumnKind::full)
      multiply_tile(a, tile, FullColumns{reinterpret_cast<const lidx*>(col)}, value, x, target);
    else
      multiply_tile(a, tile, ShortColumns{reinterpret_cast<const std::uint16_t*>(col)}, value,
                    x + tile.col_base, target);
  }
}

template <class T, class Values>
void multiply_tiles(const TilesView<T>& a, Values value, const T* x, T* y, Update update) {
#pragma omp parallel
  {
    const int part = omp_get_thread_num();
    const int parts = omp_get_num_threads();
    const offset first = first_of_part(a.nonzeros_before, a.tiles, part, parts);
    const offset last = first_of_part(a.nonzeros_before, a.tiles, part + 1, parts);
    run_best([&] { multiply_part(a, first, last, value, x, Target<T>{y, a.row_list, update}); });
  }
}

}  // namespace

template <class T>
void multiply_host(const TilesView<T>& a, const T* x, T* y, Update update) {
  switch (a.values) {
    case ValueKind::constant:
      return multiply_tiles(a, ConstantValue<T>{a.dictionary}, x, y, update);
    case ValueKind::dictionary:
      return multiply_tiles(a, DictionaryValues<T>{a.value, a.dictionary}, x, y, update);
    case ValueKind::half:
      return multiply_tiles(a, HalfValues<T>{reinterpret_cast<const typename HalfOf<T>::Type*>(a.value)}, x,
                            y, update);
    case ValueKind::full:
      return multiply_tiles(a, FullValues<T>{reinterpret_cast<const T*>(a.value)}, x, y, update);
  }
}

SPMV_INSTANTIATE(multiply_host);

}  // namespace spmv
