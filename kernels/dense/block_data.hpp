// What kernels of blocks of vectors get: plain data, by value.
#pragma once

#include <complex>
#include <type_traits>

#include "core/types.hpp"
#include "core/value_type.hpp"

namespace spmv {

/// Numbers of small dense matrices that belong to vectors of T.
template <class T>
using DenseElement = std::conditional_t<is_complex<T>, std::complex<double>, double>;

/// Blocks of one kernel.
inline constexpr int most_listed = 32;

/// Multivectors of so many rows and columns, and one more.
template <class T>
struct BlockList {
  int columns = 1;
  int blocks = 0;
  offset rows = 0;
  const T* x[most_listed] = {};
  const T* y = nullptr;
};

/// Partial sums of Gram matrices go to partial[part][block][i][j], their sums to sum[block][i][j].
template <class T>
struct GramRequest {
  BlockList<T> of;
  int parts = 1;
  DenseElement<T>* partial = nullptr;
  DenseElement<T>* sum = nullptr;
};

template <class T>
struct CombineRequest {
  BlockList<T> of;  // without its y
  const DenseElement<T>* coefficient = nullptr;
  T* y = nullptr;
  bool adds = false;
};

}  // namespace spmv
