// Rows out of a .spmv file, and arrays into one. Everything here is Local.
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

/// Fetches exactly `size` bytes of a file from byte `begin` on, or throws.
using ReadAt = std::function<void(std::uint64_t begin, char* to, std::size_t size)>;

/// What must be known of a .spmv file before its arrays are read.
struct BinaryIndex {
  std::string name;  // of the file, for messages
  BinaryHeader header;
  BinaryLayout layout;
  std::vector<std::uint32_t> checksums;  // of every block
};

/// The bytes of the index, for decode_index() on every rank. Throws Error(input) for a file that is none, or not
/// whole, and what `read` throws.
std::string read_index(const std::string& name, std::uint64_t file_bytes, const ReadAt& read);
/// `file_bytes`: of the file as this rank sees it. Throws as read_index().
BinaryIndex decode_index(const std::string& name, std::string_view bytes, std::uint64_t file_bytes);

/// `rows` rows from `first_row` on. Every block that holds some of them is checked, and so is what it holds.
/// Values are converted to T, which must be complex where they are. Throws Error(input), and what `read` throws.
template <class T>
RowBlock<T> read_binary_rows(const BinaryIndex& index, gidx first_row, gidx rows, const ReadAt& read,
                             const Progress& progress);

/// The parts of `count` rows, or columns, from `first` on, under `partition`, whose `section` has them. Checked as rows
/// are. Throws Error(input), and what `read` throws.
std::vector<int> read_binary_parts(const BinaryIndex& index, const StoredPartition& partition,
                                   const BinarySection& section, gidx first, gidx count, const ReadAt& read);

/// `count` elements as they stand in the file. `before`: nonzeros of all rows before this array's first. Pure.
void encode_row_ptr(const offset* row_ptr, std::size_t count, offset before, char* to);
void encode_columns(const gidx* columns, std::size_t count, std::uint32_t column_bytes, char* to);
void encode_parts(const int* parts, std::size_t count, std::uint32_t part_bytes, char* to);
template <class T>
void encode_values(const T* values, std::size_t count, char* to);

}  // namespace spmv
