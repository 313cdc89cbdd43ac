// How one slice and one row are packed: the same code on the host and on the device.
#pragma once

#include "kernels/packed/packed.hpp"

namespace spmv {

/// A value's bits, for comparing.
struct Bits {
  std::uint64_t word[2];
  constexpr bool operator==(const Bits& other) const {
    return word[0] == other.word[0] && word[1] == other.word[1];
  }
  constexpr bool operator<(const Bits& other) const {
    return word[0] != other.word[0] ? word[0] < other.word[0] : word[1] < other.word[1];
  }
};
template <class T>
constexpr Bits bits_of(const T& value) {
  Bits bits{};
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

/// Number of `value` in a dictionary of so many values, sorted by bits, which has it.
template <class T>
constexpr std::uint32_t dictionary_number(const T* dictionary, int size, const T& value) {
  const Bits bits = bits_of(value);
  int low = 0, high = size - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (bits_of(dictionary[middle]) < bits)
      low = middle + 1;
    else
      high = middle;
  }
  return static_cast<std::uint32_t>(low);
}

template <class T>
constexpr bool dictionary_has(const T* dictionary, int size, const T& value) {
  return bits_of(dictionary[dictionary_number(dictionary, size, value)]) == bits_of(value);
}

/// Block rows of a slice: `lanes` of them from `first` on, fewer than slice_rows only in the last slice.
struct SliceRows {
  offset first;
  int lanes;
};
template <class T>
constexpr SliceRows rows_of_slice(const PackSource<T>& source, lidx index) {
  const offset first = static_cast<offset>(index) * slice_rows;
  const offset left = source.from.rows - first;
  return {first, static_cast<int>(left < slice_rows ? left : slice_rows)};
}

/// The different values of col - lane of a slice's elements, `count` of them, in an order in which every row has its own:
/// ascending as a rule, but where ghosts come first in a row their columns are the greatest.
struct Diagonals {
  lidx start[most_diagonals] = {};
  int count = 0;

  /// The number of the one with this start, from number `from` on; `count` if there is none.
  constexpr int find(lidx wanted, int from) const {
    while (from < count && start[from] != wanted) ++from;
    return from;
  }

