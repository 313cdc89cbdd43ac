// Files for one test on all ranks.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "support/mpi_test.hpp"
#include "support/temporary_folder.hpp"

namespace spmv::test {

/// One folder for all ranks of world(); rank 0 creates and removes it. Everything but path() is Collective.
class SharedFolder {
 public:
  SharedFolder() {
    if (world().rank() == 0) folder_ = std::make_unique<TemporaryFolder>();
    path_ = world().broadcast(folder_ ? folder_->path("") : std::string());
  }
  ~SharedFolder() { world().barrier(); }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }
  /// Rank 0 writes `text` to a new or an existing file; all ranks get its path.
  std::string write(const std::string& name, const std::string& text) const {
    if (folder_) folder_->write(name, text);
    world().barrier();
    return path(name);
  }
  /// Replaces a file by another one (a new inode), as an editor or a download does.
  void replace(const std::string& old, const std::string& by) const {
    if (folder_) std::filesystem::rename(path(by), path(old));
    world().barrier();
  }

 private:
  std::unique_ptr<TemporaryFolder> folder_;  // on rank 0
  std::string path_;
};

}  // namespace spmv::test
