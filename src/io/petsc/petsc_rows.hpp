// PETSc's binary files of sparse matrices, as MatView writes them to a binary viewer: numbers with the most significant
// byte first, no checksums. Everything here is Local, and knows no file but its bytes.
//
//   1211216 | rows | columns | nonzeros     four integers of 4 bytes, or of 8 (PETSc with 64-bit indices)
//   length of every row                     integers of the same width
//   column of every nonzero, from 0         likewise
//   value of every nonzero                  4 bytes real, 8 bytes real, or 16 bytes complex: the file's length tells, or
//                                           where another of PETSc's objects begins, as in a file with A and b
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/csr.hpp"
#include "io/binary/binary_rows.hpp"
#include "io/progress.hpp"

namespace spmv {

/// The numbers that PETSc's objects begin with in a file.
inline constexpr std::int64_t petsc_matrix_class = 1211216, petsc_vector_class = 1211214,
                              petsc_index_set_class = 1211218;

/// What a PETSc file says of itself.
struct PetscHeader {
  static constexpr std::size_t most_bytes = 32;

  std::string name;  // of the file, for messages
  std::uint32_t index_bytes = 4;
  std::uint32_t value_bytes = 8;
  gidx rows = 0;
  gidx cols = 0;
  gidx nonzeros = 0;
  std::string follower;  // what else of PETSc's stands behind the matrix, "a vector"; empty: nothing

  // Where the arrays begin in the file, and where the matrix ends.
  std::uint64_t lengths_begin() const { return std::uint64_t{4} * index_bytes; }
  std::uint64_t columns_begin() const {
    return lengths_begin() + static_cast<std::uint64_t>(rows) * index_bytes;
  }
  std::uint64_t values_begin() const {
    return columns_begin() + static_cast<std::uint64_t>(nonzeros) * index_bytes;
  }
  std::uint64_t end() const { return values_begin() + static_cast<std::uint64_t>(nonzeros) * value_bytes; }
};

/// Calls step(first, here) for elements `first` up to first + here, until it was called for all `count`: so many of `width`
/// bytes at a time as are read or written at once. Pure.
template <class Step>
void in_pieces(std::size_t width, std::size_t count, const Step& step) {
  constexpr std::size_t piece_bytes = 1U << 20U;
  const std::size_t piece = piece_bytes / width;
  for (std::size_t first = 0; first < count; first += piece) step(first, std::min(piece, count - first));
}

/// Whether a file that begins with these bytes is one of PETSc's matrices. Pure.
bool is_petsc_matrix(std::string_view first_bytes);

/// `bytes`: the first PetscHeader::most_bytes bytes of a file of `file_bytes`, or what there is of them; `read` reads more of
/// it, to find what stands behind the matrix. Throws Error(input) where this is no header of a sparse matrix that such a
/// file can hold, and what `read` throws.
PetscHeader decode_petsc_header(const std::string& name, std::string_view bytes, std::uint64_t file_bytes,
                                const ReadAt& read);
/// Its lengths_begin() bytes. Pure.
std::string encode_petsc_header(const PetscHeader& header);

/// The widths that hold a matrix of this size. Pure.
PetscHeader petsc_header_for(const Shape& shape, gidx nonzeros, bool complex);

/// Where each of `rows` rows from `first_row` on begins, counted from the first of them; and the end of the last. Throws
/// Error(input) for a negative length, and what `read` throws.
std::vector<offset> read_petsc_row_ptr(const PetscHeader& header, gidx first_row, gidx rows,
                                       const ReadAt& read);

/// These rows, whose first nonzero is number `first_nonzero` of the file. Columns that do not ascend in their row are
/// sorted. Values are converted to T, which must be complex where they are. Throws Error(input) for a column outside or
/// named twice in a row and a value that is no number, Error(usage) for complex values and a real T, and what `read`
/// throws.
template <class T>
RowBlock<T> read_petsc_rows(const PetscHeader& header, gidx first_row, std::vector<offset> row_ptr,
                            offset first_nonzero, const ReadAt& read, const Progress& progress);

/// `count` numbers as they stand in the file. Pure.
void encode_petsc_indices(const gidx* indices, std::size_t count, std::uint32_t index_bytes, char* to);
/// Real values become doubles, complex ones two of them. Pure.
template <class T>
void encode_petsc_values(const T* values, std::size_t count, char* to);

}  // namespace spmv
