// Coordinates [Vazquez 2011, sect. 3.1], [Wang 2020, sect. 2.1]: row, column and value of every nonzero, in
// the order of the rows. Work is shared by nonzeros, so no row is too long and many empty rows cost little; 4
// bytes more per nonzero than CSR.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/format.hpp"

namespace spmv {

/// Instead of its row, a nonzero names the element of y that it is added to: a row list costs nothing.
template <class T>
struct Coo {
  std::vector<lidx> row;  // element of y; nonzeros of one row follow each other
  std::vector<lidx> col;
  std::vector<T> value;
  std::vector<lidx> empty;  // elements of y of the rows without nonzeros
};

template <class T>
Coo<T> build_coo(const Csr<T>& block, const std::vector<lidx>& row_list);

/// Nonzeros that a warp takes in one run: long enough for what it leaves to the second kernel not to matter.
inline constexpr offset coo_run = 512;

inline offset coo_runs(offset nonzeros) {
  return (nonzeros + coo_run - 1) / coo_run;
}

/// Bytes of the elements and of the list of empty rows. Pure.
inline double coo_bytes(offset nonzeros, double empty_rows, std::size_t value_bytes) {
  return static_cast<double>(nonzeros) * static_cast<double>(value_bytes + 2 * sizeof(lidx)) +
         empty_rows * sizeof(lidx);
}
/// CUDA: bytes of what runs leave to each other. Pure.
inline double coo_carry_bytes(offset runs, std::size_t value_bytes) {
  return static_cast<double>(runs) * static_cast<double>(value_bytes + sizeof(lidx));
}

template <class T>
struct CooView {
  using Value = T;
  lidx rows;
  offset nonzeros;
  offset empty_rows;
  const lidx* row;
  const lidx* col;
  const T* value;
  const lidx* empty;
  // CUDA: what a run leaves of a row that goes on in the next run, and the row, or -1. coo_runs() elements.
  lidx* carry_row;
  T* carry;
  float kept_share = 0;  // CUDA: see read_once.hpp
};

template <class T>
void multiply_host(const CooView<T>& a, const T* x, T* y, Update update);

/// As Format::make, of coo.
template <class T>
std::unique_ptr<LocalOperator<T>> make_coo(const BuildRequest<T>& request);

/// coo.
template <class T>
std::vector<Format<T>> coo_formats();

}  // namespace spmv
