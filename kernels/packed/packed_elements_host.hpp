// The host product of slices whose elements lie anywhere: four slice columns at a time, unpacked into memory for gather
// instructions, or straight from the slice's streams where every element of x is loaded by an instruction of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/types.hpp"
#include "kernels/packed/packed.hpp"
#include "kernels/packed/slice.hpp"
#include "kernels/parts/half_size.hpp"
#include "kernels/parts/row_lanes.hpp"
#include "kernels/parts/row_product.hpp"
#include "kernels/parts/x_loads.hpp"

namespace spmv::packed_host {

/// Columns of slice column j; what lanes without an element get means nothing.
template <class T>
void unpack_columns(const Slice& slice, const Head<T>& head, const unsigned char* cols, lidx j, lidx* out) {
  switch (slice.columns()) {
    case ColumnKind::diagonals:
      for (int lane = 0; lane < slice_rows; ++lane) out[lane] = head.base + lane;
      break;
    case ColumnKind::distance8:
      for (int lane = 0; lane < slice_rows; ++lane) out[lane] = head.base + cols[grouped_at(j, lane)];
      break;
    case ColumnKind::distance16: {
      const auto* distances = reinterpret_cast<const std::uint16_t*>(cols);
      for (int lane = 0; lane < slice_rows; ++lane) out[lane] = head.base + distances[grouped_at(j, lane)];
      break;
    }
    case ColumnKind::full:
      std::copy_n(reinterpret_cast<const lidx*>(cols) + lone_at(j, 0), slice_rows, out);
      break;
  }
}

/// The values of a slice as they are stored.
template <class T>
struct StoredValues {
  const unsigned char* bytes;
  const T* dictionary;
};
template <class T>
StoredValues<T> values_of(const PackedView<T>& a, const Slice& slice) {
  return {a.value + slice.value_begin(), a.dictionary};
}

/// Value k of the `scalars` values of element j.
struct ValuePlace {
  lidx j;
  int scalars = 1;
  int k = 0;
};

/// The values of all lanes at this place.
template <class T>
void unpack_values(const Slice& slice, const Head<T>& head, const StoredValues<T>& stored,
                   const ValuePlace& place, T* out) {
  using Half = typename HalfOf<T>::Type;
  const auto& [values, dictionary] = stored;
  const offset at = lone_at(static_cast<offset>(place.j) * place.scalars + place.k, 0);
  switch (slice.values()) {
    case ValueKind::constant:
      std::fill_n(out, slice_rows, head.value);
      break;
    case ValueKind::dictionary:
      for (int lane = 0; lane < slice_rows; ++lane)
        out[lane] = dictionary[values[place.scalars == 1 ? grouped_at(place.j, lane) : at + lane]];
      break;
    case ValueKind::half: {
      const Half* halves = reinterpret_cast<const Half*>(values) + at;
      for (int lane = 0; lane < slice_rows; ++lane) out[lane] = static_cast<T>(halves[lane]);
      break;
    }
    case ValueKind::full:
      std::copy_n(reinterpret_cast<const T*>(values) + at, slice_rows, out);
      break;
  }
}

/// Prefetches what comes some slice columns after these bytes, which are read in their order: far enough ahead to keep
/// memory busy while a slice is multiplied.
inline void ask_for_more(const void* begin, std::size_t bytes) {
  constexpr std::size_t ahead = 4096, line = 64;
  const char* const place = static_cast<const char*>(begin) + ahead;
  for (std::size_t at = 0; at < bytes; at += line) __builtin_prefetch(place + at);
}

/// Slice columns whose elements of a lane lie together, see grouped_at().
inline constexpr int group_columns = 4;
template <class Element>
using Group = Element[group_columns][slice_rows];

/// to_lane(k, lane, element) for elements of slice columns j to j + 3, which lie together. One loop over lanes: compilers make
/// whole vectors of it, while one over each column by itself would load every element alone.
template <class Element, class ToLane>
void each_of_group(const Element* first, const ToLane& to_lane) {
#pragma omp simd
  for (int lane = 0; lane < slice_rows; ++lane) {
    const Element* const of_lane = first + offset{lane} * group_columns;
    to_lane(0, lane, of_lane[0]);
    to_lane(1, lane, of_lane[1]);
    to_lane(2, lane, of_lane[2]);
    to_lane(3, lane, of_lane[3]);
  }
}

/// Columns of slice columns j to j + 3, of which the slice has the first `count`.
template <class T>
void unpack_column_group(const Slice& slice, const Head<T>* heads, const unsigned char* cols, lidx j,
                         int count, Group<lidx>& out) {
  lidx base[group_columns] = {};
  for (int k = 0; k < count; ++k) base[k] = heads[k].base;
  const auto add_base = [&](int k, int lane, lidx distance) { out[k][lane] = base[k] + distance; };
  if (slice.columns() == ColumnKind::distance8)
    each_of_group(cols + grouped_at(j, 0), add_base);
  else if (slice.columns() == ColumnKind::distance16)
    each_of_group(reinterpret_cast<const std::uint16_t*>(cols) + grouped_at(j, 0), add_base);
  else
    for (int k = 0; k < count; ++k)
      std::copy_n(reinterpret_cast<const lidx*>(cols) + lone_at(j + k, 0), slice_rows, out[k]);
}

/// Likewise their values.
template <class T>
void unpack_value_group(const Slice& slice, const Head<T>* heads, const StoredValues<T>& stored, lidx j,
                        int count, Group<T>& out) {
  if (slice.values() == ValueKind::dictionary)
    each_of_group(stored.bytes + grouped_at(j, 0),
                  [&, dictionary = stored.dictionary](int k, int lane, unsigned char number) {
                    out[k][lane] = dictionary[number];
                  });
  else
    for (int k = 0; k < count; ++k) unpack_values(slice, heads[k], stored, {j + k}, out[k]);
}

/// A slice column unpacked: the element of every lane.
template <class T>
struct LaneElements {
  const lidx* col;
  const T* value;
};

/// Adds slice column j, whose elements lie anywhere: those of lanes that are longer.
template <class T>
void add_column(lidx j, const lidx* length, const LaneElements<T>& elements, const T* x, bool by_gathers,
                RowLanes<T, slice_rows>& sums) {
  const lidx* const col = elements.col;
  const T* const value = elements.value;
  if (!by_gathers) {
    for (int lane = 0; lane < slice_rows; ++lane)
      if (j < length[lane]) sums.add(lane, value[lane], load_alone(x, col[lane]));
    return;
  }
#pragma omp simd
  for (int lane = 0; lane < slice_rows; ++lane)
    if (j < length[lane]) sums.add_product_to(lane, value[lane], x, col[lane]);
}

/// The same where all lanes are.
template <class T>
void add_whole_column(const LaneElements<T>& elements, const T* x, bool by_gathers,
                      RowLanes<T, slice_rows>& sums) {
  const lidx* const col = elements.col;
  const T* const value = elements.value;
  if (!by_gathers) {
    for (int lane = 0; lane < slice_rows; ++lane) sums.add(lane, value[lane], load_alone(x, col[lane]));
    return;
  }
#pragma omp simd
  for (int lane = 0; lane < slice_rows; ++lane) sums.add_product_to(lane, value[lane], x, col[lane]);
}

/// Adds `count` slice columns, of at most a group, which all lanes have: every element of x is loaded alone, and nothing is
/// unpacked into memory. column(k, lane) and value(k, lane, four) tell of the k-th of them where a lane's element is in x, and
/// the values of four lanes.
template <class T, class Column, class Value>
void load_group(int count, const Column& column, const Value& value, const T* x, FourLanes<T>* sums) {
  for (int lane = 0; lane < slice_rows; lane += 4)
    for (int k = 0; k < count; ++k) {
      typename FourLanes<T>::Elements values = {}, elements = {};
      value(k, lane, values);
      const lidx col[] = {column(k, lane), column(k, lane + 1), column(k, lane + 2), column(k, lane + 3)};
      load_four(x, col, elements);
      sums[lane / 4].add(values, elements);
    }
}

/// use(column) with where elements of slice columns j to j + 3 are in x, for load_group().
template <class T, class Use>
void with_columns(const Slice& slice, const Head<T>* heads, const unsigned char* cols, lidx j,
                  const Use& use) {
  const auto by_distance = [&](const auto* distance) {
    use([=](int k, int lane) { return heads[k].base + distance[lane * group_columns + k]; });
  };
  if (slice.columns() == ColumnKind::distance8)
    by_distance(cols + grouped_at(j, 0));
  else if (slice.columns() == ColumnKind::distance16)
    by_distance(reinterpret_cast<const std::uint16_t*>(cols) + grouped_at(j, 0));
  else
    use([col = reinterpret_cast<const lidx*>(cols) + lone_at(j, 0)](int k, int lane) {
      return col[k * slice_rows + lane];
    });
}

/// use(value) with their values, likewise.
template <class T, class Use>
void with_values(const Slice& slice, const Head<T>* heads, const unsigned char* values, const T* dictionary,
                 lidx j, const Use& use) {
  using Four = typename FourLanes<T>::Elements;
  using Half = typename HalfOf<T>::Type;
  switch (slice.values()) {
    case ValueKind::constant:
      return use([=](int k, int, Four& to) {
        const T one = heads[k].value;
        to = Four{one, one, one, one};
      });
    case ValueKind::dictionary:
      return use([=, number = values + grouped_at(j, 0)](int k, int lane, Four& to) {
        const lidx numbers[] = {number[lane * group_columns + k], number[(lane + 1) * group_columns + k],
                                number[(lane + 2) * group_columns + k],
                                number[(lane + 3) * group_columns + k]};
        load_four(dictionary, numbers, to);
      });
    case ValueKind::half:
      return use([half = reinterpret_cast<const Half*>(values) + lone_at(j, 0)](int k, int lane, Four& to) {
        const Half* const at = half + k * slice_rows + lane;
        to = Four{static_cast<T>(at[0]), static_cast<T>(at[1]), static_cast<T>(at[2]), static_cast<T>(at[3])};
      });
    case ValueKind::full:
      return use([value = reinterpret_cast<const T*>(values) + lone_at(j, 0)](int k, int lane, Four& to) {
        FourLanes<T>::load(value + k * slice_rows + lane, to);
      });
  }
}

/// Where the elements of a slice's columns begin, and how many bytes a slice column takes.
template <class T>
struct Streams {
  const Head<T>* heads;
  const unsigned char* cols;
  const unsigned char* values;
  offset column_step, value_step;

