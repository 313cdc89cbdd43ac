#include "core/output_file.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/printable.hpp"
#include "core/uninterrupted.hpp"

namespace spmv {
namespace {

namespace fs = std::filesystem;
using Status = struct stat;

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw Error(ExitCode::environment, fmt::format("cannot write {}: {}", printable(path), reason));
}

/// With what errno says.
[[noreturn]] void refuse(const std::string& path) {
  const int why = errno;
  const char* fix = why == ENOENT || why == EACCES || why == EROFS || why == ENOTDIR
                        ? "; name a file in a folder that exists and can be written"
                    : why == ENOSPC || why == EDQUOT ? "; make room or name a file elsewhere"
                    : why == EFBIG                   ? "; raise the limit (ulimit -f)"
                                                     : "";
  refuse(path, std::strerror(why) + std::string(fix));
}

/// Closes on every way out, unless close() has been called, which tells whether that went well.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  bool close() {
    const int number = std::exchange(number_, -1);
    return number < 0 || ::close(number) == 0;
  }

 private:
  int number_;
};

bool write_all(int descriptor, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote =
        uninterrupted([&] { return ::write(descriptor, text.data() + done, text.size() - done); });
    if (wrote < 0) return false;
    done += static_cast<std::size_t>(wrote);
  }
  return true;
}

std::optional<Status> status_of(const std::string& path) {
  Status status{};
  if (::stat(path.c_str(), &status) == 0) return status;
  return std::nullopt;
}

bool same(const Status& a, const Status& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// Where symbolic links end, also where nothing is there yet.
std::string behind_links(const std::string& path) {
  constexpr int longest_chain = 40;  // as the kernel has it
  fs::path at = path;
  std::error_code error;
  for (int i = 0; i < longest_chain; ++i) {
    if (!fs::is_symlink(fs::symlink_status(at, error))) return at.string();
    const fs::path next = fs::read_symlink(at, error);
    if (error) refuse(path, error.message());
    at = next.is_absolute() ? next : at.parent_path() / next;
  }
  errno = ELOOP;
  refuse(path);
}

/// The same text for every path to one file, also where only its folder is there.
std::string canonical(const std::string& path) {
  const fs::path end = behind_links(path);
  std::error_code error;
  const fs::path folder = fs::canonical(folder_of(end.string()), error);
  return error ? path : (folder / end.filename()).string();
}

/// What a path leads to.
struct Place {
  std::string target;  // behind symbolic links
  mode_t mode = 0;     // of the file that is replaced, or of a new one
  bool stream =
      false;  // a pipe or a device, or this process's own standard output or error: written to, not replaced
  int descriptor = -1;  // of a stream that is open already
};

mode_t mode_of_new_files() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

Place place_of(const std::string& path) {
  const std::optional<Status> status = status_of(path);
  if (!status) {
    if (errno != ENOENT) refuse(path);
    std::string target = behind_links(path);
    if (fs::path(target).filename().empty()) refuse(path, "it is a folder; name a file in it");
    return {.target = std::move(target), .mode = mode_of_new_files()};
  }
  if (S_ISDIR(status->st_mode)) refuse(path, "it is a folder; name a file in it");
  if (S_ISBLK(status->st_mode)) refuse(path, "it is a whole disk; name a file");
  if (S_ISSOCK(status->st_mode)) refuse(path, "it is a socket; name a file");
  for (const int open : {STDOUT_FILENO, STDERR_FILENO}) {
    Status stream{};
    if (::fstat(open, &stream) == 0 && same(stream, *status))
      return {.target = {}, .stream = true, .descriptor = open};
  }
  if (::access(path.c_str(), W_OK) != 0) refuse(path);
  if (!S_ISREG(status->st_mode)) return {.target = {}, .stream = true};
  return {.target = behind_links(path), .mode = status->st_mode & 07777};
}

}  // namespace

