// What a combination does, apart from where its vectors are and how large its numbers: what its kernel is made for.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/combine/combination_data.hpp"

namespace spmv {

/// Plain data without pointers and numbers. Combinations with the same structure run in the same kernel.
struct Structure : CombinationSteps {
  struct Step {
    Formula::Operation operation = Formula::Operation::constant;
    std::uint8_t a = 0;
    std::uint8_t b = 0;
  };
  std::int8_t steps = 0;
  Step step[Formula::most_steps];
};

/// An order, for tables.
inline bool operator<(const Structure& a, const Structure& b) {
  static_assert(std::has_unique_object_representations_v<Structure>, "no byte of it is left open");
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): so its bytes are its value
  return std::memcmp(&a, &b, sizeof(Structure)) < 0;
}

/// Pure.
template <class T>
Structure structure_of(const CombinationData<T>& data) {
  Structure s;
  static_cast<CombinationSteps&>(s) = data;
  s.steps = static_cast<std::int8_t>(data.formula.steps());
  for (int i = 0; i < data.formula.steps(); ++i) {
    const Formula::Step& step = data.formula.step(i);
    s.step[i] = {step.operation, step.a, step.b};
  }
  return s;
}

}  // namespace spmv
