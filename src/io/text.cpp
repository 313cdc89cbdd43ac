#include "io/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "core/error.hpp"
#include "core/printable.hpp"
#include "core/uninterrupted.hpp"
#include "io/archive.hpp"
#include "io/input_checks.hpp"
#include "io/tar.hpp"

namespace spmv {

class TextBytes {
 public:
  virtual ~TextBytes() = default;
  /// Number of bytes, at least 1.
  virtual std::uint64_t count() const = 0;
  /// Writes up to `size` bytes from byte `begin` on. Returns their number; 0 only at the end.
  virtual std::size_t read(std::uint64_t begin, char* to, std::size_t size) const = 0;
  virtual FileState state() const { return {}; }
};

namespace {

constexpr const char* empty_file = "the file is empty; write or download it again";

/// A regular file, open for reading.
class File : public TextBytes {
 public:
  explicit File(const std::string& path)
      : path_(path),
        descriptor_(uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); })) {
    if (descriptor_ < 0 && errno == ENOENT) refuse(path, "no such file; check the path");
    if (descriptor_ < 0) refuse(path, "cannot be opened: {}", std::strerror(errno));
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
    if (got < 0) refuse(path_, "cannot be read: {}", std::strerror(errno));
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
    if (::fstat(descriptor_, &status) != 0) refuse(path_, "cannot be read: {}", std::strerror(errno));
    return status;
  }
  void inspect() {
    const struct stat status = look();
    if (S_ISDIR(status.st_mode)) refuse(path_, "is a directory; name a file in it");
    if (!S_ISREG(status.st_mode)) refuse(path_, "is not a regular file; save its text in one first");
    if (status.st_size == 0) refuse(path_, empty_file);
    count_ = static_cast<std::uint64_t>(status.st_size);
  }

  std::string path_;
  int descriptor_;
  std::uint64_t count_ = 0;
};

class Memory : public TextBytes {
 public:
  Memory(const std::string& name, std::string_view bytes) : bytes_(bytes) {
    if (bytes.empty()) refuse(name, empty_file);
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

bool is_gzip(const TextBytes& bytes) {
  std::array<char, 2> first{};
  return std::string_view(first.data(), bytes.read(0, first.data(), first.size())) == "\x1f\x8b";
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

/// One or more gzip members, one after another. zlib checks the checksum and the length at the end of each.
class GzipText : public TextSource {
 public:
  GzipText(const Text& text, std::shared_ptr<const TextBytes> bytes)
      : name_(text.file_name()), bytes_(std::move(bytes)), input_(text.block_bytes) {
    constexpr int gzip_window = 15 + 16;  // for zlib: the largest window, gzip format only
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
      if (stream_.avail_in == 0)
        refuse(name_, "the gzip data ends too early; the file is truncated, copy or download it again");
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
    if (*stream_.next_in != 0x1f)
      refuse(name_,
             "something else follows the end of the gzip data; check with 'gzip -t', pack the file again");
    inflateReset(&stream_);
    member_ended_ = false;
  }
  void inflate_some() {
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) throw Error(ExitCode::memory, printable(name_) + ": no memory for unpacking");
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
      refuse(name_, "the gzip data is corrupt ({}); copy or download it again",
             stream_.msg != nullptr ? stream_.msg : "unknown damage");
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
  return {bytes->count(), is_gzip(*bytes) || !text.member.empty()};
}

std::unique_ptr<TextSource> open_text(const Text& text, std::uint64_t begin) {
  auto bytes = open_bytes(text);
  const bool packed = is_gzip(*bytes);
  if (!packed && text.member.empty()) return std::make_unique<PlainText>(std::move(bytes), begin);
  std::unique_ptr<TextSource> source;
  if (packed)
    source = std::make_unique<GzipText>(text, std::move(bytes));
  else
    source = std::make_unique<PlainText>(std::move(bytes), 0);
  if (!text.member.empty()) source = open_archived(text.file_name(), std::move(source)).text;
  skip_bytes(*source, begin);
  return source;
}

std::string first_of_text(const Text& text, std::size_t most) {
  const auto source = open_text(text, 0);
  std::string bytes(most, '\0');
  bytes.resize(read_full(*source, bytes.data(), most));
  return bytes;
}

void read_to_end(const Text& text) {
  skip_bytes(*open_text(text, 0), std::numeric_limits<std::uint64_t>::max());
}

Text in_archive(Text text) {
  if (!text.member.empty() || !TarReader::begins(first_of_text(text, TarReader::block_bytes))) return text;
  text.member = open_archived(text.name, open_text(text, 0)).name;
  text.name += ":" + text.member;
  return text;
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
