#include "io/binary/binary_header.hpp"

#include <bit>
#include <utility>

#include <zlib.h>

#include "io/binary/byte_order.hpp"
#include "io/input_checks.hpp"

namespace spmv {
namespace {

// No text begins with these bytes, and a transfer as text changes them.
constexpr std::string_view magic("\x89SPMV\r\n\x1a", 8);
constexpr std::size_t telling = 5;  // bytes that are enough to recognise the file
constexpr std::uint64_t order_mark = 0x0807060504030201;
constexpr std::uint32_t row_ptr_bytes = 8;
constexpr std::uint64_t alignment = 4096;  // of sections in the file

// Offsets of the fields.
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

// Offsets of the fields of a partition, from its begin on.
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

constexpr const char* fix = "copy the file again, or convert the matrix again";

std::uint64_t round_up(std::uint64_t number, std::uint64_t step) {
  return (number + step - 1) / step * step;
}

/// Whether a partition has parts of columns. Pure.
bool stores_columns(const BinaryHeader& header) {
  return !header.partitions.empty() && header.rows != header.cols;
}

/// The number in a field of the header. Pure.
template <class Number>
Number field(std::string_view bytes, std::size_t place) {
  return number_at<Number>(bytes.data() + place);
}

/// Decodes a header whose checksum and version are known to be right. Every function throws Error(input).
class HeaderDecoder {
 public:
  HeaderDecoder(const std::string& name, std::string_view bytes, std::uint64_t file_bytes)
      : name_(name), bytes_(bytes), file_bytes_(file_bytes), version_(number(at_version)) {}

  BinaryHeader decode() {
    header_.value = static_cast<StoredValue>(number(at_value));
    header_.column_bytes = number(at_column_bytes);
    header_.block_bytes = number(at_block_bytes);
    header_.rows = field<gidx>(bytes_, at_rows);
    header_.cols = field<gidx>(bytes_, at_cols);
    header_.nonzeros = field<gidx>(bytes_, at_nonzeros);
    header_.table_checksum = number(at_table_checksum);
    if (version_ == 2) decode_partitions();
    require_known();
    require_sizes();
    require_room();
    require_partitions();
    require_length();
    return std::move(header_);
  }

 private:
  std::uint32_t number(std::size_t place) const { return field<std::uint32_t>(bytes_, place); }

  [[noreturn]] void refuse_field(const char* what, std::uint64_t value) const {
    refuse(name_, "its header names {} {}, which no file of version {} has; convert the matrix again", what,
           value, version_);
  }

  void decode_partitions() {
    const std::uint32_t count = number(at_partition_count);
    if (count == 0 || count > BinaryHeader::most_partitions) refuse_field("partitions", count);
    for (std::uint32_t i = 0; i < count; ++i) header_.partitions.push_back(decode_partition(i));
  }

