#include "io/text_source.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "core/error.hpp"
#include "core/printable.hpp"

namespace spmv {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{256} * 1024;

[[noreturn]] void fail(const std::string& path, std::string_view what) {
  throw Error(ExitCode::input, fmt::format("{}: {}", printable(path), what));
}

/// A regular file that is open for reading.
class File {
 public:
  explicit File(const std::string& path)
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor_ < 0 && errno == ENOENT) fail(path, "no such file; check the path");
    if (descriptor_ < 0) fail(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
    try {
      inspect();
    } catch (...) {
      ::close(descriptor_);
      throw;
    }
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(descriptor_); }

  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return bytes_; }

  /// Up to `size` bytes from byte `begin` of the file; 0 only at its end.
  std::size_t read(std::uint64_t begin, char* to, std::size_t size) const {
    for (;;) {
      const ssize_t got = ::pread(descriptor_, to, size, static_cast<off_t>(begin));
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) fail(path_, fmt::format("cannot be read: {}", std::strerror(errno)));
    }
  }

 private:
  void inspect() {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0)
      fail(path_, fmt::format("cannot be read: {}", std::strerror(errno)));
    if (S_ISDIR(status.st_mode)) fail(path_, "is a directory; name a file in it");
    if (!S_ISREG(status.st_mode)) fail(path_, "is not a regular file; save its text in one first");
    if (status.st_size == 0) fail(path_, "the file is empty; write or download it again");
    bytes_ = static_cast<std::uint64_t>(status.st_size);
  }

  std::string path_;
  int descriptor_;
  std::uint64_t bytes_ = 0;
};

/// Throws for the packers whose files are met in practice and cannot be read here.
bool is_gzip(const File& file) {
  std::array<char, 64> first{};
  const std::string_view magic(first.data(), file.read(0, first.data(), first.size()));
  if (magic.starts_with("\xfd"
                        "7zXZ"))
    fail(file.path(), "is packed by xz; unpack it with 'xz -dk'");
  if (magic.starts_with("BZh")) fail(file.path(), "is packed by bzip2; unpack it with 'bzip2 -dk'");
  if (magic.starts_with("\x28\xb5\x2f\xfd"))
    fail(file.path(), "is packed by zstd; unpack it with 'zstd -dk'");
  if (magic.starts_with("version https://git-lfs.github.com/"))
    fail(file.path(), "is a Git LFS pointer, not the file itself; fetch that with 'git lfs pull'");
  if (magic.starts_with("PK\x03\x04")) fail(file.path(), "is a zip archive; unpack it with 'unzip'");
  return magic.starts_with("\x1f\x8b");
}

class PlainText : public TextSource {
 public:
  PlainText(const std::string& path, std::uint64_t begin) : file_(path), begin_(begin), position_(begin) {}

  std::size_t read(char* to, std::size_t size) override {
    const std::size_t got = file_.read(position_, to, size);
    position_ += got;
    return got;
  }
  std::uint64_t file_bytes_done() const override { return position_ - begin_; }

 private:
  File file_;
  std::uint64_t begin_;
  std::uint64_t position_;
};

/// One or more gzip members, one after another. Checksums and lengths are checked by zlib at each member's
/// end.
class GzipText : public TextSource {
 public:
  explicit GzipText(const std::string& path) : file_(path), input_(chunk_bytes) {
    constexpr int gzip_window = 15 + 16;  // zlib: the largest window, gzip wrapping only
    if (inflateInit2(&stream_, gzip_window) != Z_OK)
      throw Error(ExitCode::memory, printable(path) + ": no memory for unpacking");
  }
  GzipText(const GzipText&) = delete;
  GzipText& operator=(const GzipText&) = delete;
  ~GzipText() override { inflateEnd(&stream_); }

  std::size_t read(char* to, std::size_t size) override {
    const uInt wanted = static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = wanted;
    while (stream_.avail_out == wanted) {
      if (stream_.avail_in == 0) refill();
      if (stream_.avail_in == 0 && member_ended_) return 0;
      if (stream_.avail_in == 0) {
        fail(file_.path(), "the gzip data ends too early; the file is truncated, copy or download it again");
      }
      if (member_ended_) begin_member();
      inflate_some();
    }
    return wanted - stream_.avail_out;
  }
  std::uint64_t file_bytes_done() const override { return file_position_ - stream_.avail_in; }

 private:
  void refill() {
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(file_.read(file_position_, input_.data(), input_.size()));
    file_position_ += stream_.avail_in;
  }
  void begin_member() {
    if (*stream_.next_in != 0x1f) {
      fail(file_.path(),
           "something else follows the end of the gzip data; check with 'gzip -t', pack the file again");
    }
    inflateReset(&stream_);
    member_ended_ = false;
  }
  void inflate_some() {
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR)
      throw Error(ExitCode::memory, printable(file_.path()) + ": no memory for unpacking");
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      fail(file_.path(), fmt::format("the gzip data is corrupt ({}); copy or download it again",
                                     stream_.msg != nullptr ? stream_.msg : "unknown damage"));
    }
    member_ended_ = result == Z_STREAM_END;
  }

  File file_;
  std::vector<char> input_;
  z_stream stream_{};
  std::uint64_t file_position_ = 0;
  bool member_ended_ = false;
};

}  // namespace

TextFileInfo inspect_text(const std::string& path) {
  const File file(path);
  return {file.bytes(), is_gzip(file)};
}

std::unique_ptr<TextSource> open_text(const std::string& path, std::uint64_t begin) {
  if (!inspect_text(path).compressed) return std::make_unique<PlainText>(path, begin);
  auto text = std::make_unique<GzipText>(path);
  std::vector<char> skipped(chunk_bytes);
  while (begin > 0) {
    const std::size_t got = text->read(skipped.data(), std::min<std::uint64_t>(begin, skipped.size()));
    if (got == 0) break;
    begin -= got;
  }
  return text;
}

std::uint64_t line_number(const std::string& path, std::uint64_t position) {
  const auto text = open_text(path, 0);
  std::vector<char> chunk(chunk_bytes);
  std::uint64_t line = 1;
  while (position > 0) {
    const std::size_t got = text->read(chunk.data(), std::min<std::uint64_t>(position, chunk.size()));
    if (got == 0) break;
    line += static_cast<std::uint64_t>(std::count(chunk.data(), chunk.data() + got, '\n'));
    position -= got;
  }
  return line;
}

}  // namespace spmv
