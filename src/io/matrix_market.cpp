#include "io/matrix_market.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "io/entry_parser.hpp"
#include "io/input_checks.hpp"
#include "io/line_blocks.hpp"
#include "io/parse.hpp"

namespace spmv {
namespace {

constexpr gidx no_limit = std::numeric_limits<gidx>::max();
constexpr std::uint64_t text_end = std::numeric_limits<std::uint64_t>::max();

/// First element of share `part`, if `total` elements are divided into `parts` contiguous shares as evenly as possible.
template <class Count>
Count share_begin(Count total, int part, int parts) {
  const Count each = total / static_cast<Count>(parts);
  const Count rest = total % static_cast<Count>(parts);
  return each * static_cast<Count>(part) + std::min(rest, static_cast<Count>(part));
}

/// Reads a part of a file, block by block.
template <class T>
class PartReader {
 public:
  /// For the lines with their first byte in [begin, end) of the text.
  PartReader(const Text& text, const MatrixMarketHeader& header, std::uint64_t begin, std::uint64_t end)
      : text_(text), header_(header), lines_(text, begin, end) {}

  /// Goes to the next block; false at the end.
  bool next() {
    block_ = lines_.next();
    return !block_.empty();
  }
  /// Parses up to `limit` data lines of the block after the first `skipped`, which it counts down. Returns their number.
  gidx parse(gidx& skipped, gidx limit) {
    gidx count = 0;
    try {
      const char* const begin = skip_data_lines(block_, skipped);
      const auto rest = block_.substr(static_cast<std::size_t>(begin - block_.data()));
      count = parse_data_lines(rest, limit, header_, part_.entries, part_.beyond_exact);
    } catch (const ParseFault& fault) {
      fail(fault);
    }
    part_.stored += count;
    // There are too many entries, so check_total() will refuse the file. It needs only their number.
    if (part_.stored > header_.stored) part_.entries.clear();
    return count;
  }
  /// Allocates for the rest of the text, up to byte `end`, if it has as many entries per byte as the block.
  void reserve_up_to(std::uint64_t end) {
    constexpr double surplus = 1.05;
    const double blocks = static_cast<double>(end - lines_.position()) / static_cast<double>(block_.size());
    const double entries = static_cast<double>(part_.entries.size()) * blocks * surplus;
    if (blocks > 1) part_.entries.reserve(static_cast<std::size_t>(entries));
  }

  std::uint64_t block_end() const { return lines_.position() + block_.size(); }
  std::uint64_t file_bytes_done() const { return lines_.file_bytes_done(); }
  MatrixMarketPart<T> take() { return std::move(part_); }

 private:
  /// Reports the fault with file, line and the text of the line.
  [[noreturn]] void fail(const ParseFault& fault) const {
    const auto before = block_.substr(0, static_cast<std::size_t>(fault.at - block_.data()));
    const std::size_t begin = before.rfind('\n') + 1;
    std::string_view line = block_.substr(begin);
    line = line.substr(0, line.find_first_of("\r\n"));
    refuse_line(text_.name, line_number(text_, lines_.position() + begin), "{}; the line is {}", fault.what,
                quoted(line));
  }

  const Text& text_;
  const MatrixMarketHeader& header_;
  LineBlocks lines_;
  std::string_view block_;
  MatrixMarketPart<T> part_;
};

/// Byte ranges of equal size: no part reads bytes of another.
template <class T>
MatrixMarketPart<T> read_range(const Text& text, const MatrixMarketHeader& header, int part, int parts,
                               const Progress& progress) {
  const std::uint64_t bytes = header.file_bytes - std::min(header.file_bytes, header.data_begin);
  const std::uint64_t begin = header.data_begin + share_begin(bytes, part, parts);
  const std::uint64_t end = header.data_begin + share_begin(bytes, part + 1, parts);
  PartReader<T> reader(text, header, begin, end);
  gidx before = 0, stored = 0;
  while (reader.next()) {
    const bool first = stored == 0;
    stored += reader.parse(before, no_limit);
    if (first) reader.reserve_up_to(end);
    if (progress) progress(std::min(reader.block_end(), end) - begin, end - begin);
  }
  return reader.take();
}

/// A compressed text has no byte ranges: every part unpacks up to the end of its share of the data lines, and parses only its
/// share.
template <class T>
MatrixMarketPart<T> read_share(const Text& text, const MatrixMarketHeader& header, int part, int parts,
                               const Progress& progress) {
  const bool last = part + 1 == parts;
  gidx before = share_begin(header.stored, part, parts);
  gidx wanted = last ? no_limit : share_begin(header.stored, part + 1, parts) - before;
  if (wanted == 0) return {};
  PartReader<T> reader(text, header, header.data_begin, text_end);
  while (wanted > 0 && reader.next()) {  // the rest, with its faults, belongs to other parts
    const gidx count = reader.parse(before, wanted);
    wanted -= last ? 0 : count;
    if (progress) progress(reader.file_bytes_done(), header.file_bytes);
  }
  return reader.take();
}

/// The ids of the values in an array file, one after the other: down the columns, from the diagonal on if the file is not
/// general.
class ArrayWalk {
 public:
  ArrayWalk(const MatrixMarketHeader& header, gidx index)
      : rows_(header.rows),
        triangle_(header.symmetry != MatrixMarketHeader::Symmetry::general),
        gap_(header.symmetry == MatrixMarketHeader::Symmetry::skew_symmetric ? 1 : 0) {
    if (rows_ == 0) return;
    col_ = triangle_ ? triangle_column(index) : index / rows_;
    row_ = triangle_ ? first_row(col_) + index - values_before(col_) : index % rows_;
  }
  gidx row() const { return row_; }
  gidx col() const { return col_; }
  void advance() {
    if (++row_ < rows_) return;
    ++col_;
    row_ = first_row(col_);
  }

