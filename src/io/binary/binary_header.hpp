// The .spmv file: where everything is, and what makes it whole. README.md in this folder has it byte by byte.
// Everything here is Local, and knows no file but its bytes.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/types.hpp"

namespace spmv {

/// What is stored of every value; the numbers are those of the file.
enum class StoredValue : std::uint32_t { pattern, real32, real64, complex32, complex64 };

template <class T>
constexpr StoredValue stored_value() {
  if constexpr (std::is_same_v<T, float>) return StoredValue::real32;
  if constexpr (std::is_same_v<T, double>) return StoredValue::real64;
  if constexpr (std::is_same_v<T, std::complex<float>>) return StoredValue::complex32;
  if constexpr (std::is_same_v<T, std::complex<double>>) return StoredValue::complex64;
}

/// Of one value in the file; 0 of a pattern. Pure.
std::uint32_t bytes_of(StoredValue value);
/// The value type that holds these values, by name; of a pattern double. Pure.
std::string type_of(StoredValue value);

/// A partition that is stored with a matrix: what tells it from others of the same matrix.
struct StoredPartition {
  std::string partitioner;  // by name: small letters, digits and _
  std::int32_t seed = 1;
  std::int32_t parts = 1;  // as many ranks are to use it
  bool operator==(const StoredPartition&) const = default;
};

/// Of the number of a part in the file. Pure.
std::uint32_t part_bytes_for(std::int32_t parts);

/// What a .spmv file says of itself before its arrays.
struct BinaryHeader {
  static constexpr std::uint32_t bytes = 4096;
  static constexpr std::size_t most_partitions = 62;         // have room in it
  static constexpr std::size_t partitioner_name_bytes = 31;  // at most

  StoredValue value = StoredValue::real64;
  std::uint32_t column_bytes = 4;         // of one column id
  std::uint32_t block_bytes = 1U << 20U;  // that have one checksum; a power of two, 4096 at least
  gidx rows = 0;
  gidx cols = 0;
  gidx nonzeros = 0;
  std::uint32_t table_checksum = 0;  // of the checksums of all blocks
  std::vector<StoredPartition> partitions;

  std::uint32_t version() const { return partitions.empty() ? 1 : 2; }
};

/// The narrowest width of column ids for so many columns. Pure.
std::uint32_t column_bytes_for(gidx cols);

/// An array in the file, in blocks from its begin on. It is padded by zeros, which belong to its last block.
struct BinarySection {
  std::uint64_t begin = 0;   // in the file
  std::uint64_t bytes = 0;   // of its elements
  std::uint64_t padded = 0;  // bytes up to the next section
  std::uint64_t first_block = 0;
  std::uint64_t blocks = 0;
  const char* name = "";  // for people
};

/// The part of every row and, of a rectangular matrix, of every column.
struct PartitionSections {
  BinarySection rows, cols;
};

/// Where everything is. Follows from the header.
struct BinaryLayout {
  BinarySection row_ptr, col, value;
  std::vector<PartitionSections> partitions;
  std::uint64_t blocks = 0;       // of all sections
  std::uint64_t table_begin = 0;  // of their checksums
  std::uint64_t file_bytes = 0;
};

/// Sizes must be such that 64 bits hold the length of the file. Pure.
BinaryLayout layout_of(const BinaryHeader& header);

/// Whether a file that begins with these bytes is a .spmv file, whole or not. Pure.
bool is_binary_matrix(std::string_view first_bytes);

/// BinaryHeader::bytes bytes. Pure.
std::string encode_header(const BinaryHeader& header);
/// `bytes`: the first BinaryHeader::bytes bytes of a file of `file_bytes`, or what there is of them. `name`: of
/// the file, for messages. Throws Error(input) where this is no header of such a file, or one of another version.
BinaryHeader decode_header(const std::string& name, std::string_view bytes, std::uint64_t file_bytes);

/// Of the bytes of a block. Pure.
std::uint32_t block_checksum(const char* bytes, std::size_t size);

/// The table of checksums, as it stands behind the sections. Pure.
std::string encode_checksums(const std::vector<std::uint32_t>& checksums);
/// Throws Error(input) where the table is not the one that the header was written with.
std::vector<std::uint32_t> decode_checksums(const std::string& name, const BinaryHeader& header,
                                            std::string_view bytes);

}  // namespace spmv
