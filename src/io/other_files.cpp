#include "io/other_files.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/printable.hpp"
#include "core/shell_words.hpp"
#include "io/binary/binary_header.hpp"
#include "io/petsc/petsc_rows.hpp"

namespace spmv {
namespace {

using std::string_view_literals::operator""sv;

/// Table row: how files of a kind begin, and what to do with one. {0} stands for its path, {1} for its name.
struct OtherKind {
  std::string_view begin;
  const char* what;
  const char* advice;
};

constexpr const char
    *market = "write it as Matrix Market with: python3 -m spmv_dist.market {0} -o {1}.mtx",
    *gzip = "unpack it with: gzip -dc {0} > {1}.unpacked", *none = "name a file with a matrix",
    *again =
        "the site may have sent it instead of the file: download the file again, from its own "
        "address",
    *matrix_first = "write the matrix first, with MatView";

/// The first row that fits holds.
constexpr OtherKind other_kinds[] = {
    {"\x1f\x8b", "packed by gzip", gzip},
    {"\x1f\x9d", "packed by compress", gzip},
    {"\xfd\x37zXZ", "packed by xz", "unpack it with: xz -dc {0} > {1}.unpacked"},
    {"BZh", "packed by bzip2", "unpack it with: bzip2 -dc {0} > {1}.unpacked"},
    {"\x28\xb5\x2f\xfd", "packed by zstd", "unpack it with: zstd -dc {0} > {1}.unpacked"},
    {"\x04\x22\x4d\x18", "packed by lz4", "unpack it with: lz4 -dc {0} > {1}.unpacked"},
    {"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it with: 7z x {0}"},
    {"Rar!\x1a", "a RAR archive", "unpack it with: unrar x {0}"},
    {"\x93NUMPY", "a NumPy array (.npy)", market},
    {"MATLAB ", "a MATLAB file (.mat)", market},
    {"\x89HDF\r\n\x1a\n", "an HDF5 file", market},
    {"\0\x12\x7b\x4e"sv, "a PETSc vector", market},
    {"\0\0\0\0\0\x12\x7b\x4e"sv, "a PETSc vector", market},
    {"\0\x12\x7b\x52"sv, "a PETSc index set", matrix_first},
    {"\0\0\0\0\0\x12\x7b\x52"sv, "a PETSc index set", matrix_first},
    {"\x50\x7b\x12\0"sv, "a PETSc matrix with the lowest byte first, which PETSc does not read either",
     "write it with MatView where the highest byte comes first"},
    {"version https://git-lfs.github.com/", "a Git LFS pointer, not the file itself",
     "fetch the file with 'git lfs pull'"},
    {"\x7f\x45LF", "a program or shared library (ELF)", none},
    {"%PDF-", "a PDF document", none},
    {"<", "a web page (HTML) or XML", again},
    {"\xff\xfe", "text in UTF-16 or UTF-32",
     "write it in ASCII with: iconv -f UTF-16 -t ASCII {0} > {1}.mtx"},
    {"\xfe\xff", "text in UTF-16", "write it in ASCII with: iconv -f UTF-16 -t ASCII {0} > {1}.mtx"},
    {"\xef\xbb\xbf", "text with a byte order mark", "remove the mark with: tail -c +4 {0} > {1}.mtx"},
};

constexpr OtherKind numpy_archive{"PK\x03\x04", "a NumPy archive (.npz)", market},
    zip_archive{"PK\x03\x04", "a zip archive", "unpack it with: unzip {0}"}, binary{"", "a .spmv file", ""},
    petsc{"", "a PETSc matrix", ""},
    no_text{"", "not a text, and of no kind that the program knows",
            "write the matrix as Matrix Market, as scipy.io.mmwrite does, or with PETSc's MatView"};

/// Nothing if the kind is unknown.
const OtherKind* kind_of(std::string_view bytes) {
  const auto* const found =
      std::find_if(std::begin(other_kinds), std::end(other_kinds),
                   [&](const OtherKind& kind) { return bytes.starts_with(kind.begin); });
  if (found != std::end(other_kinds)) return found;
  if (bytes.starts_with(zip_archive.begin))
    return bytes.find(".npy") < bytes.size() ? &numpy_archive : &zip_archive;
  if (bytes.size() > 8 && is_binary_matrix(bytes)) return &binary;
  if (is_petsc_matrix(bytes)) return &petsc;
  return bytes.find('\0') < bytes.size() ? &no_text : nullptr;
}

/// With the name of this file, as a shell takes it.
std::string named(const char* advice, const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return printable(fmt::format(fmt::runtime(advice), shell_word(path), shell_word(name)));
}

}  // namespace

std::string what_else(const FileLook& look) {
  const OtherKind* const kind = kind_of(look.bytes);
  if (kind == nullptr) return {};
  if (!look.member.empty())
    return fmt::format("is {}; extract it with: {}", kind->what,
                       printable(shell_words({"tar", "-xf", look.path, look.member})));
  if (look.packed) return fmt::format("is {} inside gzip; {}", kind->what, named(gzip, look.path));
  return fmt::format("is {}; {}", kind->what, named(kind->advice, look.path));
}

}  // namespace spmv
