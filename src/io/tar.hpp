// Tar archives as a stream of members: ustar, pax and GNU's, as tar, Python and the sites of matrices write them. Local.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "io/text_stream.hpp"

namespace spmv {

struct TarMember {
  std::string name;        // as it stands in the archive: nothing is written there, so any name is harmless
  bool is_file = false;    // no directory, link or device
  bool has_holes = false;  // stored as GNU's sparse files are: its data are not its bytes
};

/// Walks an archive from its first byte to its last. Every function throws Error(input) where the archive ends early or
/// a header is damaged, and what its source throws.
class TarReader {
 public:
  static constexpr std::size_t block_bytes = 512;

  /// `name` of the archive, for messages.
  TarReader(std::unique_ptr<TextSource> source, std::string name);

  /// Whether these are the first block_bytes bytes of an archive: a header whose checksum is right. Pure.
  static bool begins(std::string_view first_bytes);

  /// The next member, past what is left of the one before; none at the end, when the source has been read to its end, too.
  std::optional<TarMember> next();
  /// Up to `size` bytes of the data of the latest member; 0 at their end.
  std::size_t read(char* to, std::size_t size);
  const TextSource& source() const { return *source_; }

 private:
  using Block = std::array<char, block_bytes>;

  bool next_header(Block& bytes);
  std::size_t fill(Block& block);
  void skip(std::uint64_t bytes);
  void begin_data(std::uint64_t bytes);
  void skip_sparse_map(const Block& header);
  std::string read_text();
  [[noreturn]] void fail(const std::string& what) const;

  std::unique_ptr<TextSource> source_;
  std::string name_;
  std::uint64_t position_ = 0;  // in the archive, of the next byte
  std::uint64_t rest_ = 0;      // of the latest member's data
  std::uint64_t padding_ = 0;   // behind them
};

}  // namespace spmv
