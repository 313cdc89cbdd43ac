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

/// A text that includes nothing; its kernel is `combination`, of KernelArguments<T>. Pure.
template <class T>
std::string kernel_text(const Structure& structure);

}  // namespace spmv
