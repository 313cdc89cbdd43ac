// PETSc's binary files of sparse matrices, as MatView writes them to a binary viewer: big-endian numbers, no checksums (PETSc
// manual, MatLoad). Everything here is Local, and works on bytes in memory.
//
//   1211216 | rows | columns | nonzeros     four integers of 4 bytes, or of 8 (PETSc with 64-bit indices)
//   length of every row                     integers of the same width
//   column of every nonzero, from 0         likewise
//   value of every nonzero                  4 bytes real, 8 bytes real, or 16 bytes complex. It follows from the length of the
//                                           file, or from the begin of the next object, as in a file with A and b
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

/// The numbers at the beginning of PETSc objects in a file.
inline constexpr std::int64_t petsc_matrix_class = 1211216, petsc_vector_class = 1211214,
                              petsc_index_set_class = 1211218;

/// The header of a PETSc matrix in a file.
struct PetscHeader {
  static constexpr std::size_t most_bytes = 32;

  std::string name;  // of the file, for messages
  std::uint32_t index_bytes = 4;
  std::uint32_t value_bytes = 8;
  gidx rows = 0;
  gidx cols = 0;
  gidx nonzeros = 0;
  std::string follower;  // the PETSc object after the matrix, such as "a vector"; empty: none

  // Bytes of the file where the arrays begin, and where the matrix ends.
  std::uint64_t lengths_begin() const { return std::uint64_t{4} * index_bytes; }
  std::uint64_t columns_begin() const {
    return lengths_begin() + static_cast<std::uint64_t>(rows) * index_bytes;
  }
  std::uint64_t values_begin() const {
    return columns_begin() + static_cast<std::uint64_t>(nonzeros) * index_bytes;
  }
  std::uint64_t end() const { return values_begin() + static_cast<std::uint64_t>(nonzeros) * value_bytes; }
};

/// Divides `count` elements of `width` bytes into pieces that are read or written at once, and calls step(first element,
/// elements) for each. Pure.
template <class Step>
void in_pieces(std::size_t width, std::size_t count, const Step& step) {
  constexpr std::size_t piece_bytes = 1U << 20U;
  const std::size_t piece = piece_bytes / width;
  for (std::size_t first = 0; first < count; first += piece) step(first, std::min(piece, count - first));
}

/// Whether a file that begins with these bytes is a PETSc matrix. Pure.
bool is_petsc_matrix(std::string_view first_bytes);

/// `bytes`: the first PetscHeader::most_bytes bytes of a file of `file_bytes`, or all if there are fewer. `read` reads the file,
/// to find what follows the matrix. Throws Error(input) if this is no header of a sparse matrix that fits in the file, and what
/// `read` throws.
PetscHeader decode_petsc_header(const std::string& name, std::string_view bytes, std::uint64_t file_bytes,
                                const ReadAt& read);
/// The header as header.lengths_begin() bytes. Pure.
std::string encode_petsc_header(const PetscHeader& header);

/// The header for a matrix of this size. Pure.
PetscHeader petsc_header_for(const Shape& shape, gidx nonzeros, bool complex);

/// The row pointers of `rows` rows from `first_row` on: rows + 1 numbers, the first is 0. Throws Error(input) for lengths that
/// no row has, and what `read` throws.
std::vector<offset> read_petsc_row_ptr(const PetscHeader& header, gidx first_row, gidx rows,
                                       const ReadAt& read);

/// The rows with these row pointers; their first nonzero is number `first_nonzero` of the file. Sorts the columns of every row
/// and converts the values to T. Throws Error(input) for columns that do not exist or occur twice in a row and for values that
/// are not finite, Error(usage) for complex values and a real T, and what `read` throws.
template <class T>
RowBlock<T> read_petsc_rows(const PetscHeader& header, gidx first_row, std::vector<offset> row_ptr,
                            offset first_nonzero, const ReadAt& read, const Progress& progress);

/// Writes `count` numbers as bytes of the file. Pure.
void encode_petsc_indices(const gidx* indices, std::size_t count, std::uint32_t index_bytes, char* to);
/// Real values are written as double, complex ones as two doubles. Pure.
template <class T>
void encode_petsc_values(const T* values, std::size_t count, char* to);

}  // namespace spmv
