#include "io/gzip_pieces.hpp"

#include <new>
#include <string_view>

#include <fmt/format.h>
#include <zlib.h>

#include "core/error.hpp"

namespace spmv {
namespace {

/// Packs with zlib, without header and checksum.
class Packer {
 public:
  Packer() {
    constexpr int no_frame = -15, usual_memory = 8;
    require(deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, no_frame, usual_memory,
                         Z_DEFAULT_STRATEGY));
  }
  ~Packer() { deflateEnd(&stream_); }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  /// Packs a text of at most 4 GiB. A full flush ends it at a whole byte, and no later text refers to it.
  std::string pack(std::string_view text) {
    constexpr std::size_t flush_bytes = 16;  // at most
    std::string packed(deflateBound(&stream_, text.size()) + flush_bytes, '\0');
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream_.avail_in = static_cast<uInt>(text.size());
    stream_.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream_.avail_out = static_cast<uInt>(packed.size());
    require(deflate(&stream_, Z_FULL_FLUSH));
    require(stream_.avail_out > 0 ? Z_OK : Z_BUF_ERROR);
    packed.resize(packed.size() - stream_.avail_out);
    return packed;
  }

 private:
  static void require(int status) {
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK) throw Error(ExitCode::internal, fmt::format("zlib cannot pack: error {}", status));
  }

  z_stream stream_{};
};

void put_low_first(std::string& text, std::uint32_t number) {
  for (int byte = 0; byte < 4; ++byte) text += static_cast<char>(number >> (8 * byte) & 0xff);
}

}  // namespace

GzipPiece gzip_piece(const std::string& text) {
  GzipPiece piece;
  piece.text_bytes = text.size();
  piece.checksum = static_cast<std::uint32_t>(
      crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(text.data()), text.size()));
  if (text.empty()) return piece;
  constexpr std::size_t at_once = 1U << 30U;
  Packer packer;
  for (std::size_t at = 0; at < text.size(); at += at_once)
    piece.packed += packer.pack(std::string_view(text).substr(at, at_once));
  return piece;
}

std::string GzipFrame::head() {
  // Signature, deflate, no flags, no time, compression level and system unknown.
  return {'\x1f', '\x8b', '\x08', 0, 0, 0, 0, 0, 0, '\xff'};
}

void GzipFrame::add(std::uint32_t checksum, std::uint64_t text_bytes) {
  checksum_ =
      static_cast<std::uint32_t>(crc32_combine(checksum_, checksum, static_cast<z_off_t>(text_bytes)));
  text_bytes_ += text_bytes;
}

std::string GzipFrame::tail() const {
  std::string tail = {'\x03', 0};  // an empty last block
  put_low_first(tail, checksum_);
  put_low_first(tail, static_cast<std::uint32_t>(text_bytes_));
  return tail;
}

}  // namespace spmv
