// A gzip file made of pieces, which several ranks can pack at the same time. Local.
#pragma once

#include <cstdint>
#include <string>

namespace spmv {

/// A piece of a text. The packed pieces, one after the other, are the packed text.
struct GzipPiece {
  std::string packed;
  std::uint32_t checksum = 0;  // of the text
  std::uint64_t text_bytes = 0;
};

/// Packs `text`. Throws std::bad_alloc, and Error(internal) if zlib fails.
GzipPiece gzip_piece(const std::string& text);

/// The bytes before and after the pieces. Together they are one gzip member, which every reader accepts.
class GzipFrame {
 public:
  static std::string head();
  /// Adds the next piece, in the order of the text.
  void add(std::uint32_t checksum, std::uint64_t text_bytes);
  /// For all pieces that were added.
  std::string tail() const;

 private:
  std::uint32_t checksum_ = 0;
  std::uint64_t text_bytes_ = 0;
};

}  // namespace spmv
