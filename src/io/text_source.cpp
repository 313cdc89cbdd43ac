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
#include "core/uninterrupted.hpp"

namespace spmv {

class TextBytes {
 public:
  virtual ~TextBytes() = default;
  /// How many there are; at least one.
  virtual std::uint64_t count() const = 0;
  /// Up to `size` bytes from byte `begin` on; 0 only at the end.
  virtual std::size_t read(std::uint64_t begin, char* to, std::size_t size) const = 0;
  virtual FileState state() const { return {}; }
};

namespace {

[[noreturn]] void fail(const std::string& name, std::string_view what) {
  throw Error(ExitCode::input, fmt::format("{}: {}", printable(name), what));
}

constexpr const char* empty_file = "the file is empty; write or download it again";

/// A regular file that is open for reading.
class File : public TextBytes {
 public:
  explicit File(const std::string& path)
      : path_(path),
        descriptor_(uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); })) {
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
  ~File() override { ::close(descriptor_); }

  std::uint64_t count() const override { return count_; }
  std::size_t read(std::uint64_t begin, char* to, std::size_t size) const override {
    const ssize_t got =
        uninterrupted([&] { return ::pread(descriptor_, to, size, static_cast<off_t>(begin)); });
    if (got < 0) fail(path_, fmt::format("cannot be read: {}", std::strerror(errno)));
    return static_cast<std::size_t>(got);
  }

  FileState state() const override {
    const struct stat status = look();
    return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
            std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
  }

 private:
  struct stat look() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0)
      fail(path_, fmt::format("cannot be read: {}", std::strerror(errno)));
    return status;
  }
  void inspect() {
    const struct stat status = look();
    if (S_ISDIR(status.st_mode)) fail(path_, "is a directory; name a file in it");
    if (!S_ISREG(status.st_mode)) fail(path_, "is not a regular file; save its text in one first");
    if (status.st_size == 0) fail(path_, empty_file);
    count_ = static_cast<std::uint64_t>(status.st_size);
  }

  std::string path_;
  int descriptor_;
  std::uint64_t count_ = 0;
};

class Memory : public TextBytes {
 public:
  Memory(const std::string& name, std::string_view bytes) : bytes_(bytes) {
    if (bytes.empty()) fail(name, empty_file);
  }
  std::uint64_t count() const override { return bytes_.size(); }
  std::size_t read(std::uint64_t begin, char* to, std::size_t size) const override {
    return begin < bytes_.size() ? bytes_.copy(to, size, static_cast<std::size_t>(begin)) : 0;
  }

 private:
  std::string_view bytes_;
};

std::shared_ptr<const TextBytes> open_bytes(const Text& text) {
  if (text.held) return text.held;
  if (text.memory) return std::make_shared<Memory>(text.name, *text.memory);
  return std::make_shared<File>(text.name);
}

/// Throws for the packers whose files are met in practice and cannot be read here.
bool is_gzip(const std::string& name, const TextBytes& bytes) {
  std::array<char, 64> first{};
  const std::string_view magic(first.data(), bytes.read(0, first.data(), first.size()));
  if (magic.starts_with("\xfd"
                        "7zXZ"))
    fail(name, "is packed by xz; unpack it with 'xz -dk'");
  if (magic.starts_with("BZh")) fail(name, "is packed by bzip2; unpack it with 'bzip2 -dk'");
  if (magic.starts_with("\x28\xb5\x2f\xfd")) fail(name, "is packed by zstd; unpack it with 'zstd -dk'");
  if (magic.starts_with("version https://git-lfs.github.com/"))
    fail(name, "is a Git LFS pointer, not the file itself; fetch that with 'git lfs pull'");
  if (magic.starts_with("PK\x03\x04")) fail(name, "is a zip archive; unpack it with 'unzip'");
  return magic.starts_with("\x1f\x8b");
}

class PlainText : public TextSource {
 public:
  PlainText(std::shared_ptr<const TextBytes> bytes, std::uint64_t begin)
      : bytes_(std::move(bytes)), begin_(begin), position_(begin) {}

