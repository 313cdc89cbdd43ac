#include "io/binary/binary_rows.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>

#include <fmt/format.h>

#include "core/byte_order.hpp"
#include "core/error.hpp"
#include "core/printable.hpp"
#include "core/value_types.hpp"

namespace spmv {
namespace {

[[noreturn]] void fail(const BinaryIndex& index, const std::string& what) {
  throw Error(ExitCode::input, fmt::format("{}: {}", printable(index.name), what));
}

/// Fetches elements of sections block by block, and tells how far it is.
class Blocks {
 public:
  Blocks(const BinaryIndex& index, const ReadAt& read, const Progress& progress)
      : index_(index), read_(read), progress_(progress) {}

  /// How many bytes there will be, for the progress. Pure.
  void expect(std::uint64_t bytes) { total_ = bytes; }

  /// Calls take(bytes, first, count) for all `count` elements of `width` bytes from `first` on, a block's share at
  /// a time; there, `first` counts from the first one asked for.
  template <class Take>
  void take(const BinarySection& section, std::uint64_t width, std::uint64_t first, std::uint64_t count,
            const Take& take) {
    const std::uint64_t begin = first * width, end = begin + count * width;
    const std::uint64_t step = index_.header.block_bytes;
    for (std::uint64_t block = begin / step; count > 0 && block * step < end; ++block) {
      const std::uint64_t from = std::max(begin, block * step), to = std::min(end, (block + 1) * step);
      fetch(section, block);
      take(bytes_.data() + (from - block * step), (from - begin) / width, (to - from) / width);
      done_ += to - from;
      if (progress_ && total_ > 0) progress_(done_, total_);
    }
  }

 private:
  void fetch(const BinarySection& section, std::uint64_t block) {
    const std::uint64_t at = block * index_.header.block_bytes;
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(index_.header.block_bytes, section.padded - at));
    bytes_.resize(size);
    read_(section.begin + at, bytes_.data(), size);
    if (block_checksum(bytes_.data(), size) ==
        index_.checksums[static_cast<std::size_t>(section.first_block + block)])
      return;
    fail(index_,
         fmt::format("its {} are damaged: the checksum of bytes {} to {} is another. Copy the file again, "
                     "or convert the matrix again; no one may write it meanwhile, and nodes that have "
                     "files of their own must have the same",
                     section.name, section.begin + at, section.begin + at + size));
  }

