// One matrix in cuSPARSE's hands. Defined in on/, or in off/ for a build without the library; CMake picks.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/backend.hpp"
#include "core/types.hpp"
#include "kernels/local_operator.hpp"

namespace spmv {

enum class CusparseAlgorithm { csr_1, csr_2, sliced_ell, block_csr };

/// Arrays in device memory, as the library wants them for the algorithm.
template <class T>
struct CusparseMatrix {
  CusparseAlgorithm algorithm;
  lidx rows;  // of the block, not of what its arrays are padded to
  lidx cols;
  offset nonzeros;    // block_csr: blocks
  offset stored;      // elements of `value`
  lidx group;         // sliced_ell: rows of a slice; block_csr: b
  const void* start;  // of rows, slices or rows of blocks; offset if wide, otherwise std::int32_t
  bool wide;
  const lidx* col;
  const T* value;
  const lidx* row_list;  // y index of every row, or nullptr for the identity
};

/// Products follow each other: it has one workspace.
template <class T>
class CusparseProduct {
 public:
  virtual ~CusparseProduct() = default;
  /// Queues the product on `stream`, as LocalOperator::apply.
  virtual void apply(const T* x, T* y, Update update, void* stream) = 0;
  /// Device memory beside the arrays: the library's own, and copies of x or y where their sizes or order
  /// differ.
  virtual std::size_t workspace_bytes() const = 0;
};

/// The arrays must outlive the product. Throws Error(environment) for what the library does not support.
template <class T>
std::unique_ptr<CusparseProduct<T>> make_cusparse_product(const CusparseMatrix<T>& matrix,
                                                          const std::shared_ptr<Backend>& backend);

/// Empty if this build has cuSPARSE, otherwise the reason and the remedy.
std::string why_no_cusparse();

}  // namespace spmv
