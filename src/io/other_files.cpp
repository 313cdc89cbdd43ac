#include "io/other_files.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/printable.hpp"
#include "core/shell_words.hpp"
#include "io/binary/binary_header.hpp"
#include "io/binary/byte_order.hpp"
#include "io/petsc/petsc_rows.hpp"

namespace spmv {
namespace {

constexpr std::string_view blanks = " \t\r\v\f", blanks_and_commas = " \t\r\v\f,";

using Test = std::function<bool(const FileLook& look)>;

/// Table row: a kind of file, and what to do with it. The advice may contain {in} for the file, {out} for a Matrix Market
/// file in the working directory, and {unpacked} for the name of the file without the ending of its packer.
struct OtherKind {
  const char* what;
  Test is;
  std::string advice;
};

Test begins(std::string_view magic) {
  return [=](const FileLook& look) { return look.bytes.starts_with(magic); };
}

Test begins_with_any(std::vector<std::string_view> magics) {
  return [magics = std::move(magics)](const FileLook& look) {
    return std::any_of(magics.begin(), magics.end(),
                       [&](std::string_view magic) { return look.bytes.starts_with(magic); });
  };
}

/// Line `n` of the file, from 0.
std::string_view line(const FileLook& look, int n) {
  std::string_view rest = look.bytes;
  for (; n > 0 && !rest.empty(); --n) rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  return rest.substr(0, rest.find('\n'));
}

/// Whether the text begins with an HTML tag, after blanks and in letters of either case.
bool is_web_page(const FileLook& look) {
  const std::size_t begin = std::min(look.bytes.find_first_not_of(" \t\r\n"), look.bytes.size());
  std::string text(look.bytes.substr(begin, 16));
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text.starts_with("<!doctype html") || text.starts_with("<html");
}

/// A zip archive whose first file is a NumPy array.
bool is_npz(const FileLook& look) {
  constexpr std::size_t length_at = 26, name_at = 30;
  if (!look.bytes.starts_with("PK\x03\x04") || look.bytes.size() < name_at) return false;
  const auto length = number_at<std::uint16_t>(look.bytes.data() + length_at);
  return look.bytes.substr(name_at, length).ends_with(".npy");
}

bool is_petsc_vector(const FileLook& look) {
  const auto begins_with = [&](auto number) {
    using Integer = decltype(number);
    return look.bytes.size() >= sizeof(Integer) &&
           number_at<Integer, std::endian::big>(look.bytes.data()) == number;
  };
  return begins_with(static_cast<std::int32_t>(petsc_vector_class)) || begins_with(petsc_vector_class);
}

/// Four lines: title, counts of lines, type and sizes, Fortran formats.
bool is_harwell_boeing(const FileLook& look) {
  const std::string_view type = line(look, 2), formats = line(look, 3);
  const auto letter = [&](std::size_t at, std::string_view known) {
    return known.find(static_cast<char>(std::toupper(static_cast<unsigned char>(type[at])))) !=
           std::string_view::npos;
  };
  return type.size() > 20 && letter(0, "RCPI") && letter(1, "SUHZR") && letter(2, "AEF") && type[3] == ' ' &&
         formats.substr(std::min(formats.find_first_not_of(' '), formats.size())).starts_with('(') &&
         line(look, 1).find_first_not_of(" 0123456789\r") == std::string_view::npos;
}

using Numbers = std::vector<double>;

/// The numbers of a line, with `separators` between them. Nothing if the line contains anything else.
std::optional<Numbers> numbers_of(std::string_view line, std::string_view separators) {
  Numbers numbers;
  for (auto at = line.find_first_not_of(separators); at < line.size();
       at = line.find_first_not_of(separators)) {
    line.remove_prefix(at + (line[at] == '+' ? 1 : 0));
    double value = 0;
    const auto [stop, status] = std::from_chars(line.data(), line.data() + line.size(), value);
    line.remove_prefix(static_cast<std::size_t>(stop - line.data()));
    if (status != std::errc() || (!line.empty() && separators.find(line[0]) == std::string_view::npos))
      return std::nullopt;
    numbers.push_back(value);
  }
  return numbers;
}

/// A text of numbers: a row for every line that is no comment.
struct NumberLines {
  std::vector<Numbers> lines;
  bool complete = true;  // false: `lines` are the first lines of a longer text
};

bool is_comment(std::string_view line) {
  return line.starts_with('#') || line.starts_with('%') || line.starts_with("//");
}

/// Nothing if a line contains anything but numbers, or if the first line is a Matrix Market banner with a fault.
std::optional<NumberLines> number_lines(const FileLook& look, std::string_view separators) {
  if (line(look, 0).find("MatrixMarket") != std::string_view::npos) return std::nullopt;
  NumberLines text;
  text.complete = look.bytes.size() < FileLook::most_bytes;
  for (std::string_view rest = look.bytes; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos && !text.complete) break;
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (is_comment(line)) continue;
    auto numbers = numbers_of(line, separators);
    if (!numbers) return std::nullopt;
    text.lines.push_back(std::move(*numbers));
  }
  return text;
}

NumberLines without_blank_lines(NumberLines text) {
  std::erase_if(text.lines, [](const Numbers& line) { return line.empty(); });
  return text;
}

bool is_whole(double value) {
  return value >= 0 && value == std::floor(value);
}

/// Whether `count` elements were promised: if the text is not complete, there may be fewer so far.
bool as_promised(const NumberLines& text, double count, double promised) {
  return text.complete ? count == promised : count <= promised;
}

/// "rows columns entries", then entries of `numbers` numbers each: Matrix Market without its first line.
Test headless(std::size_t numbers) {
  return [=](const FileLook& look) {
    const auto all = number_lines(look, blanks);
    if (!all) return false;
    const auto lines = without_blank_lines(*all).lines;
    if (lines.size() < 2 || lines[0].size() != 3) return false;
    const Numbers& sizes = lines[0];
    const auto is_id = [](double id, double size) { return is_whole(id) && id >= 1 && id <= size; };
    return as_promised(*all, static_cast<double>(lines.size() - 1), sizes[2]) &&
           std::all_of(lines.begin() + 1, lines.end(), [&](const Numbers& entry) {
             return entry.size() == numbers && is_id(entry[0], sizes[0]) && is_id(entry[1], sizes[1]);
           });
  };
}

/// METIS, without weights: "vertices edges", then for every vertex a line of its neighbours.
bool is_metis_graph(const FileLook& look) {
  const auto text = number_lines(look, blanks);
  if (!text || text->lines.size() < 2 || text->lines[0].size() != 2) return false;
  const double vertices = text->lines[0][0], edges = text->lines[0][1];
  double neighbours = 0;
  for (auto line = text->lines.begin() + 1; line != text->lines.end(); ++line) {
    neighbours += static_cast<double>(line->size());
    for (const double id : *line)
      if (!is_whole(id) || id < 1 || id > vertices) return false;
  }
  return as_promised(*text, static_cast<double>(text->lines.size() - 1), vertices) &&
         as_promised(*text, neighbours, 2 * edges);
}

/// Lines "row column", or all of them "row column value".
bool is_list_of_entries(const FileLook& look) {
  const auto all = number_lines(look, blanks_and_commas);
  if (!all) return false;
  const auto lines = without_blank_lines(*all).lines;
  return !lines.empty() && std::all_of(lines.begin(), lines.end(), [&](const Numbers& line) {
    return line.size() == lines[0].size() && line.size() >= 2 && line.size() <= 3 && is_whole(line[0]) &&
           is_whole(line[1]);
  });
}

std::string unpack_by(const std::string& command) {
  return "unpack it with: " + command + " {in} > {unpacked}";
}

std::string write_by(const std::string& command) {
  return "write it as Matrix Market with: " + command + " {in} > {out}";
}

/// `matrix`: a Python expression for the matrix in file f. Scripts contain no single quotes and no line ends.
std::string write_by_scipy(const std::string& matrix) {
  return "write it as Matrix Market with: python3 -c 'import sys,numpy as n,scipy.io as i,scipy.sparse as s; "
         "f,m=sys.argv[1:]; i.mmwrite(m,s.coo_matrix(" +
         matrix + "))' {in} {out}";
}

std::string add_banner(const std::string& field) {
  return "add it with: (echo '%%MatrixMarket matrix coordinate " + field + " general'; cat {in}) > {out}";
}

/// The first row that matches counts.
const std::vector<OtherKind>& other_kinds() {
  const char* const no_banner = "a matrix without the first line of Matrix Market";
  const char* const matlab = R"(max([v["A"][0,0] if v.dtype.names else v for k,v in i.loadmat(f).items() )"
                             R"(if k[0]!="_"],key=s.issparse))";
  const char* const graph = R"(awk '!/^%/ { if (n++) for (i = 1; i <= NF; ++i) print n - 1, $i; else )"
                            R"(print "%%MatrixMarket matrix coordinate pattern general\n" $1, $1, 2 * $2 }')";
  const char* const entries =
      R"(python3 -c 'import sys; e=[l.replace(","," ").split() for l in open(sys.argv[1]) if l.strip()[:1].isdigit()]; )"
      R"(r,c=[[int(k[j]) for k in e] for j in (0,1)]; b=int(min(r+c)==0); k=max(r+c)+b; )"
      R"(print("%%MatrixMarket matrix coordinate","real" if len(e[0])>2 else "pattern","general"); print(k,k,len(e)); )"
      R"([print(i+b,j+b,*l[2:]) for i,j,l in zip(r,c,e)]')";
  static const std::vector<OtherKind> table = {
      {"packed by gzip", begins("\x1f\x8b"), unpack_by("gzip -dc")},
      {"packed by compress", begins("\x1f\x9d"), unpack_by("gzip -dc")},
      {"packed by xz",
       begins("\xfd"
              "7zXZ"),
       unpack_by("xz -dc")},
      {"packed by bzip2", begins("BZh"), unpack_by("bzip2 -dc")},
      {"packed by zstd", begins("\x28\xb5\x2f\xfd"), unpack_by("zstd -dc")},
      {"a NumPy archive (.npz)", is_npz, write_by_scipy("s.load_npz(f)")},
      {"a zip archive", begins("PK\x03\x04"), "unpack it with: unzip {in}"},
      {"a NumPy array (.npy)", begins("\x93NUMPY"), write_by_scipy("n.load(f)")},
      {"a MATLAB file (.mat)", begins("MATLAB 5.0 MAT-file"), write_by_scipy(matlab)},
      {"a MATLAB 7.3 file (.mat)", begins("MATLAB 7.3 MAT-file"),
       "write the matrix as Matrix Market in MATLAB with mmwrite, or save it with -v7 and try again"},
      {"an HDF5 file", begins("\x89HDF\r\n\x1a\n"),
       "write the matrix as Matrix Market in Python, with h5py and scipy.io.mmwrite"},
      // Files that the program reads when they are not packed.
      {"a .spmv file",
       [](const FileLook& look) { return look.bytes.size() > 8 && is_binary_matrix(look.bytes); }, ""},
      {"a PETSc matrix", [](const FileLook& look) { return is_petsc_matrix(look.bytes); }, ""},
      {"a PETSc vector", is_petsc_vector, "name a file that begins with the matrix"},
      {"a Git LFS pointer, not the file itself", begins("version https://git-lfs.github.com/"),
       "fetch the file with 'git lfs pull'"},
      {"a web page (HTML)", is_web_page,
       "the site may have sent it instead of the file: download the file again, from its own address"},
      {"text in UTF-16", begins_with_any({"\xff\xfe", "\xfe\xff"}),
       "write it in ASCII with: iconv -f UTF-16 -t ASCII {in} > {out}"},
      {"text with a byte order mark", begins("\xef\xbb\xbf"),
       "remove the mark with: tail -c +4 {in} > {out}"},
      {"not a text, and of no kind that the program knows",
       [](const FileLook& look) { return look.bytes.find('\0') < look.bytes.size(); },
       "write the matrix as Matrix Market, for example with scipy.io.mmwrite, or with PETSc's MatView"},
      {"a Harwell-Boeing or Rutherford-Boeing file", is_harwell_boeing,
       "download the matrix as Matrix Market, which the collections offer too"},
      {no_banner, headless(2), add_banner("pattern")},
      {no_banner, headless(3), add_banner("real")},
      {no_banner, headless(4), add_banner("complex")},
      {"a METIS graph", is_metis_graph, write_by(graph)},
      {"a list of entries without sizes", is_list_of_entries,
       "take it for a square matrix, with ids from 0 if there is a 0 and else from 1, and " +
           write_by(entries)},
  };
  return table;
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

/// `name` without its last ending. A point at the beginning is no ending.
std::string stem_of(const std::string& name) {
  const std::size_t point = name.rfind('.');
  return point == 0 ? name : name.substr(0, point);
}

/// The name of the Matrix Market file to make. It is never the file itself.
std::string converted(const std::string& name) {
  const std::string stem = stem_of(name);
  return (stem + ".mtx" == name ? stem + "_converted" : stem) + ".mtx";
}

std::string unpacked(const std::string& name) {
  for (const std::string_view ending : {".gz", ".xz", ".bz2", ".zst", ".Z"})
    if (name.size() > ending.size() && name.ends_with(ending)) return stem_of(name);
  return name + ".unpacked";
}

void replace(std::string& text, std::string_view mark, const std::string& word) {
  for (std::size_t at = text.find(mark); at < text.size(); at = text.find(mark, at + word.size()))
    text.replace(at, mark.size(), word);
}

/// The advice with the names for this file, quoted for a shell.
std::string advice_for(std::string advice, const std::string& path) {
  const std::string name = file_name(path);
  replace(advice, "{in}", shell_word(path));
  replace(advice, "{out}", shell_word(converted(name)));
  replace(advice, "{unpacked}", shell_word(unpacked(name)));
  return printable(advice);
}

}  // namespace

std::string what_else(const FileLook& look) {
  const auto kind = std::find_if(other_kinds().begin(), other_kinds().end(),
                                 [&](const OtherKind& other) { return other.is(look); });
  if (kind == other_kinds().end()) return {};
  if (!look.member.empty())
    return fmt::format("is {}; extract it with: {}", kind->what,
                       printable(shell_words({"tar", "-xf", look.path, look.member})));
  if (look.packed)
    return fmt::format("is {} inside gzip; {}", kind->what, advice_for(unpack_by("gzip -dc"), look.path));
  return fmt::format("is {}; {}", kind->what, advice_for(kind->advice, look.path));
}

}  // namespace spmv