struct NewFile::Parts {
  Parts(std::string path_, const Place& place)
      : path(std::move(path_)),
        target(place.target),
        draft(folder_of(target) + "/.spmv_dist-XXXXXX"),
        mode(place.mode),
        file(::mkostemp(draft.data(), O_CLOEXEC)) {
    if (file.number() < 0) refuse(path);
  }
  ~Parts() {
    if (!draft.empty()) ::unlink(draft.c_str());
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  std::string path, target;
  std::string draft;  // empty when it has taken its place
  mode_t mode;
  Descriptor file;
};

NewFile::NewFile(const std::string& path) {
  const Place place = place_of(path);
  if (place.stream) refuse(path, "it is no regular file; name one");
  parts_ = std::make_unique<Parts>(path, place);
}

NewFile::~NewFile() = default;

const std::string& NewFile::draft() const {
  return parts_->draft;
}

void NewFile::write(const std::string& piece) {
  if (!write_all(parts_->file.number(), piece)) refuse(parts_->path);
}

void NewFile::take_place() {
  Parts& p = *parts_;
  if (::fchmod(p.file.number(), p.mode) != 0 || ::fsync(p.file.number()) != 0 || !p.file.close() ||
      ::rename(p.draft.c_str(), p.target.c_str()) != 0)
    refuse(p.path);
  p.draft.clear();
  const Descriptor folder(::open(folder_of(p.target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.number() >= 0) ::fsync(folder.number());  // some file systems cannot, and the file is there
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  const Place place = place_of(path_);
  if (place.stream) return;
  // A file without a name leaves nothing behind if a signal ends the process right here. Not all file systems have them.
  const Descriptor unnamed(
      ::open(folder_of(place.target).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (unnamed.number() < 0) const NewFile tried(path_);
}

void OutputFile::write(const std::string& text) const {
  OutputStream stream(*this);
  stream.write(text);
  stream.finish();
}

/// Either a new file, or a pipe or device that was opened, or a stream that was open.
struct OutputStream::Target {
  explicit Target(const std::string& to) : path(to) {
    const Place place = place_of(path);
    open_already = place.descriptor;
    if (!place.stream) {
      file.emplace(path);
    } else if (open_already >= 0) {
      std::fflush(nullptr);  // what was printed before comes before
    } else {
      opened.emplace(uninterrupted([&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY); }));
      if (opened->number() < 0) refuse(path);
    }
  }

  std::string path;
  std::optional<NewFile> file;
  std::optional<Descriptor> opened;
  int open_already = -1;
};

OutputStream::OutputStream(const OutputFile& file) : target_(std::make_unique<Target>(file.path())) {}

OutputStream::~OutputStream() = default;

void OutputStream::write(const std::string& piece) {
  if (target_->file) return target_->file->write(piece);
  if (!write_all(target_->opened ? target_->opened->number() : target_->open_already, piece))
    refuse(target_->path);
}

void OutputStream::finish() {
  if (target_->file) return target_->file->take_place();
  if (target_->opened && !target_->opened->close()) refuse(target_->path);
}

std::string OutputStream::temporary_file() const {
  return target_->file ? target_->file->draft() : std::string();
}

bool same_file(const std::string& one, const std::string& other) {
  const std::optional<Status> first = status_of(one), second = status_of(other);
  if (first && second) return S_ISREG(first->st_mode) && same(*first, *second);
  return !first && !second && canonical(one) == canonical(other);
}

bool is_special_file(const std::string& path) {
  const std::optional<Status> status = status_of(path);
  return status && !S_ISREG(status->st_mode);
}

bool is_null_device(const std::string& path) {
  const std::optional<Status> status = status_of(path), null = status_of("/dev/null");
  return status && null && S_ISCHR(status->st_mode) && status->st_rdev == null->st_rdev;
}

bool is_stdout(const std::string& path) {
  Status own{};
  const std::optional<Status> status = status_of(path);
  return status && ::fstat(STDOUT_FILENO, &own) == 0 && same(own, *status) && !is_null_device(path);
}

bool belongs_to_another_user(const std::string& path) {
  const std::optional<Status> status = status_of(path);
  return status && status->st_uid != ::geteuid() && status->st_uid != 0;
}

void write_stdout(const std::string& text) {
  if (std::fflush(stdout) != 0 || !write_all(STDOUT_FILENO, text)) refuse("the report to standard output");
}

void let_writes_fail() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
}

}  // namespace spmv
