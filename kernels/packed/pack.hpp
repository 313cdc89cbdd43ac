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

/// Whether half the size holds exactly this: every bit comes back. A NaN's may not.
constexpr bool fits_half(float) {
  return false;
}
constexpr bool fits_half(double value) {
  return static_cast<double>(static_cast<float>(value)) == value;
}
template <class R>
constexpr bool fits_half(const std::complex<R>& value) {
  const R* parts = reinterpret_cast<const R*>(&value);
  return fits_half(parts[0]) && fits_half(parts[1]);
}

constexpr void to_half(float from, float& to) {
  to = from;
}
constexpr void to_half(double from, float& to) {
  to = static_cast<float>(from);
}
template <class R, class H>
constexpr void to_half(const std::complex<R>& from, std::complex<H>& to) {
  const R* parts = reinterpret_cast<const R*>(&from);
  H* halves = reinterpret_cast<H*>(&to);
  halves[0] = static_cast<H>(parts[0]);
  halves[1] = static_cast<H>(parts[1]);
}

/// Number of `value` in the dictionary, which has it.
template <class T>
constexpr std::uint32_t dictionary_number(const PackSource<T>& source, const T& value) {
  const Bits bits = bits_of(value);
  int low = 0, high = source.dictionary_size - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (bits_of(source.dictionary[middle]) < bits)
      low = middle + 1;
    else
      high = middle;
  }
  return static_cast<std::uint32_t>(low);
}

constexpr lidx row_elements(const offset* row_ptr, offset row) {
  return static_cast<lidx>(row_ptr[row + 1] - row_ptr[row]);
}

/// A slice with its shape; it has no place yet.
template <class T>
constexpr Slice classify_slice(const PackSource<T>& source, lidx index) {
  const offset first = static_cast<offset>(index) * slice_rows;
  const int lanes =
      static_cast<int>(source.block_rows - first < slice_rows ? source.block_rows - first : slice_rows);
  lidx width = 0;
  bool even = lanes == slice_rows;
  for (int lane = 0; lane < lanes; ++lane) {
    const lidx length = row_elements(source.row_ptr, first + lane);
    even = even && (lane == 0 || length == width);
    width = length > width ? length : width;
  }
  bool run = true;
  bool constant = source.dictionary_size > 0 && source.b == 1;
  bool half = source.dictionary_size == 0;
  lidx widest = 0;
  const int scalars = source.b * source.b;
  for (lidx j = 0; j < width; ++j) {
    bool found = false;
    lidx low = 0, high = 0, start = 0;
    offset first_element = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      if (j >= row_elements(source.row_ptr, first + lane)) continue;
      const offset element = source.row_ptr[first + lane] + j;
      const lidx col = source.col[element];
      if (!found) {
        found = true;
        low = high = col;
        start = col - lane;
        first_element = element;
      }
      low = col < low ? col : low;
      high = col > high ? col : high;
      run = run && col - lane == start;
      if (constant) constant = bits_of(source.value[element]) == bits_of(source.value[first_element]);
      for (int k = 0; half && k < scalars; ++k) half = fits_half(source.value[element * scalars + k]);
    }
    widest = high - low > widest ? high - low : widest;
  }
  const ColumnKind columns = run               ? ColumnKind::run
                             : widest <= 255   ? ColumnKind::distance8
                             : widest <= 65535 ? ColumnKind::distance16
                                               : ColumnKind::full;
  const ValueKind values = constant                     ? ValueKind::constant
                           : source.dictionary_size > 0 ? ValueKind::dictionary
                           : half                       ? ValueKind::half
                                                        : ValueKind::full;
  Slice slice;
  slice.shape = Slice::shape_of(width, columns, values, even);
  return slice;
}

template <class T>
constexpr void make_slice_heads(const PackSource<T>& source, lidx index, const Slice& slice, Head* head) {
  const offset first = static_cast<offset>(index) * slice_rows;
  const int lanes =
      static_cast<int>(source.block_rows - first < slice_rows ? source.block_rows - first : slice_rows);
  for (lidx j = 0; j < slice.width(); ++j) {
    Head made;
    bool found = false;
    for (int lane = 0; lane < lanes; ++lane) {
      if (j >= row_elements(source.row_ptr, first + lane)) continue;
      const offset element = source.row_ptr[first + lane] + j;
      const lidx base = source.col[element] - (slice.columns() == ColumnKind::run ? lane : 0);
      if (!found && slice.values() == ValueKind::constant)
        made.value = dictionary_number(source, source.value[element]);
      made.base = !found || base < made.base ? base : made.base;
      found = true;
    }
    head[slice.head_at + j] = made;
  }
}

template <class T>
constexpr void pack_row(const PackRows<T>& to, offset row) {
  using Half = typename HalfOf<T>::Type;
  const PackSource<T>& source = to.source;
  const Slice& slice = to.slice[row / slice_rows];
  const int lane = static_cast<int>(row % slice_rows);
  const int scalars = source.b * source.b;
  const lidx length = row_elements(source.row_ptr, row);
  unsigned char* const cols = to.col + slice.col_begin();
  unsigned char* const values = to.value + slice.value_begin();
  for (lidx j = 0; j < length; ++j) {
    const offset element = source.row_ptr[row] + j;
    const lidx col = source.col[element];
    const lidx distance = col - to.head[slice.head_at + j].base;
    if (slice.columns() == ColumnKind::distance8)
      cols[grouped_at(j, lane)] = static_cast<unsigned char>(distance);
    else if (slice.columns() == ColumnKind::distance16)
      reinterpret_cast<std::uint16_t*>(cols)[grouped_at(j, lane)] = static_cast<std::uint16_t>(distance);
    else if (slice.columns() == ColumnKind::full)
      reinterpret_cast<lidx*>(cols)[lone_at(j, lane)] = col;
    for (int k = 0; k < scalars; ++k) {
      const T& value = source.value[element * scalars + k];
      const offset at = lone_at(static_cast<offset>(j) * scalars + k, lane);
      if (slice.values() == ValueKind::dictionary)
        values[scalars == 1 ? grouped_at(j, lane) : at] =
            static_cast<unsigned char>(dictionary_number(source, value));
      else if (slice.values() == ValueKind::half)
        to_half(value, reinterpret_cast<Half*>(values)[at]);
      else if (slice.values() == ValueKind::full)
        reinterpret_cast<T*>(values)[at] = value;
    }
  }
}

}  // namespace spmv
