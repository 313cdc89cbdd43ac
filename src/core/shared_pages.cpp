#include "core/shared_pages.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/lent_token.hpp"

namespace spmv {
namespace {

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  ~File() { close(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  File& operator=(File&&) = delete;
  int get() const { return descriptor_; }
  void close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }

 private:
  int descriptor_;
};

/// All of a file, whose last bytes are a token.
class Pages {
 public:
  Pages(const File& file, std::size_t bytes) : bytes_(bytes) {
    void* at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (at == MAP_FAILED)
      throw Error(ExitCode::memory,
                  fmt::format("cannot map {} bytes of shared memory: {}", bytes_, std::strerror(errno)));
    at_ = static_cast<std::byte*>(at);
  }
  ~Pages() { munmap(at_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  std::byte* data() const { return at_; }
  std::byte* token() const { return at_ + bytes_ - sizeof(LentToken); }

 private:
  std::size_t bytes_;
  std::byte* at_ = nullptr;
};

class LentPages final : public LentMemory {
 public:
  LentPages(File file, std::size_t bytes) : file_(std::move(file)), pages_(file_, bytes) {
    std::memcpy(pages_.token(), token_.data(), token_.size());
  }
  std::byte* data() const override { return pages_.data(); }
  std::string handle() const override {
    return to_string(LentHandle{token_, fmt::format("/proc/{}/fd/{}", getpid(), file_.get())});
  }
  void end_lending() override { file_.close(); }

 private:
  LentToken token_ = draw_token();
  File file_;
  Pages pages_;
};

class MappedPages final : public SharedMemory {
 public:
  MappedPages(const File& file, std::size_t bytes, const LentHandle& handle) : pages_(file, bytes) {
    LentToken found;
    std::memcpy(found.data(), pages_.token(), found.size());
    require_lent(found, handle);
  }
  std::byte* data() const override { return pages_.data(); }

 private:
  Pages pages_;
};

[[noreturn]] void refuse_allocation(std::size_t bytes) {
  const bool files = errno == EMFILE || errno == ENFILE;
  throw Error(
      files ? ExitCode::environment : ExitCode::memory,
      fmt::format("cannot make {} bytes of shared memory: {}{}", bytes, std::strerror(errno),
                  files ? "; raise the limit of open files (ulimit -n) or use another transport" : ""));
}

/// Throws Error(environment) for errno, which an attempt to open `name` has left.
[[noreturn]] void refuse_name(const std::string& name) {
  const int reason = errno;
  const char* cause = "";
  if (reason == EACCES || reason == EPERM)
    cause =
        ", as where ranks run in user namespaces of their own (rootless containers), or the program's file may be executed but "
        "not read";
  if (reason == ENOENT)
    cause = ", as where ranks run in PID namespaces of their own (containers), or without /proc";
  throw Error(ExitCode::environment,
              fmt::format("cannot open {}: {}{}; use another transport", name, std::strerror(reason), cause));
}

/// Whether these are pages that may end with a token: what else a name may mean is not even opened.
bool may_be_lent(const struct stat& status) {
  return S_ISREG(status.st_mode) && status.st_size > static_cast<off_t>(sizeof(LentToken));
}

}  // namespace

std::unique_ptr<LentMemory> allocate_shared_pages(std::size_t bytes) {
  const std::size_t all = bytes + sizeof(LentToken);
  File file(memfd_create("spmv_dist", MFD_CLOEXEC));
  if (file.get() < 0 || ftruncate(file.get(), static_cast<off_t>(all)) != 0) refuse_allocation(bytes);
  return std::make_unique<LentPages>(std::move(file), all);
}

std::unique_ptr<SharedMemory> map_shared_pages(const std::string& text) {
  const LentHandle handle = parse_lent_handle(text);
  struct stat status {};
  if (stat(handle.name.c_str(), &status) != 0) refuse_name(handle.name);
  if (!may_be_lent(status)) require_lent({}, handle);
  const File file(open(handle.name.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0 || fstat(file.get(), &status) != 0) refuse_name(handle.name);
  if (!may_be_lent(status)) require_lent({}, handle);
  return std::make_unique<MappedPages>(file, static_cast<std::size_t>(status.st_size), handle);
}

}  // namespace spmv
