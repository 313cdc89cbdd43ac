// A text in a file or in memory: plain, packed by gzip, or a member of a tar archive. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "io/text_source.hpp"

namespace spmv {

/// The bytes of a file, in any order.
class TextBytes;

/// Names a text. Cheap to copy: no file is opened before the text is read, or held_open() is called.
struct Text {
  static constexpr std::size_t default_block_bytes =
      std::size_t{256} * 1024;  // fits into the second-level cache of a core

  /// The file `path`.
  Text(std::string path) : name(std::move(path)) {}
  /// `file_bytes` as the content of a file that messages call `name`. They must outlive all copies of this object.
  Text(std::string name, std::string_view file_bytes) : name(std::move(name)), memory(file_bytes) {}

  /// The name without the member.
  std::string file_name() const {
    return member.empty() ? name : name.substr(0, name.size() - member.size() - 1);
  }

  std::string name;    // for messages: PATH, or PATH:MEMBER
  std::string member;  // of the tar archive, see in_archive(); empty: the text is the whole file
  std::optional<std::string_view> memory;         // the bytes, unless they are in a file
  std::shared_ptr<const TextBytes> held;          // see held_open(); nullptr: every read opens the file
  std::size_t block_bytes = default_block_bytes;  // per read; every number from 1 gives the same lines
};

struct TextFileInfo {
  std::uint64_t file_bytes = 0;
  bool compressed =
      false;  // packed by gzip (known by the first bytes), or in an archive: readable only from its start
};

/// Throws Error(input) if the file is missing, a directory, unreadable or empty.
TextFileInfo inspect_text(const Text& text);

/// `text` with its file open as long as a copy of the result exists. Everything is read from this file, even if the path is
/// replaced meanwhile. Throws as inspect_text().
Text held_open(Text text);

/// Writes up to `size` bytes of the file, as stored, from byte `begin` on. Returns their number; 0 only at the end. Throws as
/// inspect_text().
std::size_t bytes_at(const Text& text, std::uint64_t begin, char* to, std::size_t size);

/// The first bytes of the file, as stored, at most `most`. Throws as inspect_text().
std::string first_bytes(const Text& text, std::size_t most);

/// The first bytes of the unpacked text, at most `most`. Throws as open_text().
std::string first_of_text(const Text& text, std::size_t most);

/// If `text` is a tar archive, packed by gzip or not: the Matrix Market file in it; else `text`. Throws Error(input) if there
/// is none. A second one is noticed only when the text is read to its end.
Text in_archive(Text text);

/// Tells a file from other files, and from its own earlier content.
struct FileState {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t written_ns = 0;  // time of the last change, since 1970
  friend bool operator==(const FileState&, const FileState&) = default;
};

/// The present state of the file of a text that is held open; a constant for a text in memory. Throws Error(input) if the
/// system cannot tell.
FileState state_of(const Text& text);

/// Reads the whole text, to find faults that only its end shows. Throws as open_text().
void read_to_end(const Text& text);

/// The text from byte `begin` on, counted in unpacked bytes. Throws as inspect_text(), and Error(input) for a damaged file.
std::unique_ptr<TextSource> open_text(const Text& text, std::uint64_t begin);

/// 1-based number of the line with byte `position` of the text. Reads the text from its start: for error messages.
std::uint64_t line_number(const Text& text, std::uint64_t position);

}  // namespace spmv
