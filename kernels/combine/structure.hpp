// What a combination does, apart from where its vectors are and how large its numbers: what its kernel is made for.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/combine/program.hpp"

namespace spmv {

/// The same combination with its vectors in the order in which changes and sums name them, so that its structure does not
/// depend on the order in which vectors were declared. Pure.
template <class T>
constexpr CombinationData<T> renumbered(const CombinationData<T>& data) {
  CombinationData<T> result = data;
  int new_number[most_vectors] = {-1, -1, -1, -1, -1, -1};
  result.vectors = 0;
  result.loaded = result.stored = 0;
  const auto number = [&](std::int8_t old) {
    int& known = new_number[old];
    if (known < 0) {
      known = result.vectors;
      result.at[known] = data.at[old];
      if ((data.loaded >> old & 1) != 0) result.loaded |= static_cast<std::uint8_t>(1 << known);
      if ((data.stored >> old & 1) != 0) result.stored |= static_cast<std::uint8_t>(1 << known);
      ++result.vectors;
    }
    return static_cast<std::int8_t>(known);
  };
  for (int c = 0; c < data.changes; ++c) {
    result.change[c].target = number(data.change[c].target);
    for (int t = 0; t < data.change[c].terms; ++t)
      result.change[c].term[t].vector = number(data.change[c].term[t].vector);
  }
  for (int i = 0; i < data.sums; ++i) {
    result.sum[i].a = number(data.sum[i].a);
    result.sum[i].b = number(data.sum[i].b);
  }
  return result;
}

/// Plain data without pointers and numbers. Combinations with the same structure run in the same kernel.
struct Structure {
  struct ProgramTerm {
    std::int8_t vector = 0;
    std::int8_t coefficient = -1;  // step of the formula
    bool negative = false;
  };
  struct Change {
    std::int8_t target = 0;
    bool multiplies = false;
    std::int8_t terms = 0;
    std::array<ProgramTerm, most_vectors> term{};
  };
  struct Sum {
    std::int8_t slot = 0;
    std::int8_t a = 0;
    std::int8_t b = 0;
  };
  struct Step {
    Formula::Operation operation = Formula::Operation::constant;
    std::uint8_t a = 0;
    std::uint8_t b = 0;
  };
  std::int8_t vectors = 0;
  std::uint8_t loaded = 0;  // bit v: vector v is read
  std::uint8_t stored = 0;  // bit v: vector v is written
  std::int8_t changes = 0;
  std::int8_t sums = 0;
  std::int8_t steps = 0;
  std::array<Change, most_changes> change{};
  std::array<Sum, most_sums> sum{};
  std::array<Step, Formula::most_steps> step{};

  bool loads(int v) const { return (loaded >> v & 1) != 0; }
  bool stores(int v) const { return (stored >> v & 1) != 0; }
};

/// An order, for tables.
inline bool operator<(const Structure& a, const Structure& b) {
  static_assert(std::has_unique_object_representations_v<Structure>, "no byte of it is left open");
  return std::memcmp(&a, &b, sizeof(Structure)) < 0;
}

/// Of a combination that is renumbered(). Pure.
template <class T>
Structure structure_of(const CombinationData<T>& data) {
  Structure s;
  s.vectors = static_cast<std::int8_t>(data.vectors);
  s.loaded = data.loaded;
  s.stored = data.stored;
  s.changes = static_cast<std::int8_t>(data.changes);
  s.sums = static_cast<std::int8_t>(data.sums);
  s.steps = static_cast<std::int8_t>(data.formula.steps());
  for (int c = 0; c < data.changes; ++c) {
    const auto& from = data.change[c];
    auto& to = s.change[static_cast<std::size_t>(c)];
    to = {from.target, from.multiplies, from.terms, {}};
    for (int t = 0; t < from.terms; ++t)
      to.term[static_cast<std::size_t>(t)] = {from.term[t].vector, from.term[t].coefficient,
                                              from.term[t].negative};
  }
  for (int i = 0; i < data.sums; ++i)
    s.sum[static_cast<std::size_t>(i)] = {data.sum[i].slot, data.sum[i].a, data.sum[i].b};
  for (int i = 0; i < data.formula.steps(); ++i) {
    const Formula::Step& step = data.formula.step(i);
    s.step[static_cast<std::size_t>(i)] = {step.operation, step.a, step.b};
  }
  return s;
}

}  // namespace spmv
