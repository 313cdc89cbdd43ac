#include "app/scale/points_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/printable.hpp"
#include "core/uninterrupted.hpp"

namespace spmv {
namespace {

[[noreturn]] void refuse_points(const std::string& path, const std::string& what) {
  throw Error(ExitCode::environment, fmt::format("{}: {}", printable(path), what));
}

std::string whole_text(int file, const std::string& path) {
  std::string text;
  char piece[1 << 16];
  for (;;) {
    const ssize_t count = uninterrupted([&] { return ::read(file, piece, sizeof(piece)); });
    if (count < 0) refuse_points(path, fmt::format("cannot be read: {}", std::strerror(errno)));
    if (count == 0) return text;
    text.append(piece, static_cast<std::size_t>(count));
  }
}

}  // namespace

PointsFile::PointsFile(std::string path)
    : path_(std::move(path)), file_(open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  if (file_ < 0) refuse_points(path_, fmt::format("cannot be written: {}", std::strerror(errno)));
  try {
    // Not every file system knows locks; where one does not, two studies at once are the user's to avoid.
    if (uninterrupted([&] { return flock(file_, LOCK_EX | LOCK_NB); }) != 0 && errno == EWOULDBLOCK)
      refuse_points(path_,
                    "another study is writing its points there: wait for its end, or name another file");
    read();
  } catch (...) {
    close(file_);
    throw;
  }
}

PointsFile::~PointsFile() {
  close(file_);
}

void PointsFile::read() {
  const std::string text = whole_text(file_, path_);
  std::size_t begin = 0;
  int number = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string where = fmt::format("{}:{}", printable(path_), ++number);
    lines_.push_back(Json::parse(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                 text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false));
    points_.push_back(point_of(lines_.back(), where));
  }
  torn_ = begin < text.size();
  if (torn_ && uninterrupted([&] { return ftruncate(file_, static_cast<off_t>(begin)); }) != 0)
    refuse_points(path_, fmt::format("its torn last line cannot be cut off: {}", std::strerror(errno)));
}

bool PointsFile::has(const Point& point) const {
  return std::find(points_.begin(), points_.end(), point) != points_.end();
}

void PointsFile::append(const std::vector<Json>& lines) {
  std::string text;
  for (const Json& line : lines) text += text_of(line, -1);
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count =
        uninterrupted([&] { return write(file_, text.data() + written, text.size() - written); });
    if (count < 0) refuse_points(path_, fmt::format("cannot be written: {}", std::strerror(errno)));
    written += static_cast<std::size_t>(count);
  }
  if (fsync(file_) != 0 && errno != EINVAL)
    refuse_points(path_, fmt::format("cannot be written: {}", std::strerror(errno)));
  for (const Json& line : lines) {
    lines_.push_back(line);
    points_.push_back(point_of(line, path_));
  }
}

}  // namespace spmv