  StoredPartition decode_partition(std::uint32_t i) const {
    const std::string_view bytes = bytes_.substr(at_partitions + i * partition_bytes, partition_bytes);
    const std::string_view padded = bytes.substr(of_name, BinaryHeader::partitioner_name_bytes);
    StoredPartition partition;
    partition.partitioner = padded.substr(0, padded.find('\0'));
    if (partition.partitioner.empty() ||
        partition.partitioner.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
      refuse_field("no partitioner of partition", i);
    partition.seed = field<std::int32_t>(bytes, of_seed);
    partition.parts = field<std::int32_t>(bytes, of_parts);
    if (partition.parts < 1) refuse_field("parts", static_cast<std::uint32_t>(partition.parts));
    return partition;
  }

  /// Throws unless the program knows all widths and types.
  void require_known() const {
    if (number(at_header_bytes) != BinaryHeader::bytes) refuse_field("header bytes", number(at_header_bytes));
    if (number(at_value) > static_cast<std::uint32_t>(StoredValue::complex64))
      refuse_field("value type", number(at_value));
    if (header_.column_bytes != 4 && header_.column_bytes != 8)
      refuse_field("column bytes", header_.column_bytes);
    if (number(at_row_ptr_bytes) != row_ptr_bytes)
      refuse_field("row pointer bytes", number(at_row_ptr_bytes));
    if (!std::has_single_bit(header_.block_bytes) || header_.block_bytes < alignment)
      refuse_field("block bytes", header_.block_bytes);
  }

  /// Throws unless a matrix can have these sizes.
  void require_sizes() const {
    for (const gidx size : {header_.rows, header_.cols, header_.nonzeros})
      if (size < 0 || size > largest_size)
        refuse(name_, "its header names the size {}, which no matrix has; convert the matrix again", size);
    if (header_.column_bytes < column_bytes_for(header_.cols))
      refuse(name_, "its header names {} columns, whose ids do not fit in {} bytes; convert the matrix again",
             header_.cols, header_.column_bytes);
  }

  /// Throws unless the arrays fit in the file.
  void require_room() const {
    std::uint64_t left = file_bytes_;  // reduced step by step, because the sum may exceed 64 bits
    bool fits = true;
    const auto take = [&](gidx count, std::uint64_t width) {
      fits = fits && static_cast<std::uint64_t>(count) <= left / width;
      if (fits) left -= static_cast<std::uint64_t>(count) * width;
    };
    take(header_.rows, row_ptr_bytes);
    take(header_.nonzeros, header_.column_bytes + bytes_of(header_.value));
    for (const StoredPartition& partition : header_.partitions) {
      take(header_.rows, part_bytes_for(partition.parts));
      if (stores_columns(header_)) take(header_.cols, part_bytes_for(partition.parts));
    }
    if (!fits)
      refuse(name_,
             "it has {} bytes, which cannot hold {} rows, {} columns, {} nonzeros and {} partitions: it is "
             "truncated; {}",
             file_bytes_, header_.rows, header_.cols, header_.nonzeros, header_.partitions.size(), fix);
  }

  /// Throws unless the bytes after the fields of every version are what this program writes: the places of the partitions,
  /// and zeros.
  void require_partitions() const {
    const BinaryLayout layout = layout_of(header_);
    for (std::size_t i = 0; i < header_.partitions.size(); ++i) {
      const std::size_t at = at_partitions + i * partition_bytes;
      const auto begin = field<std::uint64_t>(bytes_, at + of_begin);
      if (number(at + of_part_bytes) != part_bytes_for(header_.partitions[i].parts))
        refuse_field("part bytes", number(at + of_part_bytes));
      if (begin != layout.partitions[i].rows.begin) refuse_field("a partition that begins at byte", begin);
    }
    const std::string own = encode_header(header_);
    for (std::size_t at = at_partition_count; at < at_checksum; ++at)
      if (bytes_[at] != own[at]) refuse_field("something in unused byte", at);
  }

  void require_length() const {
    const std::uint64_t wanted = layout_of(header_).file_bytes;
    if (field<std::uint64_t>(bytes_, at_file_bytes) != wanted)
      refuse(name_, "its header names a length that does not match its sizes; convert the matrix again");
    if (file_bytes_ != wanted)
      refuse(name_, "it has {} bytes instead of {}: {}; {}", file_bytes_, wanted,
             file_bytes_ < wanted ? "it is truncated" : "something follows its end", fix);
  }

  const std::string& name_;
  std::string_view bytes_;
  std::uint64_t file_bytes_;
  std::uint32_t version_;
  BinaryHeader header_;
};

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
    refuse(name, "it ends within its header, after {} bytes: it is truncated; {}", bytes.size(), fix);
  if (bytes.substr(0, magic.size()) != magic)
    refuse(name,
           "its first bytes are not those of a .spmv file, as after a transfer as text; copy it as binary");
  if (field<std::uint32_t>(bytes, at_checksum) != block_checksum(bytes.data(), at_checksum))
    refuse(name, "its header is damaged: the checksum does not match; {}", fix);
  const auto version = field<std::uint32_t>(bytes, at_version);
  if (version != 1 && version != 2)
    refuse(name,
           "it is of version {} of .spmv, and this program reads versions 1 and 2: read it with the program "
           "that wrote it, or convert the matrix again with this one",
           version);
  if (field<std::uint64_t>(bytes, at_order_mark) != order_mark)
    refuse(name, "its numbers do not have the byte order of .spmv files; convert the matrix again");
  return HeaderDecoder(name, bytes, file_bytes).decode();
}

std::uint32_t block_checksum(const char* bytes, std::size_t size) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes), size));
}

std::string encode_checksums(const std::vector<std::uint32_t>& checksums) {
  std::string bytes(checksums.size() * sizeof(std::uint32_t), '\0');
  put_numbers<std::uint32_t>(checksums.data(), checksums.size(), bytes.data());
  return bytes;
}

std::vector<std::uint32_t> decode_checksums(const std::string& name, const BinaryHeader& header,
                                            std::string_view bytes) {
  if (block_checksum(bytes.data(), bytes.size()) != header.table_checksum)
    refuse(name, "the table of checksums at its end is damaged; {}", fix);
  std::vector<std::uint32_t> checksums(bytes.size() / sizeof(std::uint32_t));
  numbers_from<std::uint32_t>(bytes.data(), checksums.size(), checksums.data());
  return checksums;
}

}  // namespace spmv
