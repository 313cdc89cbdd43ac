// Rows of a PETSc binary file.
#include <algorithm>
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/printable.hpp"
#include "core/value_types.hpp"
#include "load/host_memory.hpp"
#include "load/open_matrix.hpp"

namespace spmv {
MatrixContents open_petsc(const Communicator& communicator, const Text& text) {
  ParallelFile file =
      communicator.together([&] { return ParallelFile(text.name, ParallelFile::Use::read, text.name); });
  // All ranks use the header that rank 0 reads, so a rank that sees a file of another length notices.
  const std::string bytes = communicator.broadcast(communicator.together([&] {
    std::string first;
    if (communicator.rank() == 0) {
      first.resize(static_cast<std::size_t>(std::min<std::uint64_t>(PetscHeader::most_bytes, file.bytes())));
      file.read_at(0, first.data(), first.size());
    }
    return first;
  }));
  PetscHeader header = communicator.together(
      [&] { return decode_petsc_header(text.name, bytes, file.bytes(), reader(file)); });
  return PetscMatrix{std::move(file), std::move(header)};
}

std::string describe(MatrixSource& source, const PetscMatrix& petsc) {
  const PetscHeader& header = petsc.header;
  source.shape = {header.rows, header.cols};
  source.complex = header.value_bytes == 16;
  source.value = header.value_bytes == 4 ? value_name<float>()
                 : source.complex        ? value_name<std::complex<double>>()
                                         : value_name<double>();
  source.entries = static_cast<double>(header.nonzeros);
  source.megabytes = static_cast<double>(header.end()) * 1e-6;
  source.description = fmt::format("PETSc binary file, {:.1f} MB", source.megabytes);
  return "";  // the header is rank 0's on every rank
}

template <class T>
RowBlock<T> read_petsc(const Communicator& communicator, const OpenMatrix& open, const PetscMatrix& petsc,
                       const RowPartition& rows, const LoadProgress& progress) {
  const PetscHeader& header = petsc.header;
  check_host_memory<T>(communicator, {header.rows, header.cols}, static_cast<double>(header.nonzeros), false);
  if (!header.follower.empty() && progress.warn)
    progress.warn(fmt::format("{}: {} follows the matrix in the file, and is not read",
                              printable(open.text.name), header.follower));
  const int me = communicator.rank();
  const ReadAt read = reader(petsc.file);
  std::vector<offset> row_ptr =
      communicator.together([&] { return read_petsc_row_ptr(header, rows.first(me), rows.count(me), read); });
  const offset nonzeros = row_ptr.back();
  const gidx total = communicator.sum(nonzeros);
  if (total != header.nonzeros)
    throw AgreedError(
        ExitCode::input,
        fmt::format("{}: its rows have {} nonzeros and its header names {}: the file is damaged",
                    printable(open.text.name), total, header.nonzeros));
  const offset before = communicator.sum_below(nonzeros);
  return communicator.together([&] {
    return read_petsc_rows<T>(header, rows.first(me), std::move(row_ptr), before, read,
                              counted(progress.stage, "reading " + open.text.name));
  });
}

SPMV_INSTANTIATE(read_petsc);

}  // namespace spmv
