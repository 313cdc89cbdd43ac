// How formats store values in less than their size.
#pragma once

#include <cstdint>
#include <type_traits>

namespace spmv {

/// How a slice, or a block of tiles, stores its values.
enum class ValueKind : std::uint8_t {
  constant,    // one per slice column, b = 1 only; one for all tiles
  dictionary,  // 8-bit numbers of at most 256 values, the same ones for the whole block
  half,        // float for double; exact
  full,
};

/// Calls use() with the kind as a type that has a `value`, for values of which every element has its own: not constant.
template <class Use>
constexpr auto with_kind_of_each(ValueKind kind, const Use& use) {
  switch (kind) {
    case ValueKind::dictionary:
      return use(std::integral_constant<ValueKind, ValueKind::dictionary>{});
    case ValueKind::half:
      return use(std::integral_constant<ValueKind, ValueKind::half>{});
    default:
      return use(std::integral_constant<ValueKind, ValueKind::full>{});
  }
}
/// The same for values of any kind.
template <class Use>
constexpr auto with_value_kind(ValueKind kind, const Use& use) {
  if (kind == ValueKind::constant) return use(std::integral_constant<ValueKind, ValueKind::constant>{});
  return with_kind_of_each(kind, use);
}

}  // namespace spmv
