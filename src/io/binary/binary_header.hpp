// The header of a .spmv file, and the places of its arrays. README.md in this folder describes every byte. Everything here is
// Local, and works on bytes in memory.
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

/// The stored form of a value. The numbers are those in the file.
enum class StoredValue : std::uint32_t { pattern, real32, real64, complex32, complex64 };

template <class T>
constexpr StoredValue stored_value() {
  if constexpr (std::is_same_v<T, float>) return StoredValue::real32;
  if constexpr (std::is_same_v<T, double>) return StoredValue::real64;
  if constexpr (std::is_same_v<T, std::complex<float>>) return StoredValue::complex32;
  if constexpr (std::is_same_v<T, std::complex<double>>) return StoredValue::complex64;
}

/// Bytes of one value in the file; 0 for a pattern. Pure.
std::uint32_t bytes_of(StoredValue value);
/// Name of the value type for these values; double for a pattern. Pure.
std::string type_of(StoredValue value);

/// A partition that is stored with a matrix. The members distinguish it from other partitions of the matrix.
struct StoredPartition {
  std::string partitioner;  // its name: small letters, digits and _
  std::int32_t seed = 1;
  std::int32_t parts = 1;  // one per rank
  bool operator==(const StoredPartition&) const = default;
};

/// Bytes of the number of a part in the file. Pure.
std::uint32_t part_bytes_for(std::int32_t parts);

/// The header of a .spmv file.
struct BinaryHeader {
  static constexpr std::uint32_t bytes = 4096;
  static constexpr std::size_t most_partitions = 62;         // that fit in it
  static constexpr std::size_t partitioner_name_bytes = 31;  // at most

  StoredValue value = StoredValue::real64;
  std::uint32_t column_bytes = 4;         // of one column id
  std::uint32_t block_bytes = 1U << 20U;  // with one checksum; a power of two, at least 4096
  gidx rows = 0;
  gidx cols = 0;
  gidx nonzeros = 0;
  std::uint32_t table_checksum = 0;  // checksum of the table with the checksums of all blocks
  std::vector<StoredPartition> partitions;

  std::uint32_t version() const { return partitions.empty() ? 1 : 2; }
};

/// The smallest number of bytes for the ids of so many columns. Pure.
std::uint32_t column_bytes_for(gidx cols);

/// An array in the file, divided into blocks from its begin on. Its last block includes the zeros that pad it.
struct BinarySection {
  std::uint64_t begin = 0;   // in the file
  std::uint64_t bytes = 0;   // of the elements
  std::uint64_t padded = 0;  // bytes up to the next section
  std::uint64_t first_block = 0;
  std::uint64_t blocks = 0;
  const char* name = "";  // for messages
};

/// The part of every row and, if the matrix is not square, of every column.
struct PartitionSections {
  BinarySection rows, cols;
};

/// The places of all arrays in the file. They follow from the header.
struct BinaryLayout {
  BinarySection row_ptr, col, value;
  std::vector<PartitionSections> partitions;
  std::uint64_t blocks = 0;       // of all sections
  std::uint64_t table_begin = 0;  // of their checksums
  std::uint64_t file_bytes = 0;
};

/// The length of the file must fit in 64 bits. Pure.
BinaryLayout layout_of(const BinaryHeader& header);

/// Whether a file that begins with these bytes is a .spmv file, complete or not. Pure.
bool is_binary_matrix(std::string_view first_bytes);

/// The header as BinaryHeader::bytes bytes. Pure.
std::string encode_header(const BinaryHeader& header);
/// `bytes`: the first BinaryHeader::bytes bytes of a file of `file_bytes`, or all if there are fewer. `name`: of the file, for
/// messages. Throws Error(input) if this is no header of a .spmv file of this length, or one of an unknown version.
BinaryHeader decode_header(const std::string& name, std::string_view bytes, std::uint64_t file_bytes);

/// The checksum of a block. Pure.
std::uint32_t block_checksum(const char* bytes, std::size_t size);

/// The table of checksums as bytes of the file. Pure.
std::string encode_checksums(const std::vector<std::uint32_t>& checksums);
/// Throws Error(input) if the table does not match the checksum in the header.
std::vector<std::uint32_t> decode_checksums(const std::string& name, const BinaryHeader& header,
                                            std::string_view bytes);

}  // namespace spmv
