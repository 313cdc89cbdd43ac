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

namespace spmv {
namespace {

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  File& operator=(File&&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

class SharedPages final : public SharedMemory {
 public:
  SharedPages(File file, std::size_t bytes) : file_(std::move(file)), bytes_(bytes) {
    void* at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
    if (at == MAP_FAILED)
      throw Error(ExitCode::memory,
                  fmt::format("cannot map {} bytes of shared memory: {}", bytes_, std::strerror(errno)));
    at_ = static_cast<std::byte*>(at);
  }
  ~SharedPages() override { munmap(at_, bytes_); }
  SharedPages(const SharedPages&) = delete;
  SharedPages& operator=(const SharedPages&) = delete;
  std::byte* data() const override { return at_; }
  std::string handle() const override { return fmt::format("/proc/{}/fd/{}", getpid(), file_.get()); }

 private:
  File file_;
  std::size_t bytes_;
  std::byte* at_ = nullptr;
};

}  // namespace

std::unique_ptr<SharedMemory> allocate_shared_pages(std::size_t bytes) {
  File file(memfd_create("spmv_dist", MFD_CLOEXEC));
  if (file.get() < 0 || ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
    throw Error(ExitCode::memory,
                fmt::format("cannot make {} bytes of shared memory: {}", bytes, std::strerror(errno)));
  return std::make_unique<SharedPages>(std::move(file), bytes);
}

std::unique_ptr<SharedMemory> map_shared_pages(const std::string& handle) {
  File file(open(handle.c_str(), O_RDWR | O_CLOEXEC));
  struct stat status {};
  if (file.get() < 0 || fstat(file.get(), &status) != 0)
    throw Error(ExitCode::environment,
                fmt::format("cannot open another rank's shared memory {}: {}; use another transport", handle,
                            std::strerror(errno)));
  return std::make_unique<SharedPages>(std::move(file), static_cast<std::size_t>(status.st_size));
}

}  // namespace spmv
