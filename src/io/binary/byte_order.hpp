// Numbers as bytes of a file, independent of the byte order of the processor. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstring>

#include "core/value_type.hpp"

namespace spmv {

/// The number with these bytes in `order`. A complex number has its real part first.
template <class V, std::endian order = std::endian::little>
V number_at(const char* bytes) {
  if constexpr (is_complex<V>) {
    using R = RealOf<V>;
    return V(number_at<R, order>(bytes), number_at<R, order>(bytes + sizeof(R)));
  } else {
    std::array<char, sizeof(V)> own;
    std::memcpy(own.data(), bytes, sizeof(V));
    if constexpr (order != std::endian::native) std::reverse(own.begin(), own.end());
    return std::bit_cast<V>(own);
  }
}

/// Writes sizeof(V) bytes of `number` in `order`.
template <class V, std::endian order = std::endian::little>
void put_number(const V& number, char* bytes) {
  if constexpr (is_complex<V>) {
    using R = RealOf<V>;
    put_number<R, order>(number.real(), bytes);
    put_number<R, order>(number.imag(), bytes + sizeof(R));
  } else {
    auto own = std::bit_cast<std::array<char, sizeof(V)>>(number);
    if constexpr (order != std::endian::native) std::reverse(own.begin(), own.end());
    std::memcpy(bytes, own.data(), sizeof(V));
  }
}

/// Converts `count` elements of type Stored from their bytes.
template <class Stored, std::endian order = std::endian::little, class To>
void numbers_from(const char* bytes, std::size_t count, To* to) {
  for (std::size_t i = 0; i < count; ++i)
    to[i] = static_cast<To>(number_at<Stored, order>(bytes + i * sizeof(Stored)));
}

/// Writes `count` elements, converted to Stored, as bytes.
template <class Stored, std::endian order = std::endian::little, class From>
void put_numbers(const From* from, std::size_t count, char* bytes) {
  for (std::size_t i = 0; i < count; ++i)
    put_number<Stored, order>(static_cast<Stored>(from[i]), bytes + i * sizeof(Stored));
}

}  // namespace spmv
