// Numbers as the bytes of a file, whatever the order of this processor.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstring>

#include "core/value_type.hpp"

namespace spmv {

/// A number from its bytes in `order`; of a complex number the real part comes first. Pure.
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

/// The other way. Pure.
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

}  // namespace spmv
