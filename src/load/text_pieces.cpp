#include "load/text_pieces.hpp"

#include <utility>

namespace spmv {
namespace {

/// What the frame needs to know of a rank's piece.
struct PieceSummary {
  std::uint32_t checksum;
  std::uint64_t text_bytes;
};

}  // namespace

bool is_packed_name(const std::string& path) {
  return path.ends_with(".gz");
}

std::string file_bytes(const std::string& path, std::string text) {
  if (!is_packed_name(path)) return text;
  const GzipPiece piece = gzip_piece(text);
  GzipFrame frame;
  frame.add(piece.checksum, piece.text_bytes);
  return GzipFrame::head() + piece.packed + frame.tail();
}

std::string TextPieces::head() const {
  return packed_ ? GzipFrame::head() : "";
}

std::string TextPieces::next(const std::string& mine) {
  if (!packed_) return mine;
  GzipPiece piece = communicator_.together([&] { return gzip_piece(mine); });
  for (const PieceSummary& each : communicator_.all_gather(PieceSummary{piece.checksum, piece.text_bytes}))
    frame_.add(each.checksum, each.text_bytes);
  return std::move(piece.packed);
}

std::string TextPieces::tail() const {
  return packed_ ? frame_.tail() : "";
}

}  // namespace spmv
