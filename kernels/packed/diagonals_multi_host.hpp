// Diagonals of constant values and k columns at once: 32 rows of x are then one run of memory, whatever k is, and so are those of
// the sums. A diagonal adds its one value times a run of x to the run of sums, register by register.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/types.hpp"
#include "core/value_type.hpp"
#include "kernels/packed/packed.hpp"
#include "kernels/packed/slice.hpp"
#include "kernels/parts/multivector_host.hpp"

namespace spmv::packed_host {

/// A piece of a slice's run of real numbers, `registers` long, with the products by both parts of complex values apart.
template <class T, int registers>
class DiagonalSums {
  using R = RealOf<T>;
  static constexpr int lanes = register_bytes / static_cast<int>(sizeof(R));
  static constexpr int parts = is_complex<T> ? 2 : 1;
  using Lanes = typename LanesOf<R, lanes>::Type;

 public:
  static constexpr int reals = registers * lanes;

  /// Adds what the diagonals of heads `first` to `last` - 1 have, all of them in all of the piece. `x`: where the piece would
  /// begin for base 0; a base is `row_reals` numbers.
  void add_whole(const Head<T>* first, const Head<T>* last, const R* x, offset row_reals) {
    Lanes here[parts][registers];  // in registers: nothing else refers to them
    std::memcpy(here, sums_, sizeof here);
    for (; first != last; ++first) {
      const R* const value = reinterpret_cast<const R*>(&first->value);
      const R* const from = x + first->base * row_reals;
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r) {
        Lanes elements;
        std::memcpy(&elements, from + r * lanes, sizeof elements);
#pragma GCC unroll 2
        for (int part = 0; part < parts; ++part) here[part][r] += value[part] * elements;
      }
    }
    std::memcpy(sums_, here, sizeof here);
  }
  /// Adds what one diagonal has in numbers `begin` to `end` - 1 of the piece.
  void add_some(const Head<T>& head, const R* x, offset row_reals, offset begin, offset end) {
    const R* const value = reinterpret_cast<const R*>(&head.value);
    const R* const from = x + head.base * row_reals;
    for (int part = 0; part < parts; ++part)
      for (offset i = begin; i < end; ++i) sums_[part][i] += value[part] * from[i];
  }
  void store(R* to) const {
    if constexpr (!is_complex<T>) {
      std::memcpy(to, sums_, sizeof sums_);
    } else {
      for (int i = 0; i < reals; i += 2) {
        to[i] = sums_[0][i] - sums_[1][i + 1];
        to[i + 1] = sums_[0][i + 1] + sums_[1][i];
      }
    }
  }

 private:
  alignas(register_bytes) R sums_[parts][reals] = {};
};

/// The rows of a slice from number `first` to `last`, as a mask.
constexpr std::uint32_t lanes_between(offset first, offset last) {
  const std::uint64_t one = 1;
  return static_cast<std::uint32_t>(((one << (last + 1)) - 1) ^ ((one << first) - 1));
}

/// Pieces of `registers` of a slice's sums, from number `at` of its real numbers on, as many as there are. `x`: row `lane 0` of
/// base 0.
template <int registers, class T>
void multiply_pieces(const Head<T>* heads, lidx width, const RealOf<T>* x, offset row_reals, offset& at,
                     RealOf<T>* sums) {
  constexpr offset reals = DiagonalSums<T, registers>::reals;
  for (; at + reals <= row_reals * slice_rows; at += reals) {
    DiagonalSums<T, registers> piece;
    const offset first_row = at / row_reals, last_row = (at + reals - 1) / row_reals;
    const std::uint32_t rows = lanes_between(first_row, last_row);
    const auto is_whole = [&](const Head<T>& head) { return (head.lanes & rows) == rows; };
    for (const Head<T>* head = heads; head != heads + width;) {
      const Head<T>* const after = std::find_if_not(head, heads + width, is_whole);
      piece.add_whole(head, after, x + at, row_reals);
      head = after;
      if (head == heads + width) break;
      for (offset row = first_row; row <= last_row; ++row)
        if ((head->lanes >> row & 1u) != 0)
          piece.add_some(*head, x + at, row_reals, std::max<offset>(row * row_reals - at, 0),
                         std::min((row + 1) * row_reals - at, reals));
      ++head;
    }
    piece.store(sums + at);
  }
}

/// All 32 rows' sums of a slice whose columns are diagonals and whose values are constant: sums[lane * k + j].
template <class T>
void multiply_diagonals(const PackedView<T>& a, const Slice& slice, const T* x, int k, T* sums) {
  // As many as fit beside what is loaded, in two halves where values are complex.
  constexpr int most_registers = is_complex<T> ? 4 : 8;
  const offset row_reals = static_cast<offset>(sizeof(T) / sizeof(RealOf<T>)) * k;
  offset at = 0;
  const auto pieces = [&](auto registers) {
    multiply_pieces<registers.value>(a.head + slice.head_at, slice.width(),
                                     reinterpret_cast<const RealOf<T>*>(x), row_reals, at,
                                     reinterpret_cast<RealOf<T>*>(sums));
  };
  pieces(std::integral_constant<int, most_registers>{});
  pieces(std::integral_constant<int, most_registers / 2>{});  // floats of odd k
}

}  // namespace spmv::packed_host
