// Reads rows of a .spmv file, and makes the bytes of its arrays. Everything here is Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/csr.hpp"
#include "io/binary/binary_header.hpp"
#include "io/progress.hpp"

namespace spmv {

/// Reads exactly `size` bytes of a file from byte `begin` on, or throws.
using ReadAt = std::function<void(std::uint64_t begin, char* to, std::size_t size)>;

/// Everything about a .spmv file but its arrays.
struct BinaryIndex {
  std::string name;  // of the file, for messages
  BinaryHeader header;
  BinaryLayout layout;
  std::vector<std::uint32_t> checksums;  // of every block
};

/// The bytes of the index, for decode_index() on every rank. Throws Error(input) if this is no complete .spmv file, and what
/// `read` throws.
std::string read_index(const std::string& name, std::uint64_t file_bytes, const ReadAt& read);
/// `file_bytes`: length of the file on this rank. Throws as read_index().
BinaryIndex decode_index(const std::string& name, std::string_view bytes, std::uint64_t file_bytes);

/// `rows` rows from `first_row` on, with values converted to T. Checks every block with a part of them: its checksum and its
/// contents. Throws Error(input), Error(usage) if the values are complex and T is not, and what `read` throws.
template <class T>
RowBlock<T> read_binary_rows(const BinaryIndex& index, gidx first_row, gidx rows, const ReadAt& read,
                             const Progress& progress);

/// The parts of `count` rows or columns from `first` on, in `section` of `partition`. Checks them as rows. Throws Error(input),
/// and what `read` throws.
std::vector<int> read_binary_parts(const BinaryIndex& index, const StoredPartition& partition,
                                   const BinarySection& section, gidx first, gidx count, const ReadAt& read);

/// Write `count` elements as bytes of the file. `before`: nonzeros of all rows before the array. Pure.
void encode_row_ptr(const offset* row_ptr, std::size_t count, offset before, char* to);
void encode_columns(const gidx* columns, std::size_t count, std::uint32_t column_bytes, char* to);
void encode_parts(const int* parts, std::size_t count, std::uint32_t part_bytes, char* to);
template <class T>
void encode_values(const T* values, std::size_t count, char* to);

}  // namespace spmv
