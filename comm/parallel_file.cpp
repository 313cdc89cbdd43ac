#include "comm/parallel_file.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <mpi.h>

#include "comm/mpi_check.hpp"
#include "core/output_file.hpp"
#include "core/printable.hpp"

namespace spmv {

struct ParallelFile::Handle {
  Handle(std::string known_as, Use wanted) : name(std::move(known_as)), use(wanted) {}
  ~Handle() {
    if (file != MPI_FILE_NULL && !mpi_has_ended()) MPI_File_close(&file);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  /// Throws the Error for a failure of this file.
  [[noreturn]] void fail(const std::string& reason) const {
    if (use == Use::read) throw Error(ExitCode::input, printable(name) + ": cannot be read: " + reason);
    throw Error(ExitCode::environment,
                "cannot write " + printable(name) + ": " + reason + "; make room, or name a file elsewhere");
  }
  void check(int status) const {
    if (status != MPI_SUCCESS) fail(mpi_error_text(status));
  }

  std::string name;
  Use use;
  MPI_File file = MPI_FILE_NULL;
};

namespace {

constexpr std::size_t largest_piece = std::size_t{1} << 30;

/// Moves all bytes by calls of move(bytes done, most bytes to move now, status), which may move less. False if a call
/// moves none.
template <class Move>
bool move_all(std::size_t size, const Move& move) {
  for (std::size_t done = 0; done < size;) {
    MPI_Status status;
    move(done, static_cast<int>(std::min(size - done, largest_piece)), &status);
    int moved = 0;
    mpi_check(MPI_Get_count(&status, MPI_BYTE, &moved), "tell how much of a file it has moved");
    if (moved <= 0) return false;
    done += static_cast<std::size_t>(moved);
  }
  return true;
}

/// MPI reads the text before a colon as the kind of file system, unless it is part of a folder's name.
std::string without_prefix(const std::string& path) {
  return path.front() == '/' ? path : "./" + path;
}

}  // namespace

ParallelFile::ParallelFile(const std::string& path, Use use, const std::string& name)
    : handle_(std::make_unique<Handle>(name, use)) {
  const int mode = use == Use::read ? MPI_MODE_RDONLY : MPI_MODE_WRONLY;
  handle_->check(
      MPI_File_open(MPI_COMM_SELF, without_prefix(path).c_str(), mode, MPI_INFO_NULL, &handle_->file));
  handle_->check(MPI_File_set_errhandler(handle_->file, MPI_ERRORS_RETURN));
}

ParallelFile::~ParallelFile() = default;
ParallelFile::ParallelFile(ParallelFile&&) noexcept = default;
ParallelFile& ParallelFile::operator=(ParallelFile&&) noexcept = default;

std::uint64_t ParallelFile::bytes() const {
  MPI_Offset bytes = 0;
  handle_->check(MPI_File_get_size(handle_->file, &bytes));
  return static_cast<std::uint64_t>(bytes);
}

void ParallelFile::read_at(std::uint64_t begin, void* to, std::size_t size) const {
  const auto read = [&](std::size_t done, int most, MPI_Status* status) {
    handle_->check(MPI_File_read_at(handle_->file,
                                    static_cast<MPI_Offset>(begin) + static_cast<MPI_Offset>(done),
                                    static_cast<char*>(to) + done, most, MPI_BYTE, status));
  };
  if (!move_all(size, read))
    handle_->fail("it ends before byte " + std::to_string(begin + size) +
                  ": it was cut while it was read; run again when nobody writes it");
}

void ParallelFile::write_at(std::uint64_t begin, const void* from, std::size_t size) {
  const auto write = [&](std::size_t done, int most, MPI_Status* status) {
    handle_->check(MPI_File_write_at(handle_->file,
                                     static_cast<MPI_Offset>(begin) + static_cast<MPI_Offset>(done),
                                     static_cast<const char*>(from) + done, most, MPI_BYTE, status));
  };
  if (!move_all(size, write)) handle_->fail("the file system takes no more bytes");
}

void ParallelFile::sync() {
  handle_->check(MPI_File_sync(handle_->file));
}

struct NewParallelFile::Parts {
  Parts(Communicator ranks, Drafted tell) : communicator(std::move(ranks)), drafted(std::move(tell)) {}
  ~Parts() { tell(""); }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  void tell(const std::string& name) const {
    if (drafted && communicator.rank() == 0) drafted(name);
  }

  Communicator communicator;
  Drafted drafted;
  std::optional<NewFile> place;  // on rank 0
  std::optional<ParallelFile> file;
};

NewParallelFile::NewParallelFile(const Communicator& communicator, const std::string& path, Drafted drafted)
    : parts_(std::make_unique<Parts>(communicator, std::move(drafted))) {
  communicator.together([&] {
    if (communicator.rank() != 0) return;
    parts_->place.emplace(path);
    parts_->tell(parts_->place->draft());
  });
  const std::string draft = communicator.broadcast(parts_->place ? parts_->place->draft() : "");
  communicator.together([&] { parts_->file.emplace(draft, ParallelFile::Use::write, path); });
}

NewParallelFile::~NewParallelFile() = default;

void NewParallelFile::write_at(std::uint64_t begin, const void* from, std::size_t size) {
  parts_->file->write_at(begin, from, size);
}

void NewParallelFile::publish() {
  parts_->communicator.together([&] {
    parts_->file->sync();
    parts_->file.reset();
  });
  parts_->communicator.together([&] {
    if (parts_->place) parts_->place->take_place();
  });
}

}  // namespace spmv
