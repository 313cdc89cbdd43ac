#include "io/petsc/petsc_rows.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <tuple>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/huge_pages.hpp"
#include "core/printable.hpp"
#include "core/value_types.hpp"
#include "io/binary/byte_order.hpp"

namespace spmv {
namespace {

constexpr gidx largest_petsc_size = 1'000'000'000'000'000'000;

[[noreturn]] void refuse_petsc(const std::string& name, const std::string& what) {
  throw Error(ExitCode::input, fmt::format("{}: {}", printable(name), what));
}

template <class V>
V big_endian(const char* bytes) {
  return number_at<V, std::endian::big>(bytes);
}

gidx index_at(const char* bytes, std::uint32_t width) {
  return width == 4 ? big_endian<std::int32_t>(bytes) : big_endian<std::int64_t>(bytes);
}

/// Calls take(bytes, first, count) for `count` elements of `width` bytes that stand from byte `begin` of the file on, some
/// at a time.
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
    throw Error(ExitCode::usage, fmt::format("{} has complex values, which {} cannot hold: take --value "
                                             "complex_double or complex_float",
                                             printable(header.name), value_name<T>()));
  } else {
    bool finite = true;
    take(read, begin, sizeof(Stored), block.col.size(),
         [&](const char* bytes, std::size_t at, std::size_t count) {
           for (std::size_t i = 0; i < count; ++i) {
             const T value = static_cast<T>(big_endian<Stored>(bytes + i * sizeof(Stored)));
             finite = finite && std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
             block.value[at + i] = value;
           }
         });
    if (!finite)
      refuse_petsc(header.name,
                   fmt::format("a value is beyond the range of {}, or no number; scale the matrix, or take a "
                               "wider --value",
                               value_name<T>()));
  }
}

/// Brings the columns of a row into their order, and its values with them.
template <class T>
void sort_row(RowBlock<T>& block, std::size_t begin, std::size_t end) {
  const auto first = block.col.begin() + static_cast<std::ptrdiff_t>(begin);
  if (std::is_sorted(first, block.col.begin() + static_cast<std::ptrdiff_t>(end))) return;
  std::vector<std::pair<gidx, T>> row;
  for (std::size_t k = begin; k < end; ++k) row.emplace_back(block.col[k], block.value[k]);
  std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t k = begin; k < end; ++k) std::tie(block.col[k], block.value[k]) = row[k - begin];
}

template <class T>
void order_columns(const PetscHeader& header, RowBlock<T>& block) {
  for (std::size_t row = 0; row + 1 < block.row_ptr.size(); ++row) {
    const auto begin = static_cast<std::size_t>(block.row_ptr[row]);
    const auto end = static_cast<std::size_t>(block.row_ptr[row + 1]);
    const gidx number = block.first_row + static_cast<gidx>(row) + 1;
    for (std::size_t k = begin; k < end; ++k)
      if (block.col[k] < 0 || block.col[k] >= header.cols)
        refuse_petsc(header.name,
                     fmt::format("row {} has column {}, which is none of 1 to {}: the file is damaged",
                                 number, block.col[k] + 1, header.cols));
    sort_row(block, begin, end);
    const auto first = block.col.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = block.col.begin() + static_cast<std::ptrdiff_t>(end);
    if (const auto twice = std::adjacent_find(first, last); twice != last)
      refuse_petsc(header.name,
                   fmt::format("row {} has column {} twice: assemble the matrix before it is written", number,
                               *twice + 1));
  }
}

/// What of PETSc's begins at a byte of the file; empty: nothing.
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

/// Only the length of the file tells the width of its values, or where something of PETSc's begins behind them. It stays 0
/// where neither does.
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
    refuse_petsc(name,
                 fmt::format("it ends within its header, after {} bytes: it is truncated", bytes.size()));
  const auto field = [&](std::size_t number) {
    return index_at(bytes.data() + number * header.index_bytes, header.index_bytes);
  };
  header.rows = field(1);
  header.cols = field(2);
  header.nonzeros = field(3);
  if (header.nonzeros == -1)
    refuse_petsc(
        name,
        "it holds a dense matrix of PETSc's; convert it to a sparse one (MatConvert to aij) and write it again");
  for (const gidx size : {header.rows, header.cols, header.nonzeros})
    if (size < 0 || size > largest_petsc_size)
      refuse_petsc(
          name, fmt::format("its header names the size {}, which no matrix has: the file is damaged", size));
  const auto fits = [&](gidx count) {
    return static_cast<std::uint64_t>(count) <= file_bytes / header.index_bytes;
  };
  header.value_bytes = 0;
  if (fits(header.rows) && fits(header.nonzeros)) find_value_bytes(header, file_bytes, read);
  if (header.value_bytes == 0)
    refuse_petsc(
        name,
        fmt::format("it has {} bytes, which is no length of a file with {} rows and {} nonzeros alone: it is "
                    "truncated, or something that is not PETSc's follows the matrix",
                    file_bytes, header.rows, header.nonzeros));
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
         for (std::size_t i = 0; i < count; ++i) {
           const gidx length = index_at(bytes + i * header.index_bytes, header.index_bytes);
           if (length < 0 || length > header.cols)
             refuse_petsc(header.name,
                          fmt::format("row {} has {} nonzeros in {} columns: the file is damaged",
                                      first_row + static_cast<gidx>(first + i) + 1, length, header.cols));
           row_ptr[first + i + 1] = row_ptr[first + i] + length;
           if (row_ptr[first + i + 1] > header.nonzeros)
             refuse_petsc(
                 header.name,
                 fmt::format("its rows have more nonzeros than the {} of its header: the file is damaged",
                             header.nonzeros));
         }
       });
  return row_ptr;
}

template <class T>
// NOLINTNEXTLINE(performance-unnecessary-value-param): it is moved from, into what depends on T.
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
         for (std::size_t i = 0; i < count; ++i)
           block.col[at + i] = index_at(bytes + i * header.index_bytes, header.index_bytes);
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
  for (std::size_t i = 0; i < count; ++i, to += index_bytes) {
    if (index_bytes == 4)
      put_number<std::int32_t, std::endian::big>(static_cast<std::int32_t>(indices[i]), to);
    else
      put_number<std::int64_t, std::endian::big>(indices[i], to);
  }
}

template <class T>
void encode_petsc_values(const T* values, std::size_t count, char* to) {
  using Stored = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  for (std::size_t i = 0; i < count; ++i)
    put_number<Stored, std::endian::big>(static_cast<Stored>(values[i]), to + i * sizeof(Stored));
}

SPMV_INSTANTIATE(read_petsc_rows);
SPMV_INSTANTIATE(encode_petsc_values);

}  // namespace spmv
