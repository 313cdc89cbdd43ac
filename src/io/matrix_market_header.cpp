#include "io/matrix_market_header.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "io/input_checks.hpp"
#include "io/line_blocks.hpp"
#include "io/other_files.hpp"
#include "io/parse.hpp"

namespace spmv {
namespace {

using Layout = MatrixMarketHeader::Layout;
using Field = MatrixMarketHeader::Field;
using Symmetry = MatrixMarketHeader::Symmetry;

constexpr std::array<std::pair<std::string_view, Layout>, 2> layouts{
    {{"coordinate", Layout::coordinate}, {"array", Layout::array}}};
constexpr std::array<std::pair<std::string_view, Field>, 5> fields{{{"real", Field::real},
                                                                    {"double", Field::real},
                                                                    {"integer", Field::integer},
                                                                    {"pattern", Field::pattern},
                                                                    {"complex", Field::complex}}};
constexpr std::array<std::pair<std::string_view, Symmetry>, 4> symmetries{
    {{"general", Symmetry::general},
     {"symmetric", Symmetry::symmetric},
     {"skew-symmetric", Symmetry::skew_symmetric},
     {"hermitian", Symmetry::hermitian}}};
constexpr std::string_view mark_of_banner = "%%matrixmarket";
constexpr const char* banner_form =
    "line 1 must be '%%MatrixMarket matrix coordinate|array real|integer|pattern|complex "
    "general|symmetric|skew-symmetric|hermitian'";
constexpr const char* text_kinds =
    "; 'python3 -m spmv_dist.market' makes one of a list of entries, a table, a METIS graph or a Harwell-Boeing "
    "file";

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return out;
}

template <class Table, class Value>
void look_up(const Table& table, std::string_view word, const char* what, Value& value) {
  std::string known;
  for (const auto& [name, meaning] : table) {
    if (lower(word) == name) {
      value = meaning;
      return;
    }
    known.append(known.empty() ? "" : ", ").append(name);
  }
  fault_at(word.data(), "the banner's {} is {}; known are: {}", what, quoted(word), known);
}

void parse_banner(const char* line, MatrixMarketHeader& header) {
  const std::string_view mark = token_at(line);
  if (mark.empty()) fault_at(line, "the file begins with a blank; {}{}", banner_form, text_kinds);
  if (lower(mark) != mark_of_banner)
    fault_at(line, "the file begins with {}, so it is no Matrix Market file; {}{}", quoted(mark), banner_form,
             text_kinds);
  std::array<std::string_view, 4> words;
  const char* p = line + mark.size();
  for (std::string_view& word : words) {
    word = token_at(skip_blanks(p));
    if (word.empty()) fault_at(line, "the banner ends too early; {}", banner_form);
    p = word.data() + word.size();
  }
  if (lower(words[0]) != "matrix")
    fault_at(line, "the banner's object is {}; only 'matrix' can be read{}", quoted(words[0]),
             lower(words[0]) == "vector" ? ", write a vector as a matrix of one column" : "");
  look_up(layouts, words[1], "format", header.layout);
  look_up(fields, words[2], "field", header.field);
  look_up(symmetries, words[3], "symmetry", header.symmetry);
  if (*p == '\r' && !is_line_end(p[1]))
    fault_at(line, "lines end with a bare carriage return; convert them with: tr '\\r' '\\n'");
  finish_line(p);
}

void check_combination(const MatrixMarketHeader& header, const char* line) {
  const bool pattern = header.field == Field::pattern;
  if (pattern && header.layout == Layout::array)
    fault_at(line, "an array has values, so its field cannot be pattern; take coordinate or another field");
  if (header.symmetry == Symmetry::hermitian && header.field != Field::complex)
    fault_at(line, "a hermitian matrix must be complex; for real values say symmetric");
  if (pattern && header.symmetry == Symmetry::skew_symmetric)
    fault_at(line, "a pattern has no signs, so it cannot be skew-symmetric; say symmetric");
}

/// Number of values that an array file must hold.
gidx array_values(const MatrixMarketHeader& header, const char* line) {
  const gidx n = header.rows;
  const bool general = header.symmetry == Symmetry::general;
  const bool skew = header.symmetry == Symmetry::skew_symmetric;
  const gidx m = general ? header.cols : (skew ? std::max<gidx>(n - 1, 0) : n + 1);
  const gidx mirrored = general ? 1 : 2;
  if (static_cast<double>(n) * static_cast<double>(m) > static_cast<double>(largest_size * mirrored))
    fault_at(line, "an array of this size has more than 10^18 values; correct the size line");
  return n * m / mirrored;
}

void parse_sizes(const char* line, MatrixMarketHeader& header) {
  const bool array = header.layout == Layout::array;
  const char* p = skip_blanks(line);
  const auto next = [&](gidx& size, const char* what) {
    if (is_line_end(*p))
      fault_at(line, "the size line lacks {}; it must be '{}'", what,
               array ? "rows columns" : "rows columns entries");
    p = skip_blanks(parse_integer(p, size, what));
    if (size < 0) fault_at(line, "{} is {}; it cannot be negative", what, size);
    if (size > largest_size) fault_at(line, "{} is {}; it must be at most 10^18", what, size);
  };
  next(header.rows, "the number of rows");
  next(header.cols, "the number of columns");
  if (header.symmetry != Symmetry::general && header.rows != header.cols)
    fault_at(line,
             "a matrix of {} rows and {} columns is not square, so it cannot be symmetric, skew-symmetric or "
             "hermitian; say general",
             header.rows, header.cols);
  if (array) {
    header.stored = array_values(header, line);
  } else {
    next(header.stored, "the number of entries");
  }
  finish_line(p);
}

bool has_banner(std::string_view first) {
  return lower(first.substr(0, mark_of_banner.size())) == mark_of_banner;
}

/// Throws Error(input) if the file is of another kind that is known.
void refuse_other_kinds(const Text& text) {
  if (has_banner(first_of_text(text, mark_of_banner.size()))) return;
  const std::string first = first_of_text(text, FileLook::most_bytes);
  const std::string what = what_else({first, inspect_text(text).compressed, text.file_name(), text.member});
  if (!what.empty()) refuse(text.name, "{}", what);
}

/// Reads lines up to the size line, and knows the number of the present one.
class HeaderReader {
 public:
  explicit HeaderReader(const Text& text)
      : text_(text), lines_(text, 0, std::numeric_limits<std::uint64_t>::max()) {}