  const BinaryIndex& index_;
  const ReadAt& read_;
  const Progress& progress_;
  std::vector<char> bytes_;
  std::uint64_t done_ = 0, total_ = 0;
};

void require_ascending(const BinaryIndex& index, gidx first_row, const std::vector<offset>& row_ptr) {
  const gidx rows = static_cast<gidx>(row_ptr.size()) - 1;
  const auto falls = std::adjacent_find(row_ptr.begin(), row_ptr.end(), std::greater<>());
  if (falls != row_ptr.end())
    fail(index, fmt::format("row {} ends before it begins; convert the matrix again",
                            first_row + (falls - row_ptr.begin()) + 1));
  if ((first_row == 0 && row_ptr.front() != 0) || row_ptr.front() < 0 ||
      row_ptr.back() > index.header.nonzeros ||
      (first_row + rows == index.header.rows && row_ptr.back() != index.header.nonzeros))
    fail(index, fmt::format("its rows do not begin at nonzero 0 and end at {}; convert the matrix again",
                            index.header.nonzeros));
}

template <class T>
void require_columns(const BinaryIndex& index, const RowBlock<T>& block) {
  for (gidx row = 0; row < block.rows(); ++row) {
    gidx last = -1;
    for (offset k = block.row_ptr[static_cast<std::size_t>(row)];
         k < block.row_ptr[static_cast<std::size_t>(row) + 1]; ++k) {
      const gidx col = block.col[static_cast<std::size_t>(k)];
      if (col <= last || col >= index.header.cols)
        fail(index,
             fmt::format("the columns of row {} are not ascending ones of 1 to {}: column {} follows {}; "
                         "convert the matrix again",
                         block.first_row + row + 1, index.header.cols, col + 1, last + 1));
      last = col;
    }
  }
}

bool finite(double number) {
  return std::isfinite(number);
}
template <class R>
bool finite(const std::complex<R>& number) {
  return std::isfinite(number.real()) && std::isfinite(number.imag());
}

template <class T>
void require_finite(const BinaryIndex& index, const RowBlock<T>& block) {
  const auto bad =
      std::find_if(block.value.begin(), block.value.end(), [](const T& v) { return !finite(v); });
  if (bad == block.value.end()) return;
  const auto row = std::upper_bound(block.row_ptr.begin(), block.row_ptr.end(), bad - block.value.begin());
  fail(index,
       fmt::format("a value of row {} is beyond the range of {}, or no number; scale the matrix, or take a "
                   "wider --value",
                   block.first_row + (row - block.row_ptr.begin()), value_name<T>()));
}

template <class Stored, class T>
void take_values(Blocks& blocks, const BinaryIndex& index, std::uint64_t first, std::vector<T>& values) {
  if constexpr (is_complex<Stored> && !is_complex<T>) {
    throw Error(ExitCode::usage, fmt::format("{} has complex values, which {} cannot hold: take --value "
                                             "complex_double or complex_float",
                                             printable(index.name), value_name<T>()));
  } else {
    blocks.take(index.layout.value, sizeof(Stored), first, values.size(),
                [&](const char* bytes, std::uint64_t at, std::uint64_t count) {
                  T* to = values.data() + at;
                  for (std::uint64_t i = 0; i < count; ++i)
                    to[i] = static_cast<T>(number_at<Stored>(bytes + i * sizeof(Stored)));
                });
  }
}

template <class Id>
void take_columns(Blocks& blocks, const BinaryIndex& index, std::uint64_t first, std::vector<gidx>& columns) {
  blocks.take(index.layout.col, sizeof(Id), first, columns.size(),
              [&](const char* bytes, std::uint64_t at, std::uint64_t count) {
                gidx* to = columns.data() + at;
                for (std::uint64_t i = 0; i < count; ++i)
                  to[i] = static_cast<gidx>(number_at<Id>(bytes + i * sizeof(Id)));
              });
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
  Blocks blocks(index, read, progress);
  RowBlock<T> block;
  block.first_row = first_row;
  block.row_ptr.resize(static_cast<std::size_t>(rows) + 1);
  blocks.take(index.layout.row_ptr, sizeof(offset), static_cast<std::uint64_t>(first_row),
              block.row_ptr.size(), [&](const char* bytes, std::uint64_t at, std::uint64_t count) {
                offset* to = block.row_ptr.data() + at;
                for (std::uint64_t i = 0; i < count; ++i)
                  to[i] = number_at<offset>(bytes + i * sizeof(offset));
              });
  require_ascending(index, first_row, block.row_ptr);
  const offset before = block.row_ptr.front();
  for (offset& begin : block.row_ptr) begin -= before;

  const auto first = static_cast<std::uint64_t>(before);
  const auto nonzeros = static_cast<std::size_t>(block.nonzeros());
  blocks.expect(nonzeros * (index.header.column_bytes + bytes_of(index.header.value)) +
                block.row_ptr.size() * sizeof(offset));
  block.col.resize(nonzeros);
  if (index.header.column_bytes == 4)
    take_columns<std::uint32_t>(blocks, index, first, block.col);
  else
    take_columns<gidx>(blocks, index, first, block.col);
  require_columns(index, block);
  block.value.resize(nonzeros, T(1));
  for_each_value_type([&](auto tag) {
    using Stored = typename decltype(tag)::Type;
    if (index.header.value == stored_value<Stored>()) take_values<Stored>(blocks, index, first, block.value);
  });
  require_finite(index, block);
  return block;
}

void encode_row_ptr(const offset* row_ptr, std::size_t count, offset before, char* to) {
  for (std::size_t i = 0; i < count; ++i) put_number(row_ptr[i] + before, to + i * sizeof(offset));
}

void encode_columns(const gidx* columns, std::size_t count, std::uint32_t column_bytes, char* to) {
  if (column_bytes == 4)
    for (std::size_t i = 0; i < count; ++i) put_number(static_cast<std::uint32_t>(columns[i]), to + i * 4);
  else
    for (std::size_t i = 0; i < count; ++i) put_number(columns[i], to + i * 8);
}

template <class T>
void encode_values(const T* values, std::size_t count, char* to) {
  for (std::size_t i = 0; i < count; ++i) put_number(values[i], to + i * sizeof(T));
}

SPMV_INSTANTIATE(read_binary_rows);
SPMV_INSTANTIATE(encode_values);

}  // namespace spmv
