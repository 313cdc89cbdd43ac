#include "io/binary/binary_header.hpp"

#include <bit>

#include <fmt/format.h>
#include <zlib.h>

#include "core/error.hpp"
#include "core/printable.hpp"
#include "io/binary/byte_order.hpp"

namespace spmv {
namespace {

// What no text begins with, and what a transfer that takes it for text changes.
constexpr std::string_view magic("\x89SPMV\r\n\x1a", 8);
constexpr std::size_t telling = 5;  // of these bytes are enough to know the kind
constexpr std::uint64_t order_mark = 0x0807060504030201;
constexpr std::uint32_t row_ptr_bytes = 8;
constexpr std::uint64_t alignment = 4096;  // of sections in the file
constexpr gidx largest_binary_size = 1'000'000'000'000'000'000;

// Where the fields are.
enum Place : std::size_t {
  at_version = 8,
  at_header_bytes = 12,
  at_order_mark = 16,
  at_value = 24,
  at_column_bytes = 28,
  at_row_ptr_bytes = 32,
  at_block_bytes = 36,
  at_rows = 40,
  at_cols = 48,
  at_nonzeros = 56,
  at_file_bytes = 64,
  at_table_checksum = 72,
  at_partition_count = 76,
  at_partitions = 96,
  at_checksum = BinaryHeader::bytes - 4,
};

// Where the fields of a partition are, from its begin on.
enum PartitionField : std::size_t {
  of_name = 0,
  of_seed = 32,
  of_parts = 36,
  of_part_bytes = 40,
  of_begin = 48,
  partition_bytes = 64,
};
static_assert(at_partitions + BinaryHeader::most_partitions * partition_bytes <= at_checksum);
static_assert(BinaryHeader::partitioner_name_bytes < of_seed);

[[noreturn]] void refuse_header(const std::string& name, const std::string& what) {
  throw Error(ExitCode::input, fmt::format("{}: {}", printable(name), what));
}

constexpr const char* fix = "copy the file again, or convert the matrix again";

std::uint64_t round_up(std::uint64_t number, std::uint64_t step) {
  return (number + step - 1) / step * step;
}

[[noreturn]] void refuse_field(const std::string& name, const char* field, std::uint64_t number,
                               std::uint32_t version) {
  refuse_header(
      name, fmt::format("its header names {} {}, which no file of version {} has; convert the matrix again",
                        field, number, version));
}

/// Throws unless everything that the header names is something that this program knows.
void require_known(const std::string& name, const BinaryHeader& header, std::string_view bytes) {
  const auto refuse = [&](const char* field, std::uint64_t number) {
    refuse_field(name, field, number, header.version());
  };
  const auto number = [&](Place field) { return number_at<std::uint32_t>(bytes.data() + field); };
  if (number(at_header_bytes) != BinaryHeader::bytes) refuse("header bytes", number(at_header_bytes));
  if (number(at_value) > static_cast<std::uint32_t>(StoredValue::complex64))
    refuse("value type", number(at_value));
  if (header.column_bytes != 4 && header.column_bytes != 8) refuse("column bytes", header.column_bytes);
  if (number(at_row_ptr_bytes) != row_ptr_bytes) refuse("row pointer bytes", number(at_row_ptr_bytes));
  if (!std::has_single_bit(header.block_bytes) || header.block_bytes < alignment)
    refuse("block bytes", header.block_bytes);
}

/// Throws unless what stands behind the fields of every version is what this program writes for such a header: where
/// the partitions are, and zeros.
void require_partitions(const std::string& name, const BinaryHeader& header, std::string_view bytes) {
  const auto refuse = [&](const char* field, std::uint64_t number) {
    refuse_field(name, field, number, header.version());
  };
  const BinaryLayout layout = layout_of(header);
  for (std::size_t i = 0; i < header.partitions.size(); ++i) {
    const char* at = bytes.data() + at_partitions + i * partition_bytes;
    const auto width = number_at<std::uint32_t>(at + of_part_bytes);
    const auto begin = number_at<std::uint64_t>(at + of_begin);
    if (width != part_bytes_for(header.partitions[i].parts)) refuse("part bytes", width);
    if (begin != layout.partitions[i].rows.begin) refuse("a partition that begins at byte", begin);
  }
  const std::string own = encode_header(header);
  for (std::size_t at = at_partition_count; at < at_checksum; ++at)
    if (bytes[at] != own[at]) refuse("something in unused byte", at);
}

/// Whether a partition has parts of columns. Pure.
bool stores_columns(const BinaryHeader& header) {
  return !header.partitions.empty() && header.rows != header.cols;
}

/// Throws unless the sizes are sizes of a matrix whose arrays have room in the file.
void require_sizes(const std::string& name, const BinaryHeader& header, std::uint64_t file_bytes) {
  for (const gidx size : {header.rows, header.cols, header.nonzeros})
    if (size < 0 || size > largest_binary_size)
      refuse_header(
          name,
          fmt::format("its header names the size {}, which no matrix has; convert the matrix again", size));
  if (header.column_bytes < column_bytes_for(header.cols))
    refuse_header(
        name,
        fmt::format("its header names {} columns, whose ids have no room in {} bytes; convert the matrix "
                    "again",
                    header.cols, header.column_bytes));
  std::uint64_t left = file_bytes;  // taken from step by step: the sum may be more than 64 bits hold
  bool fits = true;
  const auto take = [&](gidx count, std::uint64_t width) {
    fits = fits && static_cast<std::uint64_t>(count) <= left / width;
    if (fits) left -= static_cast<std::uint64_t>(count) * width;
  };
  take(header.rows, row_ptr_bytes);
  take(header.nonzeros, header.column_bytes + bytes_of(header.value));
  for (const StoredPartition& partition : header.partitions) {
    take(header.rows, part_bytes_for(partition.parts));
    if (stores_columns(header)) take(header.cols, part_bytes_for(partition.parts));
  }
  if (!fits)
    refuse_header(
        name,
        fmt::format("it has {} bytes, which cannot hold {} rows, {} columns, {} nonzeros and {} "
                    "partitions: it is truncated; {}",
                    file_bytes, header.rows, header.cols, header.nonzeros, header.partitions.size(), fix));
}

/// The partitions that a header of version 2 names.
std::vector<StoredPartition> decode_partitions(const std::string& name, std::string_view bytes) {
  constexpr std::uint32_t version = 2;
  const auto count = number_at<std::uint32_t>(bytes.data() + at_partition_count);
  if (count == 0 || count > BinaryHeader::most_partitions) refuse_field(name, "partitions", count, version);
  std::vector<StoredPartition> partitions(count);
  for (std::size_t i = 0; i < count; ++i) {
    StoredPartition& partition = partitions[i];
    const std::string_view at = bytes.substr(at_partitions + i * partition_bytes, partition_bytes);
    const std::string_view padded = at.substr(of_name, BinaryHeader::partitioner_name_bytes);
    partition.partitioner = padded.substr(0, padded.find('\0'));
    if (partition.partitioner.empty() ||
        partition.partitioner.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
      refuse_field(name, "no partitioner of partition", i, version);
    partition.seed = number_at<std::int32_t>(at.data() + of_seed);
    partition.parts = number_at<std::int32_t>(at.data() + of_parts);
    if (partition.parts < 1)
      refuse_field(name, "parts", static_cast<std::uint32_t>(partition.parts), version);
  }
  return partitions;
}

}  // namespace

std::uint32_t bytes_of(StoredValue value) {
  constexpr std::uint32_t table[] = {0, 4, 8, 8, 16};
  return table[static_cast<std::size_t>(value)];
}

std::string type_of(StoredValue value) {
  constexpr const char* table[] = {"double", "float", "double", "complex_float", "complex_double"};
  return table[static_cast<std::size_t>(value)];
}

std::uint32_t column_bytes_for(gidx cols) {
  return cols <= gidx{1} << 32 ? 4 : 8;
}

std::uint32_t part_bytes_for(std::int32_t parts) {
  return parts <= 1 << 8 ? 1 : parts <= 1 << 16 ? 2 : 4;
}

BinaryLayout layout_of(const BinaryHeader& header) {
  BinaryLayout layout;
  std::uint64_t begin = BinaryHeader::bytes;
  const auto next = [&](const char* name, std::uint64_t bytes) {
    const std::uint64_t padded = round_up(bytes, alignment);
    const BinarySection section{
        begin, bytes, padded, layout.blocks, (padded + header.block_bytes - 1) / header.block_bytes, name};
    begin += padded;
    layout.blocks += section.blocks;
    return section;
  };
  const auto rows = static_cast<std::uint64_t>(header.rows);
  const auto nonzeros = static_cast<std::uint64_t>(header.nonzeros);
  layout.row_ptr = next("row pointers", (rows + 1) * row_ptr_bytes);
  layout.col = next("columns", nonzeros * header.column_bytes);
  layout.value = next("values", nonzeros * bytes_of(header.value));
  const auto cols = stores_columns(header) ? static_cast<std::uint64_t>(header.cols) : 0;
  for (const StoredPartition& partition : header.partitions) {
    const std::uint64_t width = part_bytes_for(partition.parts);
    PartitionSections sections;
    sections.rows = next("partitions", rows * width);
    sections.cols = next("partitions", cols * width);
    layout.partitions.push_back(sections);
  }
  layout.table_begin = begin;
  layout.file_bytes = begin + layout.blocks * sizeof(std::uint32_t);
  return layout;
}

bool is_binary_matrix(std::string_view first_bytes) {
  return !first_bytes.empty() &&
         first_bytes.substr(0, telling) == magic.substr(0, telling).substr(0, first_bytes.size());
}

std::string encode_header(const BinaryHeader& header) {
  std::string bytes(BinaryHeader::bytes, '\0');
  const auto put = [&](Place field, auto number) { put_number(number, bytes.data() + field); };
  bytes.replace(0, magic.size(), magic);
  put(at_version, header.version());
  put(at_header_bytes, BinaryHeader::bytes);
  put(at_order_mark, order_mark);
  put(at_value, static_cast<std::uint32_t>(header.value));
  put(at_column_bytes, header.column_bytes);
  put(at_row_ptr_bytes, row_ptr_bytes);
  put(at_block_bytes, header.block_bytes);
  put(at_rows, header.rows);
  put(at_cols, header.cols);
  put(at_nonzeros, header.nonzeros);
  const BinaryLayout layout = layout_of(header);
  put(at_file_bytes, layout.file_bytes);
  put(at_table_checksum, header.table_checksum);
  put(at_partition_count, static_cast<std::uint32_t>(header.partitions.size()));
  for (std::size_t i = 0; i < header.partitions.size(); ++i) {
    const StoredPartition& partition = header.partitions[i];
    char* at = bytes.data() + at_partitions + i * partition_bytes;
    partition.partitioner.copy(at + of_name, BinaryHeader::partitioner_name_bytes);
    put_number(partition.seed, at + of_seed);
    put_number(partition.parts, at + of_parts);
    put_number(part_bytes_for(partition.parts), at + of_part_bytes);
    put_number(layout.partitions[i].rows.begin, at + of_begin);
  }
  put(at_checksum, block_checksum(bytes.data(), at_checksum));
  return bytes;
}

BinaryHeader decode_header(const std::string& name, std::string_view bytes, std::uint64_t file_bytes) {
  if (bytes.size() < BinaryHeader::bytes)
    refuse_header(name, fmt::format("it ends within its header, after {} bytes: it is truncated; {}",
                                    bytes.size(), fix));
  if (bytes.substr(0, magic.size()) != magic)
    refuse_header(
        name,
        "its first bytes are not those of a .spmv file, as after a transfer as text; copy it as binary");
  const auto number = [&](Place field, auto zero) { return number_at<decltype(zero)>(bytes.data() + field); };
  if (number(at_checksum, std::uint32_t{}) != block_checksum(bytes.data(), at_checksum))
    refuse_header(name, fmt::format("its header is damaged: its checksum is another; {}", fix));
  const auto version = number(at_version, std::uint32_t{});
  if (version != 1 && version != 2)
    refuse_header(
        name,
        fmt::format("it is of version {} of .spmv, and this program reads versions 1 and 2: read it with "
                    "the program that wrote it, or convert the matrix again with this one",
                    version));
  if (number(at_order_mark, std::uint64_t{}) != order_mark)
    refuse_header(name,
                  "its numbers have another byte order than .spmv files have; convert the matrix again");
  BinaryHeader header;
  header.value = static_cast<StoredValue>(number(at_value, std::uint32_t{}));
  header.column_bytes = number(at_column_bytes, std::uint32_t{});
  header.block_bytes = number(at_block_bytes, std::uint32_t{});
  header.rows = number(at_rows, gidx{});
  header.cols = number(at_cols, gidx{});
  header.nonzeros = number(at_nonzeros, gidx{});
  header.table_checksum = number(at_table_checksum, std::uint32_t{});
  if (version == 2) header.partitions = decode_partitions(name, bytes);
  require_known(name, header, bytes);
  require_sizes(name, header, file_bytes);
  require_partitions(name, header, bytes);
  const std::uint64_t wanted = layout_of(header).file_bytes;
  if (number(at_file_bytes, std::uint64_t{}) != wanted)
    refuse_header(name,
                  "its header names a length that does not belong to its sizes; convert the matrix again");
  if (file_bytes != wanted)
    refuse_header(name,
                  fmt::format("it has {} bytes instead of {}: {}; {}", file_bytes, wanted,
                              file_bytes < wanted ? "it is truncated" : "something follows its end", fix));
  return header;
}

std::uint32_t block_checksum(const char* bytes, std::size_t size) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes), size));
}

std::string encode_checksums(const std::vector<std::uint32_t>& checksums) {
  std::string bytes(checksums.size() * sizeof(std::uint32_t), '\0');
  for (std::size_t i = 0; i < checksums.size(); ++i)
    put_number(checksums[i], bytes.data() + i * sizeof(std::uint32_t));
  return bytes;
}

std::vector<std::uint32_t> decode_checksums(const std::string& name, const BinaryHeader& header,
                                            std::string_view bytes) {
  if (block_checksum(bytes.data(), bytes.size()) != header.table_checksum)
    refuse_header(name, fmt::format("the table of checksums at its end is damaged; {}", fix));
  std::vector<std::uint32_t> checksums(bytes.size() / sizeof(std::uint32_t));
  for (std::size_t i = 0; i < checksums.size(); ++i)
    checksums[i] = number_at<std::uint32_t>(bytes.data() + i * sizeof(std::uint32_t));
  return checksums;
}

}  // namespace spmv