  MatrixMarketHeader read() {
    MatrixMarketHeader header;
    const TextFileInfo file = inspect_text(text_);
    header.file_bytes = file.file_bytes;
    header.compressed = file.compressed;
    if (!next_line()) fail("the text is empty; write or download it again");
    parse([&](const char* line) { parse_banner(line, header); });
    parse([&](const char* line) { check_combination(header, line); });
    do {
      if (!next_line()) fail("the file ends before its size line; copy or download it again");
    } while (is_comment_or_blank());
    parse([&](const char* line) { parse_sizes(line, header); });
    header.size_line = line_;
    header.data_begin = lines_.position() + static_cast<std::uint64_t>(next_ - block_.data());
    return header;
  }

 private:
  bool next_line() {
    if (next_ == block_.data() + block_.size()) {
      block_ = lines_.next();
      if (block_.empty()) return false;
      next_ = block_.data();
    }
    begin_ = next_;
    next_ = skip_line(begin_, block_.data() + block_.size());
    ++line_;
    return true;
  }
  /// A bare carriage return does not end a blank line: finish_line() throws.
  bool is_comment_or_blank() const {
    const char* p = skip_blanks(begin_);
    if (is_line_end(*p)) parse([&](const char*) { finish_line(p); });
    return *p == '%' || is_line_end(*p);
  }
  template <class Parser>
  void parse(const Parser& parser) const {
    try {
      parser(begin_);
    } catch (const ParseFault& fault) {
      fail(fault.what);
    }
  }
  [[noreturn]] void fail(const std::string& what) const {
    refuse_line(text_.name, static_cast<std::uint64_t>(std::max<gidx>(line_, 1)), "{}", what);
  }

  Text text_;
  LineBlocks lines_;
  std::string_view block_;
  const char* begin_ = nullptr;
  const char* next_ = nullptr;
  gidx line_ = 0;
};

}  // namespace

MatrixMarketHeader read_header(const Text& text) {
  refuse_other_kinds(text);
  return HeaderReader(text).read();
}

void check_total(const Text& text, const MatrixMarketHeader& header, gidx total_stored) {
  if (total_stored == header.stored) return;
  const bool one = header.stored == 1;
  const char* const unit =
      header.layout == Layout::array ? (one ? "value" : "values") : (one ? "entry" : "entries");
  refuse_line(text.name, static_cast<std::uint64_t>(header.size_line),
              "the size line promises {} {}, but the file holds {}; {}", header.stored, unit, total_stored,
              total_stored < header.stored ? "it may be truncated: copy or download it again"
                                           : "correct the size line or remove the surplus");
}

}  // namespace spmv
