// A file of which every rank reads or writes its part, through MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "comm/communicator.hpp"

namespace spmv {

/// A file that every rank opens by itself, so that opening and closing need no other rank, which may have failed.
/// Ranks use large parts that do not overlap. Move-only; closes the file.
class ParallelFile {
 public:
  enum class Use { read, write };

  /// The file that is at `path`, and is called `name` in messages. Local; throws Error(input), to write
  /// Error(environment), with MPI's reason.
  ParallelFile(const std::string& path, Use use, const std::string& name);
  ~ParallelFile();
  ParallelFile(ParallelFile&&) noexcept;
  ParallelFile& operator=(ParallelFile&&) noexcept;

  /// Its present length. Local; throws as the constructor.
  std::uint64_t bytes() const;
  /// Reads exactly `size` bytes from byte `begin` on; a file that ends before is an error. Local; throws
  /// Error(input).
  void read_at(std::uint64_t begin, void* to, std::size_t size) const;
  /// Writes exactly `size` bytes from byte `begin` on. Local; throws Error(environment).
  void write_at(std::uint64_t begin, const void* from, std::size_t size);
  /// When it returns, what this rank has written is on the disk. Local; throws Error(environment).
  void sync();

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

/// A file that all ranks write together: it appears, or replaces another file, whole or not at all. See NewFile of
/// core/output_file.hpp.
class NewParallelFile {
 public:
  /// Called on rank 0 with the name under which the file is written, so that it can be removed if the process
  /// must end early; with an empty name when that file is gone. May be empty.
  using Drafted = std::function<void(const std::string& name)>;

  /// Collective; throws AgreedError(environment) where there can be no such file.
  NewParallelFile(const Communicator& communicator, const std::string& path, Drafted drafted);
  /// Removes what has been written, unless publish() was called and returned.
  ~NewParallelFile();
  NewParallelFile(const NewParallelFile&) = delete;
  NewParallelFile& operator=(const NewParallelFile&) = delete;

  /// As ParallelFile::write_at. Local.
  void write_at(std::uint64_t begin, const void* from, std::size_t size);
  /// Brings what all ranks have written to the disk, and then to its place. Called once, at the end. Collective;
  /// throws AgreedError(environment), and then an older file is still there.
  void publish();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace spmv
