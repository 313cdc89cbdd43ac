#include "io/other_files.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/printable.hpp"
#include "core/shell_words.hpp"
#include "io/binary/binary_header.hpp"
#include "io/binary/byte_order.hpp"
#include "io/conversions.hpp"
#include "io/number_lines.hpp"
#include "io/petsc/petsc_rows.hpp"

namespace spmv {
namespace {

using Test = std::function<bool(const FileLook& look)>;

/// Table row: a kind of file, and what to do with it.
struct OtherKind {
  const char* what;
  Test is;
  std::string advice;  // {in} and the like stand in it, as conversions.hpp says
};

Test begins(std::string_view magic) {
  return [=](const FileLook& look) { return look.bytes.starts_with(magic); };
}

/// The same whatever blanks stand before it, and in letters of either case.
Test text_begins(std::string_view word) {
  return [=](const FileLook& look) {
    const std::size_t begin = std::min(look.bytes.find_first_not_of(" \t\r\n"), look.bytes.size());
    const std::string_view text = look.bytes.substr(begin, word.size());
    return std::equal(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    });
  };
}

Test any(std::vector<Test> tests) {
  return [tests = std::move(tests)](const FileLook& look) {
    return std::any_of(tests.begin(), tests.end(), [&](const Test& test) { return test(look); });
  };
}

std::int64_t integer(const FileLook& look, std::size_t at, std::size_t bytes, std::endian order) {
  const char* const from = look.bytes.data() + at;
  if (bytes == 4)
    return order == std::endian::big ? number_at<std::int32_t, std::endian::big>(from)
                                     : number_at<std::int32_t, std::endian::little>(from);
  return order == std::endian::big ? number_at<std::int64_t, std::endian::big>(from)
                                   : number_at<std::int64_t, std::endian::little>(from);
}

/// Of the first file in a zip archive.
std::string_view zipped_name(const FileLook& look) {
  constexpr std::size_t length_at = 26, name_at = 30;
  if (!look.bytes.starts_with("PK\x03\x04") || look.bytes.size() < name_at) return {};
  const auto length = number_at<std::uint16_t, std::endian::little>(look.bytes.data() + length_at);
  return look.bytes.substr(name_at, length);
}

Test zipped(std::initializer_list<std::string_view> names) {
  return [names = std::vector(names)](const FileLook& look) {
    return std::find(names.begin(), names.end(), zipped_name(look)) != names.end();
  };
}

/// The n-th line, from 0.
std::string_view line(const FileLook& look, int n) {
  std::string_view rest = look.bytes;
  for (; n > 0 && !rest.empty(); --n) rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  return rest.substr(0, rest.find('\n'));
}

/// Lines of numbers of which `are` holds; not after a first line that is a banner with a fault.
Test lines(bool (*are)(const NumberLines&), char mark = ' ') {
  return [=](const FileLook& look) {
    return line(look, 0).find("MatrixMarket") == std::string_view::npos &&
           are(number_lines(look.bytes, mark, look.bytes.size() < FileLook::most_bytes));
  };
}

/// Four lines of a title, counts, type and sizes, and formats of Fortran's. `third`: of the type's letters, which says how it
/// is stored.
bool is_harwell_boeing(const FileLook& look, std::string_view third) {
  const std::string_view type = line(look, 2), formats = line(look, 3);
  const auto letter = [&](std::size_t at, std::string_view known) {
    return known.find(static_cast<char>(std::toupper(static_cast<unsigned char>(type[at])))) !=
           std::string_view::npos;
  };
  return type.size() > 20 && letter(0, "RCPI") && letter(1, "SUHZR") && letter(2, third) && type[3] == ' ' &&
         formats.find_first_not_of(' ') < formats.size() && formats[formats.find_first_not_of(' ')] == '(' &&
         line(look, 1).find_first_not_of(" 0123456789\r") == std::string_view::npos;
}

/// An object of PETSc's: its class and some other integers.
Test petsc(std::int64_t class_id, std::size_t integer_bytes, std::endian order = std::endian::big) {
  return [=](const FileLook& look) {
    return look.bytes.size() >= 2 * integer_bytes && integer(look, 0, integer_bytes, order) == class_id;
  };
}

/// A vector of PETSc's that fills the file with numbers of so many bytes.
Test petsc_vector(std::size_t integer_bytes, std::uint64_t number_bytes) {
  return [=](const FileLook& look) {
    if (!petsc(petsc_vector_class, integer_bytes)(look)) return false;
    const auto count =
        static_cast<std::uint64_t>(integer(look, integer_bytes, integer_bytes, std::endian::big));
    return count < look.file_bytes && 2 * integer_bytes + count * number_bytes == look.file_bytes;
  };
}

/// MATLAB's files before version 5: type, rows, columns, whether there are imaginary parts, length of the name; the name.
bool is_matlab_4(const FileLook& look) {
  constexpr std::size_t name_at = 20;
  if (look.bytes.size() < name_at) return false;
  const auto field = [&](std::size_t number) { return integer(look, 4 * number, 4, std::endian::little); };
  const std::int64_t type = field(0), length = field(4);
  if (type < 0 || type > 52 || type % 10 > 2 || field(3) < 0 || field(3) > 1 || length < 2 || length > 64)
    return false;
  const std::string_view name = look.bytes.substr(name_at, static_cast<std::size_t>(length));
  return name.find('\0') == name.size() - 1 && std::isalpha(static_cast<unsigned char>(name[0])) != 0;
}

std::string head_for(const std::string& field) {
  return "add it with: (echo '%%MatrixMarket matrix coordinate " + field + " general'; cat {in}) > {out}";
}

/// The first row that fits holds.
const std::vector<OtherKind>& other_kinds() {
  using std::string_view_literals::operator""sv;
  using Look = const FileLook&;
  const std::string none = "name a file with a matrix";
  const std::string again =
      "the site may have sent it instead of the file: download the file again, from its own address";
  const std::string trust = "if you trust who made it, ";
  const std::string load = "a=n.load(f); ";
  const std::string csr = "s.csr_matrix((a[\"data\"],a[\"indices\"],a[\"indptr\"]),shape=a.get(\"shape\"))";
  const std::string table_of = "a.reshape(len(a),-1).astype(a.dtype.newbyteorder(\"=\"))";
  const char* const low = "a PETSc matrix with the lowest byte first, which PETSc does not read either";
  const char* const headless = "a matrix without the first line of Matrix Market";
  static const std::vector<OtherKind> table = {
      // Packed.
      {"packed by gzip", begins("\x1f\x8b"), unpack_by("gzip -dc")},
      {"packed by compress", begins("\x1f\x9d"), unpack_by("gzip -dc")},
      {"packed by xz",
       begins("\xfd"
              "7zXZ"),
       unpack_by("xz -dc")},
      {"packed by bzip2", begins("BZh"), unpack_by("bzip2 -dc")},
      {"packed by zstd", begins("\x28\xb5\x2f\xfd"), unpack_by("zstd -dc")},
      {"packed by lz4", begins("\x04\x22\x4d\x18"), unpack_by("lz4 -dc")},
      {"a 7z archive", begins("7z\xbc\xaf\x27\x1c"), "unpack it with: 7z x {in}"},
      {"a RAR archive", begins("Rar!\x1a"), "unpack it with: unrar x {in}"},
      // Of Python.
      {"a NumPy archive with a sparse matrix (.npz)",
       zipped({"indices.npy", "indptr.npy", "row.npy", "col.npy", "coords.npy", "offsets.npy", "data.npy",
               "shape.npy", "format.npy"}),
       write_by_scipy(load, "s.load_npz(f) if \"format\" in a else " + csr)},
      {"a NumPy archive (.npz)", [](Look look) { return zipped_name(look).ends_with(".npy"); },
       write_by_scipy(load + "a=a[a.files[0]]; ", table_of)},
      {"a NumPy file with a Python object (.npy)",
       [](Look look) {
         return look.bytes.starts_with("\x93NUMPY") && look.bytes.substr(0, 128).find("'|O'") < 128;
       },
       trust + write_by_scipy("", "n.load(f,allow_pickle=True).item()")},
      {"a NumPy array (.npy)", begins("\x93NUMPY"), write_by_scipy(load, table_of)},
      {"a Python pickle",
       any({begins("\x80\x02"), begins("\x80\x03"), begins("\x80\x04"), begins("\x80\x05")}),
       trust + write_by_scipy("import pickle; ", "pickle.load(open(f,\"rb\"))")},
      {"a Parquet file", begins("PAR1"),
       write_entries("import pandas; ", "pandas.read_parquet(f).to_numpy()")},
      {"a Feather file", begins("ARROW1"),
       write_entries("import pandas; ", "pandas.read_feather(f).to_numpy()")},
      // Of MATLAB, and HDF5.
      {"a MATLAB file (.mat)", any({begins("MATLAB 5.0 MAT-file"), is_matlab_4}),
       write_by_scipy("a=max([v for k,v in i.loadmat(f).items() if k[0]!=\"_\"],key=s.issparse); ",
                      "a[\"A\"][0,0] if a.dtype.names else a")},
      {"a MATLAB 7.3 file (.mat)", begins("MATLAB 7.3 MAT-file"),
       write_hdf5_group(
           "s.csc_matrix((d,g[\"ir\"][()],g[\"jc\"][()]),shape=(g.attrs[\"MATLAB_sparse\"],len(g[\"jc\"])-1))")},
      {"an HDF5 file", begins("\x89HDF\r\n\x1a\n"),
       "if a matrix by rows is in it as data, indices and indptr, " +
           write_hdf5_group(
               "s.csr_matrix((d,g[\"indices\"][()],g[\"indptr\"][()]),shape=g.attrs.get(\"shape\"))")},
      // Of PETSc; and what is read where it is not packed.
      {"a .spmv file", [](Look look) { return look.bytes.size() > 8 && is_binary_matrix(look.bytes); }, ""},
      {"a PETSc matrix", [](Look look) { return is_petsc_matrix(look.bytes); }, ""},
      {"a PETSc vector", petsc_vector(4, 16), write_petsc_vector("c16", 8)},
      {"a PETSc vector", petsc_vector(4, 4), write_petsc_vector("f4", 8)},
      {"a PETSc vector", petsc(petsc_vector_class, 4), write_petsc_vector("f8", 8)},
      {"a PETSc vector", petsc_vector(8, 16), write_petsc_vector("c16", 16)},
      {"a PETSc vector", petsc(petsc_vector_class, 8), write_petsc_vector("f8", 16)},
      {low, petsc(petsc_matrix_class, 8, std::endian::little), swap_petsc_matrix("q", 8)},
      {low, petsc(petsc_matrix_class, 4, std::endian::little), swap_petsc_matrix("i", 4)},
      {"a PETSc index set", any({petsc(petsc_index_set_class, 4), petsc(petsc_index_set_class, 8)}),
       "write the matrix first, with MatView"},
      // No matrices.
      {"a zip archive", begins("PK\x03\x04"), "unpack it with: unzip {in}"},
      {"a Git LFS pointer, not the file itself", begins("version https://git-lfs.github.com/"),
       "fetch the file with 'git lfs pull'"},
      {"a program or shared library (ELF)",
       begins("\x7f"
              "ELF"),
       none},
      {"a script", begins("#!"), none},
      {"a PDF document", begins("%PDF-"), none},
      {"a PostScript document", begins("%!PS"), none},
      {"a picture", any({begins("\x89PNG"), begins("\xff\xd8\xff"), begins("GIF8")}), none},
      {"a web page (HTML)", any({text_begins("<!doctype html"), text_begins("<html")}), again},
      {"XML", text_begins("<?xml"), again},
      // Texts.
      {"text in UTF-32", any({begins("\xff\xfe\0\0"sv), begins("\0\0\xfe\xff"sv)}),
       "write it in ASCII with: iconv -f UTF-32 -t ASCII {in} > {out}"},
      {"text in UTF-16", any({begins("\xff\xfe"), begins("\xfe\xff")}),
       "write it in ASCII with: iconv -f UTF-16 -t ASCII {in} > {out}"},
      {"text in UTF-16", begins("%\0%\0M\0"sv),
       "write it in ASCII with: iconv -f UTF-16LE -t ASCII {in} > {out}"},
      {"text in UTF-16", begins("\0%\0%\0M"sv),
       "write it in ASCII with: iconv -f UTF-16BE -t ASCII {in} > {out}"},
      {"text with a byte order mark", begins("\xef\xbb\xbf"),
       "remove the mark with: tail -c +4 {in} > {out}"},
      {"not a text, and of no kind that the program knows",
       [](Look look) { return look.bytes.find('\0') < look.bytes.size(); },
       "write the matrix as Matrix Market, as scipy.io.mmwrite does, or with PETSc's MatView"},
      {"a Harwell-Boeing or Rutherford-Boeing file", [](Look look) { return is_harwell_boeing(look, "A"); },
       write_harwell_boeing()},
      {"a Harwell-Boeing file of matrices of elements",
       [](Look look) { return is_harwell_boeing(look, "EF"); }, "assemble them where it comes from"},
      {"JSON", any({text_begins("{"), text_begins("[")}),
       "make a scipy.sparse matrix of it in Python, and write that with scipy.io.mmwrite"},
      {headless, lines([](const NumberLines& text) { return are_sizes_and_entries(text, 2); }),
       head_for("pattern")},
      {headless, lines([](const NumberLines& text) { return are_sizes_and_entries(text, 3); }),
       head_for("real")},
      {headless, lines([](const NumberLines& text) { return are_sizes_and_entries(text, 4); }),
       head_for("complex")},
      {"a METIS graph", lines(are_neighbours), write_metis_graph()},
      {"a list of entries without sizes", lines(are_entries),
       write_entries("", "n.loadtxt(f,ndmin=2,comments=[\"#\",\"%\",\"//\"])")},
      {"a list of entries without sizes (CSV)", lines(are_entries, ','),
       write_entries("", "n.genfromtxt(f,delimiter=\",\",ndmin=2)")},
      {"a list of entries without sizes (CSV)", lines(are_entries, ';'),
       write_entries("", "n.genfromtxt(f,delimiter=\";\",ndmin=2)")},
      {"a list of entries without sizes (TSV)", lines(are_entries, '\t'),
       write_entries("", "n.genfromtxt(f,delimiter=\"\\t\",ndmin=2)")},
      {"a table of numbers", lines(are_table),
       write_by_scipy("", "n.loadtxt(f,ndmin=2,comments=[\"#\",\"%\",\"//\"])")},
      {"a table of numbers (CSV)", lines(are_table, ','),
       write_by_scipy("a=n.genfromtxt(f,delimiter=\",\",ndmin=2); ", "a[~n.isnan(a).any(1)]")},
      {"a table of numbers (CSV)", lines(are_table, ';'),
       write_by_scipy("a=n.genfromtxt(f,delimiter=\";\",ndmin=2); ", "a[~n.isnan(a).any(1)]")},
  };
  return table;
}

/// `path` without its folder and one of these endings, or without any ending where none is named.
std::string stem_of(const std::string& path, std::initializer_list<std::string_view> endings) {
  const std::string name = path.substr(path.rfind('/') + 1);
  for (const std::string_view ending : endings)
    if (name.size() > ending.size() && name.ends_with(ending))
      return name.substr(0, name.size() - ending.size());
  const std::size_t dot = endings.size() == 0 ? name.rfind('.') : std::string::npos;
  return dot == 0 ? name : name.substr(0, dot);
}

void replace(std::string& text, std::string_view mark, const std::string& word) {
  for (std::size_t at = text.find(mark); at < text.size(); at = text.find(mark, at + word.size()))
    text.replace(at, mark.size(), word);
}

/// With the names of this file, as a shell takes them. No file is written over what it is read from.
std::string named(std::string advice, const std::string& path) {
  const std::string name = stem_of(path, {""});
  std::string unpacked = stem_of(path, {".gz", ".xz", ".bz2", ".zst", ".lz4", ".Z"});
  if (unpacked == name) unpacked += ".unpacked";
  std::string stem = stem_of(path, {});
  if (stem + ".mtx" == name) stem += "_converted";
  replace(advice, "{in}", shell_word(path));
  replace(advice, "{out}", shell_word(stem + ".mtx"));
  replace(advice, "{stem}", shell_word(stem));
  replace(advice, "{unpacked}", shell_word(unpacked));
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
    return fmt::format("is {} inside gzip; {}", kind->what, named(unpack_by("gzip -dc"), look.path));
  return fmt::format("is {}; {}", kind->what, named(kind->advice, look.path));
}

}  // namespace spmv
