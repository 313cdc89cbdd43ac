#include "io/binary/binary_rows.hpp"

#include <algorithm>
#include <complex>
#include <functional>

#include "core/huge_pages.hpp"
#include "core/value_types.hpp"
#include "io/binary/byte_order.hpp"
#include "io/input_checks.hpp"

namespace spmv {
namespace {

/// Reads elements of sections block by block, checks the checksums, and reports progress.
class CheckedBlocks {
 public:
  CheckedBlocks(const BinaryIndex& index, const ReadAt& read, const Progress& progress)
      : index_(index), read_(read), progress_(progress) {}

  /// Sets the total number of bytes for the progress.
  void expect(std::uint64_t bytes) { total_ = bytes; }

  /// Calls take(bytes, at, count) for pieces of `count` elements of `width` bytes from element `first` on. A piece fits in a
  /// cache; `at` counts from `first`.
  template <class Take>
  void take(const BinarySection& section, std::uint64_t width, std::uint64_t first, std::uint64_t count,
            const Take& take) {
    const std::uint64_t begin = first * width, end = begin + count * width;
    const std::uint64_t step = index_.header.block_bytes;
    for (std::uint64_t block = begin / step; count > 0 && block * step < end; ++block) {
      const std::uint64_t from = std::max(begin, block * step), to = std::min(end, (block + 1) * step);
      fetch(section, block);
      for (std::uint64_t at = from; at < to; at += in_cache) {
        const std::uint64_t end_of_piece = std::min(to, at + in_cache);
        take(bytes_.data() + (at - block * step), (at - begin) / width, (end_of_piece - at) / width);
      }
      done_ += to - from;
      if (progress_ && total_ > 0) progress_(done_, total_);
    }
  }

 private:
  static constexpr std::uint64_t in_cache = 16384;  // bytes; a multiple of every width

  void fetch(const BinarySection& section, std::uint64_t block) {
    const std::uint64_t at = block * index_.header.block_bytes;
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(index_.header.block_bytes, section.padded - at));
    bytes_.resize(size);
    read_(section.begin + at, bytes_.data(), size);
    if (block_checksum(bytes_.data(), size) ==
        index_.checksums[static_cast<std::size_t>(section.first_block + block)])
      return;
    refuse(
        index_.name,
        "its {} are damaged: the checksum of bytes {} to {} does not match. Copy the file again, or convert "
        "the matrix again; nothing may write it during a run, and copies on several nodes must be the same",
        section.name, section.begin + at, section.begin + at + size);
  }

  const BinaryIndex& index_;
  const ReadAt& read_;
  const Progress& progress_;
  std::vector<char> bytes_;
  std::uint64_t done_ = 0, total_ = 0;
};

/// Throws unless these can be the row pointers of rows from `first_row` on.
void require_ascending(const BinaryIndex& index, gidx first_row, const std::vector<offset>& row_ptr) {
  const gidx rows = static_cast<gidx>(row_ptr.size()) - 1;
  const auto falls = std::adjacent_find(row_ptr.begin(), row_ptr.end(), std::greater<>());
  if (falls != row_ptr.end())
    refuse(index.name, "row {} ends before it begins; convert the matrix again",
           first_row + (falls - row_ptr.begin()) + 1);
  if ((first_row == 0 && row_ptr.front() != 0) || row_ptr.front() < 0 ||
      row_ptr.back() > index.header.nonzeros ||
      (first_row + rows == index.header.rows && row_ptr.back() != index.header.nonzeros))
    refuse(index.name, "its rows do not begin at nonzero 0 and end at {}; convert the matrix again",
           index.header.nonzeros);
}

/// Checks the columns of rows, one piece after another.
class ColumnCheck {
 public:
  ColumnCheck(const BinaryIndex& index, gidx first_row, const std::vector<offset>& row_ptr)
      : index_(index), first_row_(first_row), row_ptr_(row_ptr) {}

  /// Throws unless the columns before element `end` exist and ascend in their rows.
  void check(const std::vector<gidx>& columns, offset end) {
    while (at_ < end) {
      while (at_ == row_ptr_[row_ + 1]) {
        ++row_;
        last_ = -1;
      }
      for (const offset stop = std::min(end, row_ptr_[row_ + 1]); at_ < stop; ++at_) {
        const gidx col = columns[static_cast<std::size_t>(at_)];
        if (col <= last_ || col >= index_.header.cols) refuse_column(col);
        last_ = col;
      }
    }
  }

 private:
  [[noreturn]] void refuse_column(gidx col) const {
    refuse(
        index_.name,
        "the columns of row {} must ascend and be from 1 to {}: column {} follows {}; convert the matrix again",
        first_row_ + static_cast<gidx>(row_) + 1, index_.header.cols, from_1(col), last_ + 1);
  }