  std::size_t read(char* to, std::size_t size) override {
    const std::size_t got = bytes_->read(position_, to, size);
    position_ += got;
    return got;
  }
  std::uint64_t file_bytes_done() const override { return position_ - begin_; }

 private:
  std::shared_ptr<const TextBytes> bytes_;
  std::uint64_t begin_;
  std::uint64_t position_;
};

/// One or more gzip members, one after another. Checksums and lengths are checked by zlib at each member's
/// end.
class GzipText : public TextSource {
 public:
  GzipText(const Text& text, std::shared_ptr<const TextBytes> bytes)
      : name_(text.name), bytes_(std::move(bytes)), input_(text.block_bytes) {
    constexpr int gzip_window = 15 + 16;  // zlib: the largest window, gzip wrapping only
    if (inflateInit2(&stream_, gzip_window) != Z_OK)
      throw Error(ExitCode::memory, printable(name_) + ": no memory for unpacking");
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
        fail(name_, "the gzip data ends too early; the file is truncated, copy or download it again");
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
    stream_.avail_in = static_cast<uInt>(bytes_->read(file_position_, input_.data(), input_.size()));
    file_position_ += stream_.avail_in;
  }
  void begin_member() {
    if (*stream_.next_in != 0x1f) {
      fail(name_,
           "something else follows the end of the gzip data; check with 'gzip -t', pack the file again");
    }
    inflateReset(&stream_);
    member_ended_ = false;
  }
  void inflate_some() {
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) throw Error(ExitCode::memory, printable(name_) + ": no memory for unpacking");
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      fail(name_, fmt::format("the gzip data is corrupt ({}); copy or download it again",
                              stream_.msg != nullptr ? stream_.msg : "unknown damage"));
    }
    member_ended_ = result == Z_STREAM_END;
  }

  std::string name_;
  std::shared_ptr<const TextBytes> bytes_;
  std::vector<char> input_;
  z_stream stream_{};
  std::uint64_t file_position_ = 0;
  bool member_ended_ = false;
};

}  // namespace

Text held_open(Text text) {
  text.held = open_bytes(text);
  return text;
}

std::size_t bytes_at(const Text& text, std::uint64_t begin, char* to, std::size_t size) {
  return open_bytes(text)->read(begin, to, size);
}

std::string first_bytes(const Text& text, std::size_t most) {
  std::string bytes(most, '\0');
  bytes.resize(bytes_at(text, 0, bytes.data(), most));
  return bytes;
}

FileState state_of(const Text& text) {
  return open_bytes(text)->state();
}

TextFileInfo inspect_text(const Text& text) {
  const auto bytes = open_bytes(text);
  return {bytes->count(), is_gzip(text.name, *bytes)};
}

std::unique_ptr<TextSource> open_text(const Text& text, std::uint64_t begin) {
  auto bytes = open_bytes(text);
  if (!is_gzip(text.name, *bytes)) return std::make_unique<PlainText>(std::move(bytes), begin);
  auto unpacked = std::make_unique<GzipText>(text, std::move(bytes));
  std::vector<char> skipped(text.block_bytes);
  while (begin > 0) {
    const std::size_t got = unpacked->read(skipped.data(), std::min<std::uint64_t>(begin, skipped.size()));
    if (got == 0) break;
    begin -= got;
  }
  return unpacked;
}

std::uint64_t line_number(const Text& text, std::uint64_t position) {
  const auto source = open_text(text, 0);
  std::vector<char> block(text.block_bytes);
  std::uint64_t line = 1;
  while (position > 0) {
    const std::size_t got = source->read(block.data(), std::min<std::uint64_t>(position, block.size()));
    if (got == 0) break;
    line += static_cast<std::uint64_t>(std::count(block.data(), block.data() + got, '\n'));
    position -= got;
  }
  return line;
}

}  // namespace spmv