  /// Where a new one has its place, from number `from` on: among those that ascend from the one before it, or if it is
  /// less than that, among those that ascend after these.
  constexpr int place(lidx wanted, int from) const {
    int at = from;
    bool begins = from == 0;  // whether those at `at` ascend anew
    if (from > 0 && wanted < start[from - 1]) {
      while (at < count && start[at] > start[at - 1]) ++at;
      begins = true;
    }
    for (; at < count && start[at] < wanted && (begins || start[at] > start[at - 1]); ++at) begins = false;
    return at;
  }
};

/// Fills `found`, which is empty; false if there are more than `most`, or no order was found that all rows agree with.
template <class T>
constexpr bool find_diagonals(const PackSource<T>& source, const SliceRows& rows, int most,
                              Diagonals& found) {
  for (int lane = 0; lane < rows.lanes; ++lane) {
    const offset begin = source.from.begin(rows.first + lane);
    const offset end = source.from.end(rows.first + lane);
    int next = 0;  // after the diagonal of the element before
    for (offset k = begin; k < end; ++k) {
      const lidx start = source.from.column(k) - lane;
      int at = found.find(start, next);
      if (at == found.count) {
        if (found.count >= most || found.find(start, 0) < found.count) return false;
        at = found.place(start, next);
        for (int i = found.count; i > at; --i) found.start[i] = found.start[i - 1];
        found.start[at] = start;
        ++found.count;
      }
      next = at + 1;
    }
  }
  return true;
}

/// Whether the values along every diagonal are all the same, bit by bit.
template <class T>
constexpr bool constant_diagonals(const PackSource<T>& source, const SliceRows& rows,
                                  const Diagonals& diagonals) {
  offset element_of[most_diagonals] = {};
  bool seen[most_diagonals] = {};
  for (int lane = 0; lane < rows.lanes; ++lane) {
    int d = 0;
    for (offset k = source.from.begin(rows.first + lane); k < source.from.end(rows.first + lane); ++k) {
      d = diagonals.find(source.from.column(k) - lane, d);
      if (!seen[d]) {
        seen[d] = true;
        element_of[d] = k;
      } else if (!(bits_of(source.from.value[k]) == bits_of(source.from.value[element_of[d]]))) {
        return false;
      }
    }
  }
  return true;
}

/// What the lanes' j-th elements have in common.
struct ColumnFacts {
  lidx low;  // least and greatest column
  lidx high;
  bool constant;  // b = 1, and all their values are the same, bit by bit
};
template <class T>
constexpr ColumnFacts facts_of_column(const PackSource<T>& source, const SliceRows& rows, lidx j) {
  ColumnFacts facts{0, 0, true};
  offset first_element = -1;
  for (int lane = 0; lane < rows.lanes; ++lane) {
    if (j >= source.from.length(rows.first + lane)) continue;
    const offset element = source.from.begin(rows.first + lane) + j;
    const lidx col = source.from.column(element);
    if (first_element < 0) {
      first_element = element;
      facts.low = facts.high = col;
    }
    facts.low = col < facts.low ? col : facts.low;
    facts.high = col > facts.high ? col : facts.high;
    facts.constant = facts.constant && source.b == 1 &&
                     bits_of(source.from.value[element]) == bits_of(source.from.value[first_element]);
  }
  return facts;
}

/// Whether every value of the slice is exact in half its size.
template <class T>
constexpr bool all_fit_half(const PackSource<T>& source, const SliceRows& rows) {
  const offset scalars = source.b * source.b;
  for (int lane = 0; lane < rows.lanes; ++lane)
    for (offset k = source.from.begin(rows.first + lane) * scalars;
         k < source.from.end(rows.first + lane) * scalars; ++k)
      if (!fits_half(source.from.value[k])) return false;
  return true;
}

/// Decides the kinds of slice number `index`: the shortest that hold all of it. The slice has its shape, and
/// no place yet: head_at, col_at and value_at are 0.
template <class T>
constexpr Slice classify_slice(const PackSource<T>& source, lidx index) {
  const SliceRows rows = rows_of_slice(source, index);
  lidx width = 0;
  bool even = rows.lanes == slice_rows;
  for (int lane = 0; lane < rows.lanes; ++lane) {
    const lidx length = source.from.length(rows.first + lane);
    even = even && (lane == 0 || length == width);
    width = length > width ? length : width;
  }
  Diagonals diagonals;
  const lidx most = width + width / 4 + 1;
  const bool diagonal =
      width <= most_diagonals &&
      find_diagonals(source, rows, most < most_diagonals ? static_cast<int>(most) : most_diagonals,
                     diagonals);
  bool constant = source.b == 1;
  lidx widest = 0;
  if (diagonal) {
    width = diagonals.count;
    constant = constant && constant_diagonals(source, rows, diagonals);
  } else {
    for (lidx j = 0; j < width; ++j) {
      const ColumnFacts facts = facts_of_column(source, rows, j);
      widest = facts.high - facts.low > widest ? facts.high - facts.low : widest;
      constant = constant && facts.constant;
    }
  }
  const ColumnKind columns = diagonal                    ? ColumnKind::diagonals
                             : widest <= most_distance8  ? ColumnKind::distance8
                             : widest <= most_distance16 ? ColumnKind::distance16
                                                         : ColumnKind::full;
  const ValueKind values = constant                     ? ValueKind::constant
                           : source.dictionary_size > 0 ? ValueKind::dictionary
                           : all_fit_half(source, rows) ? ValueKind::half
                                                        : ValueKind::full;
  Slice slice;
  slice.shape = Slice::shape_of(width, columns, values, even);
  return slice;
}

/// Writes the heads of slice number `index`; `head`: the first of all slices' heads.
template <class T>
constexpr void make_slice_heads(const PackSource<T>& source, lidx index, const Slice& slice, Head<T>* head) {
  const SliceRows rows = rows_of_slice(source, index);
  head += slice.head_at;
  if (slice.columns() == ColumnKind::diagonals) {
    Diagonals diagonals;
    find_diagonals(source, rows, most_diagonals, diagonals);
    for (int d = 0; d < diagonals.count; ++d) {
      head[d] = Head<T>{};
      head[d].base = diagonals.start[d];
    }
    for (int lane = 0; lane < rows.lanes; ++lane) {
      int d = 0;
      for (offset k = source.from.begin(rows.first + lane); k < source.from.end(rows.first + lane); ++k) {
        d = diagonals.find(source.from.column(k) - lane, d);
        Head<T>& mine = head[d];
        mine.lanes |= std::uint32_t{1} << lane;
        if (slice.values() == ValueKind::constant) mine.value = source.from.value[k];
      }
    }
    return;
  }
  for (lidx j = 0; j < slice.width(); ++j) {
    head[j] = Head<T>{};
    head[j].base = facts_of_column(source, rows, j).low;
    for (int lane = 0; lane < rows.lanes && slice.values() == ValueKind::constant; ++lane)
      if (j < source.from.length(rows.first + lane))
        head[j].value = source.from.value[source.from.begin(rows.first + lane) + j];
  }
}

/// Writes the columns and values of one block row into its slice's streams.
template <class T>
constexpr void pack_row(const PackRows<T>& to, offset row) {
  using Half = typename HalfOf<T>::Type;
  const PackSource<T>& source = to.source;
  const Slice& slice = to.slice[row / slice_rows];
  const int lane = static_cast<int>(row % slice_rows);
  const int scalars = source.b * source.b;
  const lidx length = source.from.length(row);
  unsigned char* const cols = to.col + slice.col_begin();
  unsigned char* const values = to.value + slice.value_begin();
  const Head<T>* const head = to.head + slice.head_at;
  lidx j = 0;  // slice column
  for (lidx i = 0; i < length; ++i, ++j) {
    const offset element = source.from.begin(row) + i;
    const lidx col = source.from.column(element);
    if (slice.columns() == ColumnKind::diagonals)
      while (head[j].base != col - lane) ++j;
    const lidx distance = col - head[j].base;
    if (slice.columns() == ColumnKind::distance8)
      cols[grouped_at(j, lane)] = static_cast<unsigned char>(distance);
    else if (slice.columns() == ColumnKind::distance16)
      reinterpret_cast<std::uint16_t*>(cols)[grouped_at(j, lane)] = static_cast<std::uint16_t>(distance);
    else if (slice.columns() == ColumnKind::full)
      reinterpret_cast<lidx*>(cols)[lone_at(j, lane)] = col;
    for (int k = 0; k < scalars; ++k) {
      const T& value = source.from.value[element * scalars + k];
      const offset at = lone_at(static_cast<offset>(j) * scalars + k, lane);
      if (slice.values() == ValueKind::dictionary)
        values[scalars == 1 ? grouped_at(j, lane) : at] =
            static_cast<unsigned char>(dictionary_number(source.dictionary, source.dictionary_size, value));
      else if (slice.values() == ValueKind::half)
        to_half(value, reinterpret_cast<Half*>(values)[at]);
      else if (slice.values() == ValueKind::full)
        reinterpret_cast<T*>(values)[at] = value;
    }
  }
}

}  // namespace spmv
