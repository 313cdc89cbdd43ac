// Rows of a .spmv file.
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "load/host_memory.hpp"
#include "load/load_partitions.hpp"
#include "load/open_matrix.hpp"

namespace spmv {
MatrixContents open_binary(const Communicator& communicator, const Text& text) {
  ParallelFile file =
      communicator.together([&] { return ParallelFile(text.name, ParallelFile::Use::read, text.name); });
  // All ranks use the checksums that rank 0 reads, so a rank that sees another file notices.
  const std::string bytes = communicator.broadcast(communicator.together([&] {
    return communicator.rank() == 0 ? read_index(text.name, file.bytes(), reader(file)) : std::string();
  }));
  BinaryIndex index = communicator.together([&] { return decode_index(text.name, bytes, file.bytes()); });
  return BinaryMatrix{std::move(file), std::move(index)};
}

std::string describe(MatrixSource& source, const BinaryMatrix& binary) {
  const BinaryHeader& header = binary.index.header;
  source.shape = {header.rows, header.cols};
  source.pattern = header.value == StoredValue::pattern;
  source.value = type_of(header.value);
  source.complex = header.value == StoredValue::complex32 || header.value == StoredValue::complex64;
  source.entries = static_cast<double>(header.nonzeros);
  source.megabytes = static_cast<double>(binary.index.layout.file_bytes) * 1e-6;
  source.partitions = header.partitions;
  source.description = fmt::format(".spmv file, {:.1f} MB", source.megabytes);
  return "";  // the index is rank 0's on every rank
}

template <class T>
RowBlock<T> read_binary(const Communicator& communicator, const OpenMatrix& open, const BinaryMatrix& binary,
                        const RowPartition& rows, const LoadProgress& progress) {
  const BinaryHeader& header = binary.index.header;
  check_host_memory<T>(communicator, {header.rows, header.cols}, static_cast<double>(header.nonzeros), false);
  const int me = communicator.rank();
  return communicator.together([&] {
    return read_binary_rows<T>(binary.index, rows.first(me), rows.count(me), reader(binary.file),
                               counted(progress.stage, "reading " + open.text.name));
  });
}

Assignment load_partition(const Communicator& communicator, const MatrixSource& source, std::size_t number,
                          const Ownership& read) {
  const auto& binary = std::get<BinaryMatrix>(source.file->contents);
  const PartitionSections& sections = binary.index.layout.partitions[number];
  const int me = communicator.rank();
  const auto parts = [&](const BinarySection& section, const RowPartition& ids) {
    return read_binary_parts(binary.index, source.partitions[number], section, ids.first(me), ids.count(me),
                             reader(binary.file));
  };
  return communicator.together([&] {
    Assignment assignment;
    assignment.rows = parts(sections.rows, read.rows);
    if (!read.square()) assignment.cols = parts(sections.cols, read.cols);
    return assignment;
  });
}

SPMV_INSTANTIATE(read_binary);

}  // namespace spmv
