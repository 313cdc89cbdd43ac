#include "io/petsc/petsc_rows.hpp"

#include <algorithm>
#include <complex>
#include <iterator>
#include <limits>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/huge_pages.hpp"
#include "core/value_types.hpp"
#include "io/binary/byte_order.hpp"
#include "io/input_checks.hpp"

namespace spmv {
namespace {

template <class V>
V big_endian(const char* bytes) {
  return number_at<V, std::endian::big>(bytes);
}

/// Converts `count` integers of `width` bytes.
void indices_from(const char* bytes, std::uint32_t width, std::size_t count, gidx* to) {
  if (width == 4)
    numbers_from<std::int32_t, std::endian::big>(bytes, count, to);
  else
    numbers_from<std::int64_t, std::endian::big>(bytes, count, to);
}

gidx index_at(const char* bytes, std::uint32_t width) {
  gidx index = 0;
  indices_from(bytes, width, 1, &index);
  return index;
}

/// Calls take(bytes, first, count) for pieces of `count` elements of `width` bytes from byte `begin` of the file on.
template <class Take>
void take(const ReadAt& read, std::uint64_t begin, std::uint32_t width, std::size_t count,
          const Take& take_some) {
  std::vector<char> bytes;
  in_pieces(width, count, [&](std::size_t first, std::size_t here) {
    bytes.resize(here * width);
    read(begin + static_cast<std::uint64_t>(first) * width, bytes.data(), bytes.size());
    take_some(bytes.data(), first, here);
  });
}

template <class Stored, class T>
void take_values(const PetscHeader& header, std::uint64_t begin, const ReadAt& read, RowBlock<T>& block) {
  if constexpr (is_complex<Stored> && !is_complex<T>) {
    refuse_complex<T>(header.name);
  } else {
    take(read, begin, sizeof(Stored), block.col.size(),
         [&](const char* bytes, std::size_t at, std::size_t count) {
           numbers_from<Stored, std::endian::big>(bytes, count, block.value.data() + at);
         });
    require_finite(header.name, block, 0);
  }
}

/// Sorts the columns of a row, and its values with them.
template <class T>
void sort_row(RowBlock<T>& block, std::size_t begin, std::size_t end) {
  const auto first = block.col.begin() + static_cast<std::ptrdiff_t>(begin);
  if (std::is_sorted(first, block.col.begin() + static_cast<std::ptrdiff_t>(end))) return;
  std::vector<std::pair<gidx, T>> row;
  for (std::size_t k = begin; k < end; ++k) row.emplace_back(block.col[k], block.value[k]);
  std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t k = begin; k < end; ++k) std::tie(block.col[k], block.value[k]) = row[k - begin];
}

/// Throws unless the columns exist; `row` is a number from 1.
void require_columns(const PetscHeader& header, gidx row, std::span<const gidx> columns) {
  for (const gidx col : columns)
    if (col < 0 || col >= header.cols)
      refuse(header.name, "row {} has column {}, which is none of 1 to {}: the file is damaged", row,
             from_1(col), header.cols);
}

/// Throws if a column occurs twice. `columns` are sorted.
void require_different(const PetscHeader& header, gidx row, std::span<const gidx> columns) {
  const auto twice = std::adjacent_find(columns.begin(), columns.end());
  if (twice != columns.end())
    refuse(header.name, "row {} has column {} twice: assemble the matrix before you write it", row,
           *twice + 1);
}

template <class T>
void order_columns(const PetscHeader& header, RowBlock<T>& block) {
  for (std::size_t row = 0; row + 1 < block.row_ptr.size(); ++row) {
    const auto begin = static_cast<std::size_t>(block.row_ptr[row]);
    const auto end = static_cast<std::size_t>(block.row_ptr[row + 1]);
    const gidx number = block.first_row + static_cast<gidx>(row) + 1;
    const std::span columns(block.col.data() + begin, end - begin);
    require_columns(header, number, columns);
    sort_row(block, begin, end);
    require_different(header, number, columns);
  }
}

/// The kind of PETSc object that begins at byte `begin` of the file; empty: none.
std::string object_at(const PetscHeader& header, std::uint64_t begin, std::uint64_t file_bytes,
                      const ReadAt& read) {
  char bytes[sizeof(std::int64_t)];
  if (begin > file_bytes || file_bytes - begin < header.index_bytes) return {};
  read(begin, bytes, header.index_bytes);
  switch (index_at(bytes, header.index_bytes)) {
    case petsc_matrix_class:
      return "another matrix";
    case petsc_vector_class:
      return "a vector";
    case petsc_index_set_class:
      return "an index set";
    default:
      return {};
  }
}

/// Sets header.value_bytes. The header does not contain it: it follows from the length of the file, or from the place where
/// another PETSc object begins. 0 if nothing fits.
void find_value_bytes(PetscHeader& header, std::uint64_t file_bytes, const ReadAt& read) {
  for (const bool alone : {true, false})
    for (const std::uint32_t width : {16U, 8U, 4U}) {
      header.value_bytes = width;
      if (alone && header.end() == file_bytes) return;
      if (!alone) header.follower = object_at(header, header.end(), file_bytes, read);
      if (!header.follower.empty()) return;
    }
  header.value_bytes = 0;
}

/// Throws unless a sparse matrix can have these sizes.
void require_sizes(const PetscHeader& header) {
  if (header.nonzeros == -1)
    refuse(
        header.name,
        "it holds a dense PETSc matrix; convert it to a sparse one (MatConvert to aij) and write it again");
  for (const gidx size : {header.rows, header.cols, header.nonzeros})
    if (size < 0 || size > largest_size)
      refuse(header.name, "its header names the size {}, which no matrix has: the file is damaged", size);
}

}  // namespace

