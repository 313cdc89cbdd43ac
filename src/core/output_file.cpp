#include "core/output_file.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>
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

/// How a path is written.
struct Route {
  enum class Way { replace, in_place, stream };
  Way way = Way::replace;
  std::string target;   // behind symbolic links
  int descriptor = -1;  // of a stream that is open already
  mode_t mode = 0;      // of the file that is replaced, or of a new one
};

mode_t mode_of_new_files() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

Route route_to(const std::string& path) {
  Route route;
  const std::optional<Status> status = status_of(path);
  if (!status) {
    if (errno != ENOENT) refuse(path);
    route.target = behind_links(path);
    if (fs::path(route.target).filename().empty()) refuse(path, "it is a folder; name a file in it");
    route.mode = mode_of_new_files();
    return route;
  }
  if (S_ISDIR(status->st_mode)) refuse(path, "it is a folder; name a file in it");
  if (S_ISBLK(status->st_mode)) refuse(path, "it is a whole disk; name a file");
  if (S_ISSOCK(status->st_mode)) refuse(path, "it is a socket; name a file");
  for (const int open : {STDOUT_FILENO, STDERR_FILENO}) {
    Status stream{};
    if (::fstat(open, &stream) != 0 || !same(stream, *status)) continue;
    route.way = Route::Way::stream;
    route.descriptor = open;
    return route;
  }
  if (::access(path.c_str(), W_OK) != 0) refuse(path);
  if (!S_ISREG(status->st_mode)) {
    route.way = Route::Way::stream;
    return route;
  }
  route.target = behind_links(path);
  route.mode = status->st_mode & 07777;
  if (status->st_nlink > 1) route.way = Route::Way::in_place;
  return route;
}

/// A file that takes the place of `target` when it is whole. Until then it has no name, so that nothing is left
/// of it however this process ends; between two calls it has one where it replaces another file. Where others are to
/// write it, or the file system has no files without a name, it has one from the beginning: in the target's folder, one
/// that nothing else has, and that goes with this object.
class Replacement {
 public:
  enum class Name { at_the_end, from_the_begin };

  Replacement(std::string path, const Route& route, Name name)
      : path_(std::move(path)),
        target_(route.target),
        file_(name == Name::at_the_end ? open_without_name() : open_with_name()) {
    if (file_.number() < 0) refuse(path_);
  }
  ~Replacement() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  /// Empty while it has none.
  const std::string& name() const { return name_; }

  void add(const std::string& text) {
    if (!write_all(file_.number(), text)) refuse(path_);
  }
  void take_place(mode_t mode) {
    if (!reach_disk(file_.number(), mode) || !(name_.empty() ? place_without_name(mode) : replace_target()))
      refuse(path_);
    const Descriptor folder(::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.number() >= 0) ::fsync(folder.number());  // not every file system can, and the file is there
  }

 private:
  std::string beginning_of_name() const { return folder_of(target_) + "/.spmv_dist-"; }

  int open_with_name() {
    std::string name = beginning_of_name() + "XXXXXX";
    const int number = ::mkostemp(name.data(), O_CLOEXEC);
    if (number >= 0) name_ = name;
    return number;
  }
  int open_without_name() {
    const std::string folder = folder_of(target_);
    const int number = uninterrupted(
        [&] { return ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR); });
    return number < 0 ? open_with_name() : number;
  }

  static bool reach_disk(int descriptor, mode_t mode) {
    return ::fchmod(descriptor, mode) == 0 && ::fsync(descriptor) == 0;
  }
  bool replace_target() {
    if (!file_.close() || ::rename(name_.c_str(), target_.c_str()) != 0) return false;
    name_.clear();
    return true;
  }
  /// At once where nothing is there yet.
  bool place_without_name(mode_t mode) {
    return link_as(target_) || ((link_under_name() || copy_under_name(mode)) && replace_target());
  }

  /// Gives the file a name, if nothing has it: see O_TMPFILE in open(2).
  bool link_as(const std::string& name) const {
    return ::linkat(AT_FDCWD, fmt::format("/proc/self/fd/{}", file_.number()).c_str(), AT_FDCWD, name.c_str(),
                    AT_SYMLINK_FOLLOW) == 0;
  }
  bool link_under_name() {
    std::random_device draw;
    do {
      const std::string name = beginning_of_name() + fmt::format("{:08x}", draw());
      if (link_as(name)) {
        name_ = name;
        return true;
      }
    } while (errno == EEXIST);
    return false;
  }
  /// Where links are forbidden, or there is no /proc: what has been measured is not lost for that.
  bool copy_under_name(mode_t mode) {
    Descriptor copy(open_with_name());
    if (copy.number() < 0 || ::lseek(file_.number(), 0, SEEK_SET) != 0) return false;
    std::string piece(1 << 20, '\0');
    for (;;) {
      const ssize_t got = uninterrupted([&] { return ::read(file_.number(), piece.data(), piece.size()); });
      if (got < 0 || (got > 0 && !write_all(copy.number(), piece.substr(0, static_cast<std::size_t>(got)))))
        return false;
      if (got == 0) return reach_disk(copy.number(), mode) && copy.close();
    }
  }

  std::string path_, target_, name_;
  Descriptor file_;
};

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  const Route route = route_to(path_);
  if (route.way == Route::Way::replace) const Replacement tried(path_, route, Replacement::Name::at_the_end);
}

