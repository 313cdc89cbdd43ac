// A gzip file of pieces that are packed apart, so that several can be packed at the same time. Local.
#pragma once

#include <cstdint>
#include <string>

namespace spmv {

/// A piece of a text, packed such that pieces behind each other are the packed text.
struct GzipPiece {
  std::string packed;
  std::uint32_t checksum = 0;  // of the text
  std::uint64_t text_bytes = 0;
};

/// Throws std::bad_alloc, and Error(internal) if zlib fails.
GzipPiece gzip_piece(const std::string& text);

/// What stands before and behind the pieces of one gzip file: one member, as gunzip and every reader takes it.
class GzipFrame {
 public:
  static std::string head();
  /// Counts the next piece, in the text's order.
  void add(std::uint32_t checksum, std::uint64_t text_bytes);
  /// Of all pieces that were added.
  std::string tail() const;

 private:
  std::uint32_t checksum_ = 0;
  std::uint64_t text_bytes_ = 0;
};

}  // namespace spmv
