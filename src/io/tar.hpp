// Tar archives as a stream of members, in the formats ustar, pax and GNU. Local.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "io/input_checks.hpp"
#include "io/text_source.hpp"

namespace spmv {

struct TarMember {
  std::string name;      // as in the archive; any name is harmless, because nothing is extracted
  bool is_file = false;  // not a directory, link or device
};

/// Reads an archive from its first byte to its last. Every function throws Error(input) if the archive ends too early, a
/// header is damaged or a member is a sparse file, and what its source throws.
class TarReader {
 public:
  static constexpr std::size_t block_bytes = 512;

  /// `name`: of the archive, for messages.
  TarReader(std::unique_ptr<TextSource> source, std::string name);

  /// Whether an archive can begin with these bytes: whether they hold a header with a correct checksum. Pure.
  static bool begins(std::string_view first_bytes);

  /// The next member; skips the rest of the one before. Nothing at the end of the archive: then the source is at its end, too.
  std::optional<TarMember> next();
  /// Writes up to `size` bytes of the data of the latest member. Returns their number; 0 at the end of the data.
  std::size_t read(char* to, std::size_t size);
  const TextSource& source() const { return *source_; }

 private:
  using Block = std::array<char, block_bytes>;

  bool next_header(Block& bytes);
  std::size_t fill(Block& block);
  void skip(std::uint64_t bytes);
  void begin_data(std::uint64_t bytes);
  std::string read_text();
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<const Args&...> what, const Args&... args) const {
    refuse(name_, "is a tar archive, but {}; copy or download it again", fmt::format(what, args...));
  }

  std::unique_ptr<TextSource> source_;
  std::string name_;
  std::uint64_t position_ = 0;  // in the archive, of the next byte
  std::uint64_t rest_ = 0;      // unread bytes of the latest member
  std::uint64_t padding_ = 0;   // bytes after them, up to a whole block
};

}  // namespace spmv
