// A combination as plain data, which kernels get by value.
#pragma once

#include <cstdint>

#include "core/types.hpp"
#include "kernels/combine/formula.hpp"

namespace spmv {

inline constexpr int most_vectors = 6;
inline constexpr int most_changes = 6;
/// Inner products of one kernel.
inline constexpr int most_sums = 4;

/// +- coefficient times vector; no coefficient: 1.
struct CombinationTerm {
  std::int8_t vector = 0;
  std::int8_t coefficient = -1;  // step of the formula
  bool negative = false;
};

/// What a combination does to its vectors, by their numbers.
struct CombinationSteps {
  struct Change {
    std::int8_t target = 0;
    bool multiplies = false;  // target = term[0].vector times term[1].vector, element by element
    std::int8_t terms = 0;
    CombinationTerm term[most_vectors];
  };
  struct Sum {
    std::int8_t slot = 0;
    std::int8_t a = 0;
    std::int8_t b = 0;
  };
  std::int8_t columns = 1;  // of the multivectors: vectors, numbers and sums side by side
  std::int8_t vectors = 0;
  std::uint8_t loaded = 0;  // bit v: vector v is read
  std::uint8_t stored = 0;  // bit v: vector v is written
  std::int8_t changes = 0;
  Change change[most_changes];
  std::int8_t sums = 0;
  Sum sum[most_sums];

  bool loads(int v) const { return (loaded >> v & 1) != 0; }
  bool stores(int v) const { return (stored >> v & 1) != 0; }
};

template <class T>
struct CombinationData : CombinationSteps {
  lidx count = 0;  // elements of every vector, of all columns
  T* at[most_vectors] = {};
  std::int16_t parts_before[most_sums] =
      {};  // of the slot of each sum, in case that this combination changes nothing
  Formula formula;
};

}  // namespace spmv