void OutputFile::write(const std::string& text) const {
  OutputStream stream(*this);
  stream.write(text);
  stream.finish();
}

/// Where a stream goes: a replacement, or a file that is open.
class OutputStream::Target {
 public:
  explicit Target(const std::string& path) : path_(path), route_(route_to(path)) {
    if (route_.way == Route::Way::replace) {
      replacement_.emplace(path_, route_, Replacement::Name::at_the_end);
    } else if (route_.descriptor >= 0) {
      std::fflush(nullptr);  // what was printed before comes before
    } else {
      const int how = O_WRONLY | O_CLOEXEC | O_NOCTTY | (route_.way == Route::Way::in_place ? O_TRUNC : 0);
      file_.emplace(uninterrupted([&] { return ::open(path_.c_str(), how); }));
      if (file_->number() < 0) refuse(path_);
    }
  }

  void write(const std::string& piece) {
    if (replacement_) return replacement_->add(piece);
    if (!write_all(file_ ? file_->number() : route_.descriptor, piece)) refuse(path_);
  }
  void finish() {
    if (replacement_) return replacement_->take_place(route_.mode);
    if (!file_) return;
    if ((route_.way == Route::Way::in_place && ::fsync(file_->number()) != 0) || !file_->close())
      refuse(path_);
  }
  std::string temporary_file() const { return replacement_ ? replacement_->name() : std::string(); }

 private:
  std::string path_;
  Route route_;
  std::optional<Replacement> replacement_;
  std::optional<Descriptor> file_;
};

OutputStream::OutputStream(const OutputFile& file) : target_(std::make_unique<Target>(file.path())) {}

OutputStream::~OutputStream() = default;

void OutputStream::write(const std::string& piece) {
  target_->write(piece);
}

void OutputStream::finish() {
  target_->finish();
}

std::string OutputStream::temporary_file() const {
  return target_->temporary_file();
}

struct NewFile::Parts {
  Parts(const std::string& path, const Route& route)
      : replacement(path, route, Replacement::Name::from_the_begin), mode(route.mode) {}
  Replacement replacement;
  mode_t mode;
};

NewFile::NewFile(const std::string& path) {
  const Route route = route_to(path);
  if (route.way == Route::Way::stream) refuse(path, "it is no regular file; name one");
  if (route.way == Route::Way::in_place)
    refuse(path, "it has several hard links, and can be replaced under one name only; name another file");
  parts_ = std::make_unique<Parts>(path, route);
}

NewFile::~NewFile() = default;

const std::string& NewFile::draft() const {
  return parts_->replacement.name();
}

void NewFile::take_place() {
  parts_->replacement.take_place(parts_->mode);
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
  struct stat found = {};
  return stat(path.c_str(), &found) == 0 && found.st_uid != geteuid() && found.st_uid != 0;
}

void write_stdout(const std::string& text) {
  if (std::fflush(stdout) != 0 || !write_all(STDOUT_FILENO, text)) refuse("the report to standard output");
}

void let_writes_fail() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
}

}  // namespace spmv