bool is_petsc_matrix(std::string_view first_bytes) {
  return (first_bytes.size() >= 4 && big_endian<std::int32_t>(first_bytes.data()) == petsc_matrix_class) ||
         (first_bytes.size() >= 8 && big_endian<std::int64_t>(first_bytes.data()) == petsc_matrix_class);
}

PetscHeader decode_petsc_header(const std::string& name, std::string_view bytes, std::uint64_t file_bytes,
                                const ReadAt& read) {
  PetscHeader header;
  header.name = name;
  header.index_bytes =
      bytes.size() >= 4 && big_endian<std::int32_t>(bytes.data()) == petsc_matrix_class ? 4 : 8;
  if (bytes.size() < header.lengths_begin())
    refuse(name, "it ends within its header, after {} bytes: it is truncated", bytes.size());
  const auto field = [&](std::size_t number) {
    return index_at(bytes.data() + number * header.index_bytes, header.index_bytes);
  };
  header.rows = field(1);
  header.cols = field(2);
  header.nonzeros = field(3);
  require_sizes(header);
  const auto fits = [&](gidx count) {
    return static_cast<std::uint64_t>(count) <= file_bytes / header.index_bytes;
  };
  header.value_bytes = 0;
  if (fits(header.rows) && fits(header.nonzeros)) find_value_bytes(header, file_bytes, read);
  if (header.value_bytes == 0)
    refuse(
        name,
        "it has {} bytes, which does not fit {} rows and {} nonzeros: it is truncated, or something that is "
        "not PETSc's follows the matrix",
        file_bytes, header.rows, header.nonzeros);
  if (header.nonzeros == 0) header.value_bytes = 8;
  return header;
}

PetscHeader petsc_header_for(const Shape& shape, gidx nonzeros, bool complex) {
  constexpr gidx most = std::numeric_limits<std::int32_t>::max();
  PetscHeader header;
  header.index_bytes = std::max({shape.rows, shape.cols, nonzeros}) > most ? 8 : 4;
  header.value_bytes = complex ? 16 : 8;
  header.rows = shape.rows;
  header.cols = shape.cols;
  header.nonzeros = nonzeros;
  return header;
}

std::string encode_petsc_header(const PetscHeader& header) {
  std::string bytes(static_cast<std::size_t>(header.lengths_begin()), '\0');
  const gidx fields[] = {petsc_matrix_class, header.rows, header.cols, header.nonzeros};
  encode_petsc_indices(fields, std::size(fields), header.index_bytes, bytes.data());
  return bytes;
}

std::vector<offset> read_petsc_row_ptr(const PetscHeader& header, gidx first_row, gidx rows,
                                       const ReadAt& read) {
  std::vector<offset> row_ptr(static_cast<std::size_t>(rows) + 1, 0);
  take(read, header.lengths_begin() + static_cast<std::uint64_t>(first_row) * header.index_bytes,
       header.index_bytes, static_cast<std::size_t>(rows),
       [&](const char* bytes, std::size_t first, std::size_t count) {
         indices_from(bytes, header.index_bytes, count, row_ptr.data() + first + 1);
         for (std::size_t i = first; i < first + count; ++i) {
           const gidx length = row_ptr[i + 1];
           if (length < 0 || length > header.cols)
             refuse(header.name, "row {} has {} nonzeros in {} columns: the file is damaged",
                    first_row + static_cast<gidx>(i) + 1, length, header.cols);
           row_ptr[i + 1] += row_ptr[i];
           if (row_ptr[i + 1] > header.nonzeros)
             refuse(header.name, "its rows have more nonzeros than the {} in its header: the file is damaged",
                    header.nonzeros);
         }
       });
  return row_ptr;
}

template <class T>
// NOLINTNEXTLINE(performance-unnecessary-value-param): row_ptr is moved into the block.
RowBlock<T> read_petsc_rows(const PetscHeader& header, gidx first_row, std::vector<offset> row_ptr,
                            offset first_nonzero, const ReadAt& read, const Progress& progress) {
  RowBlock<T> block;
  block.first_row = first_row;
  block.row_ptr = std::move(row_ptr);
  const auto nonzeros = static_cast<std::size_t>(block.nonzeros());
  const auto first = static_cast<std::uint64_t>(first_nonzero);
  reserve_in_huge_pages(block.col, nonzeros);
  block.col.resize(nonzeros);
  take(read, header.columns_begin() + first * header.index_bytes, header.index_bytes, nonzeros,
       [&](const char* bytes, std::size_t at, std::size_t count) {
         indices_from(bytes, header.index_bytes, count, block.col.data() + at);
         if (progress) progress(at + count, 2 * nonzeros);
       });
  reserve_in_huge_pages(block.value, nonzeros);
  block.value.resize(nonzeros);
  const std::uint64_t begin = header.values_begin() + first * header.value_bytes;
  if (header.value_bytes == 4) take_values<float>(header, begin, read, block);
  if (header.value_bytes == 8) take_values<double>(header, begin, read, block);
  if (header.value_bytes == 16) take_values<std::complex<double>>(header, begin, read, block);
  order_columns(header, block);
  return block;
}

void encode_petsc_indices(const gidx* indices, std::size_t count, std::uint32_t index_bytes, char* to) {
  if (index_bytes == 4)
    put_numbers<std::int32_t, std::endian::big>(indices, count, to);
  else
    put_numbers<std::int64_t, std::endian::big>(indices, count, to);
}

template <class T>
void encode_petsc_values(const T* values, std::size_t count, char* to) {
  using Stored = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  put_numbers<Stored, std::endian::big>(values, count, to);
}

SPMV_INSTANTIATE(read_petsc_rows);
SPMV_INSTANTIATE(encode_petsc_values);

}  // namespace spmv
