#include "io/matrix_market.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/printable.hpp"
#include "core/value_types.hpp"
#include "io/entry_parser.hpp"
#include "io/line_blocks.hpp"
#include "io/parse.hpp"
#include "io/symmetry.hpp"

namespace spmv {
namespace {

constexpr gidx no_limit = std::numeric_limits<gidx>::max();
constexpr std::uint64_t text_end = std::numeric_limits<std::uint64_t>::max();

/// Begin of share `part` when `total` things are dealt to `parts` in order, as evenly as possible.
template <class Count>
Count share_begin(Count total, int part, int parts) {
  const Count each = total / static_cast<Count>(parts);
  const Count rest = total % static_cast<Count>(parts);
  return each * static_cast<Count>(part) + std::min(rest, static_cast<Count>(part));
}

/// Turns a fault in the latest block of `lines` into an Error with file, line and the line's text.
[[noreturn]] void fail(const Text& text, const LineBlocks& lines, std::string_view block,
                       const ParseFault& fault) {
  const auto before = block.substr(0, static_cast<std::size_t>(fault.at - block.data()));
  const std::size_t begin = before.rfind('\n') + 1;
  std::string_view line = block.substr(begin);
  line = line.substr(0, line.find_first_of("\r\n"));
  throw Error(ExitCode::input,
              fmt::format("{}:{}: {}; the line is {}", printable(text.name),
                          line_number(text, lines.position() + begin), fault.what, quoted(line)));
}

/// Room for what the rest of the text probably holds, judged by its first block.
template <class T>
void reserve_by_density(std::vector<Entry<T>>& entries, std::size_t block_bytes, std::uint64_t text_bytes) {
  constexpr double surplus = 1.05;
  const double blocks = static_cast<double>(text_bytes) / static_cast<double>(block_bytes);
  if (blocks > 1)
    entries.reserve(static_cast<std::size_t>(static_cast<double>(entries.size()) * blocks * surplus));
}

/// Byte ranges of equal size: no part reads another's bytes.
template <class T>
MatrixMarketPart<T> read_range(const Text& text, const MatrixMarketHeader& header, int part, int parts,
                               const Progress& progress) {
  const std::uint64_t bytes = header.file_bytes - std::min(header.file_bytes, header.data_begin);
  const std::uint64_t begin = header.data_begin + share_begin(bytes, part, parts);
  const std::uint64_t end = header.data_begin + share_begin(bytes, part + 1, parts);
  MatrixMarketPart<T> read;
  LineBlocks lines(text, begin, end);
  for (auto block = lines.next(); !block.empty(); block = lines.next()) {
    const bool first = read.stored == 0;
    try {
      read.stored += parse_data_lines(block, no_limit, header, read.entries, read.beyond_exact);
    } catch (const ParseFault& fault) {
      fail(text, lines, block, fault);
    }
    if (read.stored > header.stored)
      read.entries.clear();  // refused anyway: from here on only the count matters
    if (first) reserve_by_density(read.entries, block.size(), end - lines.position());
    if (progress) progress(std::min(lines.position() + block.size(), end) - begin, end - begin);
  }
  return read;
}

/// A compressed text has no ranges: every part unpacks up to its share of the data lines and parses only
/// these.
template <class T>
MatrixMarketPart<T> read_share(const Text& text, const MatrixMarketHeader& header, int part, int parts,
                               const Progress& progress) {
  const bool last = part + 1 == parts;
  gidx before = share_begin(header.stored, part, parts);
  gidx wanted = last ? no_limit : share_begin(header.stored, part + 1, parts) - before;
  MatrixMarketPart<T> read;
  if (wanted == 0) return read;
  LineBlocks lines(text, header.data_begin, text_end);
  while (wanted > 0) {  // what lies behind is another part's, with its faults
    const std::string_view block = lines.next();
    if (block.empty()) break;
    try {
      const char* const begin = skip_data_lines(block, before);
      const auto own = block.substr(static_cast<std::size_t>(begin - block.data()));
      const gidx count = parse_data_lines(own, wanted, header, read.entries, read.beyond_exact);
      read.stored += count;
      wanted -= last ? 0 : count;
    } catch (const ParseFault& fault) {
      fail(text, lines, block, fault);
    }
    if (read.stored > header.stored)
      read.entries.clear();  // refused anyway: from here on only the count matters
    if (progress) progress(lines.file_bytes_done(), header.file_bytes);
  }
  return read;
}

/// Walks the ids of an array file's values: down the columns, from the diagonal where the file is not
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
  /// Values of a triangle in the columns before `col`.
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

/// Calls use(row, col) for every entry that a coordinate file that is not general names itself.
template <class T, class Use>
void for_each_named(const MatrixMarketPart<T>& part, const MatrixMarketHeader& header, const Use& use) {
  if (header.symmetry == MatrixMarketHeader::Symmetry::general ||
      header.layout == MatrixMarketHeader::Layout::array)
    return;
  for (std::size_t i = 0; i < part.entries.size(); ++i) {
    const auto& [row, col, value] = part.entries[i];
    use(row, col);
    i += row != col;  // its mirror image is behind it
  }
}

/// 1-based line of data line `index` of a file that has been read without a fault.
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
  if (header.field == MatrixMarketHeader::Field::complex && !is_complex<T>) {
    throw Error(ExitCode::usage,
                fmt::format("{}: the matrix is complex, but the value type is {}; take --value {}",
                            printable(text.name), value_name<T>(), value_name<std::complex<RealOf<T>>>()));
  }
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
      throw Error(ExitCode::input,
                  fmt::format("{}:{}: value {} of the array is entry ({}, {}): {}", printable(text.name),
                              line_of_data(text, header, stored_before + i), stored_before + i + 1,
                              entry.row + 1, entry.col + 1, why));
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
  throw Error(
      ExitCode::input,
      fmt::format("{0}:{1}: the matrix is declared {2}, of which a file holds one triangle, but entries "
                  "({3}, {4}) and ({4}, {3}) are both there, and {5} such {6} in all; remove one of each "
                  "or declare the matrix general",
                  printable(path), header.size_line, names[static_cast<int>(header.symmetry)], twice.row + 1,
                  twice.col + 1, twice.pairs, twice.pairs == 1 ? "pair" : "pairs"));
}

SPMV_INSTANTIATE(triangles);
SPMV_INSTANTIATE(by_triangle);
SPMV_INSTANTIATE(read_part);
SPMV_INSTANTIATE(place);

}  // namespace spmv
