#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "fuzz/harness.hpp"
#include "io/binary/binary_rows.hpp"
#include "support/binary_file.hpp"

namespace spmv::fuzz {
namespace {

using Complex = std::complex<double>;

/// The input's bytes one after another, then zeros.
class Bytes {
 public:
  explicit Bytes(std::string_view input) : rest_(input) {}
  unsigned take() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

/// A number for a file: usually small, sometimes invalid.
std::int64_t number(unsigned byte) {
  constexpr std::array<std::int64_t, 8> odd = {-1,
                                               std::int64_t{1} << 31,
                                               std::int64_t{1} << 32,
                                               (std::int64_t{1} << 32) - 1,
                                               std::int64_t{1} << 62,
                                               std::numeric_limits<std::int64_t>::min(),
                                               std::numeric_limits<std::int64_t>::max(),
                                               -7};
  return byte < 0xf8 ? byte : odd[byte - 0xf8];
}

double value(unsigned byte) {
  constexpr double inf = std::numeric_limits<double>::infinity(),
                   nan = std::numeric_limits<double>::quiet_NaN();
  constexpr std::array<double, 8> odd = {inf, -inf, nan, 1e300, -1e39, 5e-324, 0, -0.0};
  return byte < 0xf8 ? (static_cast<double>(byte) - 100) / 8 : odd[byte - 0xf8];
}

/// A partition of a file; `change` makes it invalid.
test::BinaryPartition partition_of(Bytes& bytes, std::int64_t rows, std::int64_t cols) {
  test::BinaryPartition partition;
  const unsigned change = bytes.take(), by = bytes.take();
  partition.parts = 1 + by % 7;
  if (change == 1) partition.name[by % 5] = static_cast<char>(by);
  if (change == 2) partition.parts = static_cast<std::uint32_t>(number(by));
  if (change == 3) partition.part_bytes = by;
  if (change == 4) partition.begins_by = number(by);
  if (change == 5) partition.parts = 257 + by * 257;
  if (change == 5) partition.part_bytes = partition.parts <= 65536 ? 2 : 4;
  const auto entries = [&](std::int64_t count) {
    std::vector<unsigned> found;
    for (std::int64_t i = 0; i < std::clamp<std::int64_t>(count, 0, 64); ++i)
      found.push_back(bytes.take() % 8);
    return partition.part_bytes == 2   ? test::raw_array<std::uint16_t>(found)
           : partition.part_bytes == 4 ? test::raw_array<std::uint32_t>(found)
                                       : test::raw_array<std::uint8_t>(found);
  };
  partition.rows = entries(rows);
  if (rows != cols) partition.cols = entries(cols);
  return partition;
}

/// A file with correct checksums, whose other contents may be invalid.
test::BinaryFile made_of(Bytes bytes) {
  test::BinaryFile file;
  file.value = bytes.take() % 6;
  file.rows = number(bytes.take());
  file.cols = number(bytes.take());
  const unsigned change = bytes.take(), by = bytes.take();
  const unsigned stored_rows = bytes.take() % 32;
  std::vector<std::int64_t> row_ptr(1, 0);
  for (unsigned row = 0; row < stored_rows; ++row) {
    const unsigned length = bytes.take();
    // Unsigned, so that the number after the largest one does not overflow.
    const auto behind = static_cast<std::uint64_t>(row_ptr.back()) + length % 9;
    row_ptr.push_back(length < 0xf8 ? static_cast<std::int64_t>(behind) : number(length));
  }
  file.nonzeros = std::clamp<std::int64_t>(row_ptr.back(), 0, 512);
  std::vector<std::int64_t> columns;
  std::vector<double> values;
  for (std::int64_t k = 0; k < file.nonzeros; ++k) {
    columns.push_back(number(bytes.take()));
    values.push_back(value(bytes.take()));
  }
  switch (change) {
    case 1:
      file.version = by;
      break;
    case 2:
      file.header_bytes = by;
      break;
    case 3:
      file.order_mark ^= by;
      break;
    case 4:
      file.column_bytes = by;
      break;
    case 5:
      file.row_ptr_bytes = by;
      break;
    case 6:
      file.block_bytes = 1024U << (by % 12);
      break;
    case 7:
      file.nonzeros = number(by);
      break;
    case 8:
      file.longer_by = number(by) % 100000;
      break;
    case 9:
      file.unused[by % file.unused.size()] = 1;
      break;
    default:
      break;
  }
  file.row_ptr = test::raw_array<std::int64_t>(row_ptr);
  file.columns = file.column_bytes == 8 ? test::raw_array<std::int64_t>(columns)
                                        : test::raw_array<std::uint32_t>(columns);
  if (file.value == 1) file.values = test::raw_array<float>(values);
  if (file.value == 2) file.values = test::raw_array<double>(values);
  for (const double v : values) {
    if (file.value == 3) file.values += test::raw(static_cast<float>(v)) + test::raw(1.0F);
    if (file.value == 4) file.values += test::raw(v) + test::raw(-1.0);
  }
  file.partitions.resize(bytes.take() % 4);
  for (test::BinaryPartition& partition : file.partitions)
    partition = partition_of(bytes, file.rows, file.cols);
  if (!file.partitions.empty() && file.version == 1) file.version = 2;
  return file;
}

struct Outcome {
  std::string error;  // empty: rows were read
  RowBlock<Complex> rows;
  std::vector<std::vector<int>> ranks;  // of the rows and of the columns, for every partition
};

/// Reads part `part` of `parts` of rows and columns.
Outcome read_part(const std::string& text, int part, int parts) {
  const ReadAt read = [&](std::uint64_t begin, char* to, std::size_t size) {
    if (begin > text.size() || size > text.size() - begin) throw Error(ExitCode::input, "m: ends too early");
    text.copy(to, size, static_cast<std::size_t>(begin));
  };
  Outcome outcome;
  try {
    const BinaryIndex index = decode_index("m", read_index("m", text.size(), read), text.size());
    const gidx rows = index.header.rows;
    const gidx first = rows * part / parts, end = rows * (part + 1) / parts;
    outcome.rows = read_binary_rows<Complex>(index, first, end - first, read, {});
    for (std::size_t i = 0; i < index.header.partitions.size(); ++i) {
      const StoredPartition& partition = index.header.partitions[i];
      const auto take = [&](const BinarySection& section, gidx from, gidx to) {
        const auto ranks = read_binary_parts(index, partition, section, from, to - from, read);
        for (const int rank : ranks) require(rank >= 0 && rank < partition.parts, "a rank that there is not");
        outcome.ranks.push_back(ranks);
      };
      take(index.layout.partitions[i].rows, first, end);
      const gidx cols = index.header.cols;
      if (rows != cols) take(index.layout.partitions[i].cols, cols * part / parts, cols * (part + 1) / parts);
    }
  } catch (const Error& error) {
    outcome.error = error.what();
    require(error.code() == ExitCode::input, outcome.error);
  }
  return outcome;
}

/// Throws unless rows follow each other, columns are ascending and in range, and values finite.
void require_matrix(const RowBlock<Complex>& block, gidx cols) {
  require(block.row_ptr.front() == 0 && block.row_ptr.back() == block.nonzeros(),
          "rows begin or end elsewhere");
  require(block.col.size() == block.value.size(), "not a column for every value");
  for (std::size_t i = 0; i + 1 < block.row_ptr.size(); ++i) {
    require(block.row_ptr[i] <= block.row_ptr[i + 1], "a row that ends before it begins");
    for (offset k = block.row_ptr[i]; k < block.row_ptr[i + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      require(block.col[at] >= 0 && block.col[at] < cols, "a column outside");
      require(k == block.row_ptr[i] || block.col[at - 1] < block.col[at], "columns out of order");
      require(std::isfinite(block.value[at].real()) && std::isfinite(block.value[at].imag()), "no number");
    }
  }
}

}  // namespace

void binary_matrix(std::string_view input) {
  if (input.starts_with("\x89SPMV")) {  // the bytes of a file
    read_part(std::string(input), 0, 1);
    return;
  }
  const test::BinaryFile file = made_of(Bytes(input));
  std::string text = file.text();
  const Outcome whole = read_part(text, 0, 1);
  RowBlock<Complex> joined;
  std::vector<std::vector<int>> joined_ranks(whole.ranks.size());
  bool refused = false;
  for (int part = 0; part < 3; ++part) {
    const Outcome some = read_part(text, part, 3);
    refused = refused || !some.error.empty();
    for (std::size_t i = 0; i < std::min(joined_ranks.size(), some.ranks.size()); ++i)
      joined_ranks[i].insert(joined_ranks[i].end(), some.ranks[i].begin(), some.ranks[i].end());
    for (std::size_t i = 1; i < some.rows.row_ptr.size(); ++i)
      joined.row_ptr.push_back(static_cast<offset>(joined.col.size()) + some.rows.row_ptr[i]);
    joined.col.insert(joined.col.end(), some.rows.col.begin(), some.rows.col.end());
    joined.value.insert(joined.value.end(), some.rows.value.begin(), some.rows.value.end());
  }
  require(refused == !whole.error.empty(), "parts and the whole disagree: " + whole.error);
  if (refused) return;
  require_matrix(whole.rows, file.cols);
  require(joined.row_ptr == whole.rows.row_ptr && joined.col == whole.rows.col &&
              joined.value == whole.rows.value && joined_ranks == whole.ranks,
          "a cut changes what is read");
  // Changing or removing any byte must be noticed.
  std::size_t at = input.size();
  for (const char c : input) at = at * 31 + static_cast<unsigned char>(c);
  at %= text.size();
  require(!read_part(text.substr(0, at), 0, 1).error.empty(), "a truncated file is accepted");
  text[at] = static_cast<char>(text[at] ^ (1 << (at % 8)));
  require(!read_part(text, 0, 1).error.empty(), "a damaged byte is accepted");
}

}  // namespace spmv::fuzz
