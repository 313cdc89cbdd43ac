// A file that the user named for the program to write.
#pragma once

#include <memory>
#include <string>

namespace spmv {

/// An output that the user named: checked before a long run, written at its end.
///
/// Symbolic links are followed. A file is replaced whole or not at all: its text goes into a NewFile. A device such as
/// /dev/null, a pipe, and this process's own standard output or error are written to as they are.
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

/// A file that is there whole or not at all: it is written under a unique name beside its place, with mode 0600, and takes
/// its place when it is complete. Symbolic links are followed. Every failure is an Error(environment) with the reason. A
/// process that is killed leaves the draft behind.
class NewFile {
 public:
  /// Makes an empty file to be written. Throws where it cannot be made, or where `path` leads to a device or a pipe. Local.
  explicit NewFile(const std::string& path);
  /// Removes what has been written, unless it has taken its place.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// The name under which it is to be written, in the same folder; empty when it has taken its place. Pure.
  const std::string& draft() const;
  /// Appends. Others may write the draft, too. Local.
  void write(const std::string& piece);
  /// When all who write it have closed it: brings it to the disk and to its place. Who may read it stays as it
  /// was, or is what umask says. Local, once.
  void take_place();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// A file that is written piece by piece in the way of OutputFile: what is at its path is replaced by finish(),
/// and stays as it was without it. Every failure is an Error(environment) with the reason. Local.
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
  struct Target;
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