  Streams(const PackedView<T>& a, const Slice& slice)
      : heads(a.head + slice.head_at),
        cols(a.col + slice.col_begin()),
        values(a.value + slice.value_begin()),
        column_step(slice_rows * column_bytes(slice.columns())),
        value_step(value_bytes<T>(slice.values(), slice.width(), 1) / std::max<lidx>(slice.width(), 1)) {}
  void ask_ahead(lidx first, int count) const {
    ask_for_more(cols + first * column_step, count * column_step);
    ask_for_more(values + first * value_step, count * value_step);
  }
};

/// The sums of the first `width` columns of a slice of single elements that lie anywhere, which all its lanes have.
template <class T>
void load_elements(const PackedView<T>& a, const Slice& slice, const Streams<T>& streams, lidx width,
                   const T* x, RowLanes<T, slice_rows>& sums) {
  FourLanes<T> fours[slice_rows / 4];
  for (lidx first = 0; first < width; first += group_columns) {
    const int count = static_cast<int>(std::min<lidx>(group_columns, width - first));
    const Head<T>* const heads = streams.heads + first;
    streams.ask_ahead(first, count);
    with_columns(slice, heads, streams.cols, first, [&](const auto& column) {
      with_values(slice, heads, streams.values, a.dictionary, first,
                  [&](const auto& value) { load_group(count, column, value, x, fours); });
    });
  }
  for (int lane = 0; lane < slice_rows; ++lane) sums.set(lane, fours[lane / 4].get(lane % 4));
}

/// The sums, 0 before, of a slice of single elements that lie anywhere, by gather instructions or each loaded by itself.
template <class T>
void add_elements(const PackedView<T>& a, const Slice& slice, const lidx* length, const T* x, bool by_gathers,
                  RowLanes<T, slice_rows>& sums) {
  const lidx shortest = *std::min_element(length, length + slice_rows);
  const lidx width = slice.width();
  const Streams<T> streams(a, slice);
  // Whole groups, and what all lanes have of the last.
  const lidx loaded = by_gathers ? 0 : shortest == width ? width : shortest / group_columns * group_columns;
  if (loaded > 0) load_elements(a, slice, streams, loaded, x, sums);
  Group<lidx> col = {};
  Group<T> value = {};
  for (lidx first = loaded; first < width; first += group_columns) {
    const int count = static_cast<int>(std::min<lidx>(group_columns, width - first));
    const Head<T>* const heads = streams.heads + first;
    streams.ask_ahead(first, count);
    unpack_column_group(slice, heads, streams.cols, first, count, col);
    unpack_value_group(slice, heads, values_of(a, slice), first, count, value);
    for (int k = 0; k < count; ++k) {
      const LaneElements<T> elements{col[k], value[k]};
      if (first + k < shortest)
        add_whole_column(elements, x, by_gathers, sums);
      else
        add_column(first + k, length, elements, x, by_gathers, sums);
    }
  }
}

}  // namespace spmv::packed_host
