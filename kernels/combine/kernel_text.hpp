// The CUDA C++ text of a combination's own kernel.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/combine/scalars.hpp"
#include "kernels/combine/structure.hpp"

namespace spmv {

inline constexpr int kernel_threads = 256;

/// What such a kernel gets by value, as its text declares it.
template <class T>
struct KernelArguments {
  T* vector[most_vectors];
  ScalarsView<ScalarOf<T>> scalars;
  std::uint64_t line;
  double constant[Formula::most_steps];  // by the number of the step
  std::int32_t count;
  std::int16_t parts_before[most_sums];
};

/// Elements of a vector that a thread of a kernel loads at once.
template <class T>
inline constexpr int pack_size = sizeof(T) < 16 ? 2 : 1;

/// How a kernel goes through multivectors: each thread has the same columns in every pack.
struct ColumnPacks {
  int pack;     // elements; of one row, unless there is one column
  int threads;  // of a block that have packs: whole rows
};
/// Pure.
template <class T>
constexpr ColumnPacks column_packs(int columns) {
  if (columns == 1) return {pack_size<T>, kernel_threads};
  const int pack = columns % pack_size<T> == 0 ? pack_size<T> : 1;
  return {pack, kernel_threads - kernel_threads % (columns / pack)};
}

/// A text that includes nothing; its kernel is `combination`, of KernelArguments<T>. Pure.
template <class T>
std::string kernel_text(const Structure& structure);

}  // namespace spmv