  const BinaryIndex& index_;
  gidx first_row_;
  const std::vector<offset>& row_ptr_;
  std::size_t row_ = 0;
  offset at_ = 0;
  gidx last_ = -1;
};

// Arrays grow with the blocks that are read, and are checked while they are in the cache.

template <class Stored, class T>
void take_values(CheckedBlocks& blocks, const BinaryIndex& index, std::uint64_t first, RowBlock<T>& block) {
  if constexpr (is_complex<Stored> && !is_complex<T>) {
    refuse_complex<T>(index.name);
  } else {
    blocks.take(index.layout.value, sizeof(Stored), first, block.col.size(),
                [&](const char* bytes, std::uint64_t at, std::uint64_t count) {
                  block.value.resize(static_cast<std::size_t>(at + count));
                  numbers_from<Stored>(bytes, count, block.value.data() + at);
                  require_finite(index.name, block, static_cast<std::size_t>(at));
                });
  }
}

template <class Id, class T>
void take_columns(CheckedBlocks& blocks, const BinaryIndex& index, std::uint64_t first, RowBlock<T>& block) {
  ColumnCheck check(index, block.first_row, block.row_ptr);
  blocks.take(index.layout.col, sizeof(Id), first, static_cast<std::uint64_t>(block.nonzeros()),
              [&](const char* bytes, std::uint64_t at, std::uint64_t count) {
                block.col.resize(static_cast<std::size_t>(at + count));
                numbers_from<Id>(bytes, count, block.col.data() + at);
                check.check(block.col, static_cast<offset>(at + count));
              });
}

/// Calls use(0) with a zero of the type with so many bytes. Pure.
template <class Use>
void with_part_type(std::uint32_t part_bytes, const Use& use) {
  if (part_bytes == 1) return use(std::uint8_t{});
  if (part_bytes == 2) return use(std::uint16_t{});
  use(std::uint32_t{});
}

}  // namespace

std::string read_index(const std::string& name, std::uint64_t file_bytes, const ReadAt& read) {
  std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(BinaryHeader::bytes, file_bytes)), '\0');
  read(0, bytes.data(), bytes.size());
  const BinaryLayout layout = layout_of(decode_header(name, bytes, file_bytes));
  const auto table = static_cast<std::size_t>(layout.file_bytes - layout.table_begin);
  bytes.resize(BinaryHeader::bytes + table);
  read(layout.table_begin, bytes.data() + BinaryHeader::bytes, table);
  decode_index(name, bytes, file_bytes);
  return bytes;
}

BinaryIndex decode_index(const std::string& name, std::string_view bytes, std::uint64_t file_bytes) {
  BinaryIndex index;
  index.name = name;
  index.header = decode_header(name, bytes.substr(0, BinaryHeader::bytes), file_bytes);
  index.layout = layout_of(index.header);
  index.checksums = decode_checksums(name, index.header, bytes.substr(BinaryHeader::bytes));
  return index;
}

template <class T>
RowBlock<T> read_binary_rows(const BinaryIndex& index, gidx first_row, gidx rows, const ReadAt& read,
                             const Progress& progress) {
  CheckedBlocks blocks(index, read, progress);
  RowBlock<T> block;
  block.first_row = first_row;
  block.row_ptr.resize(static_cast<std::size_t>(rows) + 1);
  blocks.take(index.layout.row_ptr, sizeof(offset), static_cast<std::uint64_t>(first_row),
              block.row_ptr.size(), [&](const char* bytes, std::uint64_t at, std::uint64_t count) {
                numbers_from<offset>(bytes, count, block.row_ptr.data() + at);
              });
  require_ascending(index, first_row, block.row_ptr);
  const offset before = block.row_ptr.front();
  for (offset& begin : block.row_ptr) begin -= before;

  const auto first = static_cast<std::uint64_t>(before);
  const auto nonzeros = static_cast<std::size_t>(block.nonzeros());
  blocks.expect(nonzeros * (index.header.column_bytes + bytes_of(index.header.value)) +
                block.row_ptr.size() * sizeof(offset));
  reserve_in_huge_pages(block.col, nonzeros);
  if (index.header.column_bytes == 4)
    take_columns<std::uint32_t>(blocks, index, first, block);
  else
    take_columns<gidx>(blocks, index, first, block);
  reserve_in_huge_pages(block.value, nonzeros);
  if (index.header.value == StoredValue::pattern) block.value.assign(nonzeros, T(1));
  for_each_value_type([&](auto tag) {
    using Stored = typename decltype(tag)::Type;
    if (index.header.value == stored_value<Stored>()) take_values<Stored>(blocks, index, first, block);
  });
  return block;
}

std::vector<int> read_binary_parts(const BinaryIndex& index, const StoredPartition& partition,
                                   const BinarySection& section, gidx first, gidx count, const ReadAt& read) {
  std::vector<int> parts;
  parts.reserve(static_cast<std::size_t>(count));
  const Progress none;
  CheckedBlocks blocks(index, read, none);
  with_part_type(part_bytes_for(partition.parts), [&](auto zero) {
    using Stored = decltype(zero);
    const auto take = [&](const char* bytes, std::uint64_t, std::uint64_t here) {
      for (std::uint64_t i = 0; i < here; ++i) {
        const std::uint64_t part = number_at<Stored>(bytes + i * sizeof(Stored));
        if (part >= static_cast<std::uint64_t>(partition.parts))
          refuse(index.name, "its partition by {} for {} ranks names rank {}; convert the matrix again",
                 partition.partitioner, partition.parts, part);
        parts.push_back(static_cast<int>(part));
      }
    };
    blocks.take(section, sizeof(Stored), static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count),
                take);
  });
  return parts;
}

void encode_row_ptr(const offset* row_ptr, std::size_t count, offset before, char* to) {
  for (std::size_t i = 0; i < count; ++i) put_number(row_ptr[i] + before, to + i * sizeof(offset));
}

void encode_columns(const gidx* columns, std::size_t count, std::uint32_t column_bytes, char* to) {
  if (column_bytes == 4)
    put_numbers<std::uint32_t>(columns, count, to);
  else
    put_numbers<gidx>(columns, count, to);
}

void encode_parts(const int* parts, std::size_t count, std::uint32_t part_bytes, char* to) {
  with_part_type(part_bytes, [&](auto zero) { put_numbers<decltype(zero)>(parts, count, to); });
}

template <class T>
void encode_values(const T* values, std::size_t count, char* to) {
  put_numbers<T>(values, count, to);
}

SPMV_INSTANTIATE(read_binary_rows);
SPMV_INSTANTIATE(encode_values);

}  // namespace spmv
