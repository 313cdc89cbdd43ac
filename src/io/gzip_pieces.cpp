#include "io/gzip_pieces.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include <fmt/format.h>
#include <zlib.h>

#include "core/error.hpp"

namespace spmv {
namespace {

/// zlib's packer for deflate data without a frame.
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

  std::string pack(const std::string& text) {
    std::string packed;
    std::size_t read = 0, written = 0;
    stream_.avail_in = 0;
    stream_.avail_out = 0;
    // A full flush ends a piece at a whole byte, and the next one looks at nothing before it.
    while (read < text.size() || stream_.avail_in > 0 || stream_.avail_out == 0) {
      if (stream_.avail_in == 0) {
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data())) + read;
        stream_.avail_in = static_cast<uInt>(std::min<std::size_t>(text.size() - read, most));
        read += stream_.avail_in;
      }
      if (packed.size() == written) packed.resize(2 * written + text.size() / 4 + 256);
      const std::size_t room = std::min<std::size_t>(packed.size() - written, most);
      stream_.next_out = reinterpret_cast<Bytef*>(packed.data()) + written;
      stream_.avail_out = static_cast<uInt>(room);
      const int status = deflate(&stream_, read == text.size() ? Z_FULL_FLUSH : Z_NO_FLUSH);
      if (status != Z_BUF_ERROR) require(status);
      written += room - stream_.avail_out;
    }
    packed.resize(written);
    return packed;
  }

 private:
  static constexpr std::size_t most = std::numeric_limits<uInt>::max();

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
  if (!text.empty()) piece.packed = Packer().pack(text);
  return piece;
}

std::string GzipFrame::head() {
  // Signature, deflate, no flags, no time, no hint of the speed, unknown system.
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
