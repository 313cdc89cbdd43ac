// A file that the user named for the program to write.
#pragma once

#include <memory>
#include <string>

namespace spmv {

/// An output that the user named: checked before a long run, written at its end.
///
/// Symbolic links are followed. A file is replaced whole or not at all: its text goes into a temporary file, which
/// takes its place when it is on the disk; who may read it stays as it was, or is what umask says. The temporary
/// file has no name before that, or, where there was a file before, none but for its last two calls, so that nothing
/// is left of it however the process ends; where the file system has none without a name, it has one beside the file
/// that nothing else has. What cannot be replaced without taking something away is written
/// through: a device such as /dev/null, a pipe, this process's own standard output or error, and a file with
/// several hard links, whose old text is gone when that fails.
class OutputFile {
 public:
  /// Looks where `path` leads, and makes sure that it can be written there, as far as that can be known
  /// beforehand: the folder takes a new file, or what is there may be written. Throws Error(environment).
  /// Local.
  explicit OutputFile(std::string path);

  const std::string& path() const { return path_; }

  /// Writes the text; throws Error(environment) with the reason. Local.
  void write(const std::string& text) const;

 private:
  std::string path_;
};

/// A file that others write, and that is there whole or not at all: it is written under a name of its own beside
/// the one it is for, and takes that place when it is through. Symbolic links are followed.
class NewFile {
 public:
  /// Makes an empty file to be written. Throws Error(environment) where it cannot be made, or where what is at
  /// `path` cannot be replaced: devices, pipes, and files with several hard links. Local.
  explicit NewFile(const std::string& path);
  /// Removes what has been written, unless it has taken its place.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// The name under which it is to be written, in the same folder. Pure.
  const std::string& draft() const;
  /// When all who write it have closed it: brings it to the disk and to its place. Who may read it stays as it
  /// was, or is what umask says. Throws Error(environment). Local, once.
  void take_place();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// A file that is written piece by piece in the way of OutputFile: what is at its path is replaced by finish(),
/// and stays as it was without it. Where OutputFile writes through, so does this. Every failure is an
/// Error(environment) with the reason. Local.
class OutputStream {
 public:
  explicit OutputStream(const OutputFile& file);
  ~OutputStream();
  OutputStream(const OutputStream&) = delete;
  OutputStream& operator=(const OutputStream&) = delete;

  void write(const std::string& piece);
  /// The last call.
  void finish();
  /// The name of what is to be removed if the process has to end before finish(); empty where nothing has to.
  std::string temporary_file() const;

 private:
  class Target;
  std::unique_ptr<Target> target_;
};

/// Whether writing to one path would destroy what is at the other: both lead to one file, which may not exist
/// yet. Streams and devices hold nothing that could be destroyed. Local.
bool same_file(const std::string& one, const std::string& other);

/// Whether there is something at `path`, links followed, that is not a regular file: a folder, a device or a
/// pipe. Local.
bool is_special_file(const std::string& path);

/// Whether `path` leads to /dev/null. Local.
bool is_null_device(const std::string& path);

/// Whether `path` leads where this process's standard output goes, and that is not /dev/null. Local.
bool is_stdout(const std::string& path);

/// Whether the file at `path` belongs to neither this process's user nor root: somebody else decides what is in it. Local.
bool belongs_to_another_user(const std::string& path);

/// Writes the text to standard output, all of it, or throws Error(environment) with the reason. Local.
void write_stdout(const std::string& text);

/// From now on a pipe that nobody reads and a file beyond the limit of `ulimit -f` are errors of the write
/// that meets them, and end no process. For programs, once, at their begin. Local.
void let_writes_fail();

}  // namespace spmv