 private:
  gidx first_row(gidx col) const { return triangle_ ? col + gap_ : 0; }
  /// Number of values of the triangle in the columns before `col`.
  gidx values_before(gidx col) const { return col * (rows_ - gap_) - col * (col - 1) / 2; }
  /// The last column that begins at or before value `index`.
  gidx triangle_column(gidx index) const {
    gidx low = 0;
    gidx high = rows_;
    while (low + 1 < high) {
      const gidx middle = low + (high - low) / 2;
      (values_before(middle) <= index ? low : high) = middle;
    }
    return low;
  }

  gidx rows_;
  bool triangle_;
  gidx gap_;
  gidx row_ = 0;
  gidx col_ = 0;
};

/// Calls use(row, col) for every entry in a coordinate file that is not general, without mirror images.
template <class T, class Use>
void for_each_named(const MatrixMarketPart<T>& part, const MatrixMarketHeader& header, const Use& use) {
  if (header.symmetry == MatrixMarketHeader::Symmetry::general ||
      header.layout == MatrixMarketHeader::Layout::array)
    return;
  for (std::size_t i = 0; i < part.entries.size(); ++i) {
    const auto& [row, col, value] = part.entries[i];
    use(row, col);
    i += row != col;  // its mirror image follows it
  }
}

/// 1-based number of the line with data line `index`, in a file without faults.
std::uint64_t line_of_data(const Text& text, const MatrixMarketHeader& header, gidx index) {
  LineBlocks lines(text, header.data_begin, text_end);
  gidx before = index + 1;
  for (auto block = lines.next(); !block.empty(); block = lines.next()) {
    const char* const stop = skip_data_lines(block, before);
    if (before == 0)
      return line_number(text, lines.position() + static_cast<std::uint64_t>(stop - 1 - block.data()));
  }
  return static_cast<std::uint64_t>(header.size_line);
}

}  // namespace

template <class T>
MatrixMarketPart<T> read_part(const Text& text, const MatrixMarketHeader& header, int part, int parts,
                              const Progress& progress) {
  if constexpr (!is_complex<T>)
    if (header.field == MatrixMarketHeader::Field::complex) refuse_complex<T>(text.name);
  return header.compressed ? read_share<T>(text, header, part, parts, progress)
                           : read_range<T>(text, header, part, parts, progress);
}

template <class T>
void place(MatrixMarketPart<T>& part, const Text& text, const MatrixMarketHeader& header,
           gidx stored_before) {
  if (header.layout == MatrixMarketHeader::Layout::coordinate) return;
  const bool general = header.symmetry == MatrixMarketHeader::Symmetry::general;
  if (!general) part.entries.reserve(2 * part.entries.size());
  ArrayWalk at(header, stored_before);
  for (gidx i = 0; i < part.stored; ++i, at.advance()) {
    Entry<T>& entry = part.entries[static_cast<std::size_t>(i)];
    entry.row = at.row();
    entry.col = at.col();
    if (general) continue;
    if (entry.row != entry.col) {
      part.entries.push_back({entry.col, entry.row, mirrored(entry.value, header.symmetry)});
    } else if (const char* why = why_not_on_diagonal(entry.value, header.symmetry)) {
      refuse_line(text.name, line_of_data(text, header, stored_before + i),
                  "value {} of the array is entry ({}, {}): {}", stored_before + i + 1, entry.row + 1,
                  entry.col + 1, why);
    }
  }
}

std::string rounding_warning(const std::string& path, gidx beyond_exact) {
  if (beyond_exact == 0) return {};
  return fmt::format("{}: {} whole {} beyond 2^53 and rounded to the nearest number of the value type",
                     printable(path), beyond_exact, beyond_exact == 1 ? "value is" : "values are");
}

template <class T>
Triangles triangles(const MatrixMarketPart<T>& part, const MatrixMarketHeader& header) {
  Triangles found;
  for_each_named(part, header,
                 [&](gidx row, gidx col) { (row > col ? found.lower : found.upper) += row != col; });
  return found;
}

template <class T>
std::vector<Entry<std::complex<float>>> by_triangle(const MatrixMarketPart<T>& part,
                                                    const MatrixMarketHeader& header) {
  std::vector<Entry<std::complex<float>>> marks;
  for_each_named(part, header, [&](gidx row, gidx col) {
    if (row > col) marks.push_back({row, col, {1, 0}});
    if (row < col) marks.push_back({col, row, {0, 1}});
  });
  return marks;
}

void refuse_both_triangles(const std::string& path, const MatrixMarketHeader& header,
                           const TwiceNamed& twice) {
  if (twice.pairs == 0) return;
  constexpr const char* names[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
  refuse_line(
      path, static_cast<std::uint64_t>(header.size_line),
      "the matrix is declared {0}, so the file must contain one triangle, but entries ({1}, {2}) and ({2}, "
      "{1}) are both there, and {3} such {4} in all; remove one of each or declare the matrix general",
      names[static_cast<int>(header.symmetry)], twice.row + 1, twice.col + 1, twice.pairs,
      twice.pairs == 1 ? "pair" : "pairs");
}

SPMV_INSTANTIATE(triangles);
SPMV_INSTANTIATE(by_triangle);
SPMV_INSTANTIATE(read_part);
SPMV_INSTANTIATE(place);

}  // namespace spmv
