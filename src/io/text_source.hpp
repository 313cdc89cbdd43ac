// Bytes of a text, plain, gzip or in a tar archive, in a file or in memory. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "io/text_stream.hpp"

namespace spmv {

/// The bytes of a text as they are stored, at any position.
class TextBytes;

/// A text that lies in a file, or in memory as a file would. Cheap to copy: nothing is opened or looked at before
/// it is read, or held_open() is called.
struct Text {
  static constexpr std::size_t default_block_bytes =
      std::size_t{256} * 1024;  // stays in a core's second-level cache

  /// The file `path`: wherever a text is asked for, the path of its file will do.
  Text(std::string path) : name(std::move(path)) {}
  /// `file_bytes` as if they were a file, which messages call `name`. They must outlive this object.
  Text(std::string name, std::string_view file_bytes) : name(std::move(name)), memory(file_bytes) {}

  /// Of the file that the text is, or is a member of.
  std::string file_name() const {
    return member.empty() ? name : name.substr(0, name.size() - member.size() - 1);
  }

  std::string name;  // for messages; the path where there is no memory; PATH:MEMBER of a member
  std::string
      member;  // of the tar archive that the file is, see in_archive(); empty: the text is all of the file
  std::optional<std::string_view> memory;  // the bytes, unless they are in a file
  std::shared_ptr<const TextBytes> held;   // see held_open(); nullptr: the file is opened for every reading
  std::size_t block_bytes =
      default_block_bytes;  // that are read at a time; any number from 1 gives the same lines
};

struct TextFileInfo {
  std::uint64_t file_bytes = 0;
  bool compressed =
      false;  // gzip by its first bytes, whatever its name, or in an archive: only read from its start on
};

/// Throws Error(input) when the file is missing, a directory, unreadable or empty.
TextFileInfo inspect_text(const Text& text);

/// `text` with its file open as long as a copy of the result lives: all that is read of it comes from this one
/// file, whatever becomes of the path meanwhile. Throws as inspect_text.
Text held_open(Text text);

/// Up to `size` of its bytes as they are stored, packed or not, from byte `begin` on; 0 only at the end. Throws as
/// inspect_text.
std::size_t bytes_at(const Text& text, std::uint64_t begin, char* to, std::size_t size);

/// `text`, or, where that is a tar archive, packed or not, the one Matrix Market file in it. Throws Error(input) where none is.
/// That there is only one is certain when it has been read to its end.
Text in_archive(Text text);

/// The first bytes of its file, packed or not, `most` at most. Throws as inspect_text.
std::string first_bytes(const Text& text, std::size_t most);

/// Tells one file from another, and a file from what it was before it was written again.
struct FileState {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t written_ns = 0;  // when its bytes were last changed, since 1970
  friend bool operator==(const FileState&, const FileState&) = default;
};

/// Of the file of a text that is held open, now. A text in memory has always the same. Throws Error(input) where
/// the system cannot tell.
FileState state_of(const Text& text);

/// The first bytes of the text itself, `most` at most. Throws as open_text().
std::string first_of_text(const Text& text, std::size_t most);

/// For what is noticed there only. Throws as open_text().
void read_to_end(const Text& text);

/// `text` from its byte `begin` on, counted in unpacked bytes. Throws as inspect_text.
std::unique_ptr<TextSource> open_text(const Text& text, std::uint64_t begin);

/// 1-based number of the line that holds byte `position` of the text. Reads the text from its start: for
/// errors.
std::uint64_t line_number(const Text& text, std::uint64_t position);

}  // namespace spmv
