#include "load/load_rows.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/machine_memory.hpp"
#include "core/printable.hpp"
#include "core/value_types.hpp"
#include "dist/prepare/assemble.hpp"
#include "io/generate/generator.hpp"
#include "io/matrix_market.hpp"
#include "load/memory_needs.hpp"
#include "load/one_triangle.hpp"
#include "load/sample.hpp"

namespace spmv {

struct OpenMatrix {
  Text text;  // held open
  FileState state;
  MatrixMarketHeader header;
};

namespace {

/// Refuses a matrix that cannot fit the host, before anything large is allocated: what its rows, in plain CSR
/// and in the best order of a file, need on the ranks of this node.
template <class T>
void check_host_memory(const Communicator& communicator, const Shape& shape, double nonzeros,
                       bool from_file) {
  const double ranks = communicator.size();
  RankShare share;
  share.rows = static_cast<double>(shape.rows) / ranks;
  share.cols = static_cast<double>(shape.cols) / ranks;
  share.nonzeros = nonzeros / ranks;
  share.value_bytes = sizeof(T);
  share.from_file = from_file;
  const double needed = communicator.node().size() * memory_needs(share).host_peak(true);
  const auto free = static_cast<double>(machine_memory().free_bytes);
  communicator.together([&] {
    require_enough_ranks(shape, communicator.size());
    if (needed > free)
      throw Error(
          ExitCode::memory,
          fmt::format(
              "the matrix needs about {:.1f} GiB of host memory on this node and {:.1f} GiB are free: use "
              "more nodes",
              needed / (1 << 30), free / (1 << 30)));
  });
}

/// Entries of a file, with mirror images. A header may promise anything; but a data line has at least 4 bytes,
/// and compression makes text at best a thousand times shorter.
double most_entries(const MatrixMarketHeader& header) {
  const double text_bytes = static_cast<double>(header.file_bytes) * (header.compressed ? 1000 : 1);
  const double mirrored = header.symmetry == MatrixMarketHeader::Symmetry::general ? 1 : 2;
  return std::min(static_cast<double>(header.stored), text_bytes / 2) * mirrored;
}

/// Refuses a file that is not the same on all ranks. Nodes may have copies; on one node it must be one file.
void require_same_file(const Communicator& communicator, const OpenMatrix& mine) {
  const MatrixMarketHeader& h = mine.header;
  const FileState& s = mine.state;
  const std::string header =
      fmt::format("{} {} {} {} {} {} {} {}", static_cast<int>(h.layout), static_cast<int>(h.field),
                  static_cast<int>(h.symmetry), h.rows, h.cols, h.stored, h.data_begin, h.file_bytes);
  const std::string file = fmt::format("{} {} {}", s.device, s.inode, s.written_ns);
  const bool differs =
      communicator.broadcast(header) != header || communicator.node().broadcast(file) != file;
  communicator.together([&] {
    if (differs)
      throw Error(
          ExitCode::input,
          fmt::format("{}: rank {} has opened another file than the first rank: it was replaced, or the "
                      "nodes have different ones; run again when nobody writes it",
                      printable(mine.text.name), communicator.rank()));
  });
}

/// Refuses what was read of a file that somebody wrote meanwhile.
void require_unchanged(const Communicator& communicator, const OpenMatrix& mine) {
  communicator.together([&] {
    if (state_of(mine.text) != mine.state)
      throw Error(ExitCode::input,
                  fmt::format("{}: the file was written while it was read; run again when nobody writes it",
                              printable(mine.text.name)));
  });
}

template <class T>
RowBlock<T> read_rows(const Communicator& communicator, const OpenMatrix& open, const RowPartition& rows,
                      const LoadProgress& progress) {
  const MatrixMarketHeader& header = open.header;
  const Text& text = open.text;
  check_host_memory<T>(communicator, {header.rows, header.cols}, most_entries(header), true);
  const auto stage = [&](const std::string& words) {
    if (progress.stage) progress.stage(words);
  };
  auto part = communicator.together([&] {
    return read_part<T>(
        text, header, communicator.rank(), communicator.size(), [&](std::uint64_t done, std::uint64_t total) {
          stage("reading " + text.name);
          if (!progress.read) return;
          progress.read(total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1);
        });
  });
  require_unchanged(communicator, open);
  const gidx total = communicator.sum(part.stored);
  communicator.together([&] { check_total(text, header, total); });
  const gidx before = communicator.sum_below(part.stored);
  communicator.together([&] { place(part, text, header, before); });
  stage("sending entries to their owners");
  require_one_triangle(communicator, text.name, header, part, rows);
  const std::string rounded = rounding_warning(text.name, communicator.sum(part.beyond_exact));
  if (!rounded.empty() && progress.warn) progress.warn(rounded);
  return assemble(communicator, rows, std::move(part.entries));
}

template <class T>
RowBlock<T> make_rows(const Communicator& communicator, const std::string& specification,
                      const RowPartition& rows) {
  const auto source = make_generator(specification);
  constexpr gidx looked_at = 4096;  // rows
  check_host_memory<T>(communicator, source->shape(),
                       estimate_nonzeros(*source, 0, source->shape().rows, looked_at), false);
  const int me = communicator.rank();
  return communicator.together([&] { return generate_rows<T>(*source, rows.first(me), rows.count(me)); });
}

}  // namespace

MatrixSource find_file(const Communicator& communicator, const std::string& path) {
  MatrixSource source = communicator.together([&] {
    auto open = std::make_shared<OpenMatrix>(OpenMatrix{held_open(path), {}, {}});
    open->state = state_of(open->text);
    open->header = read_header(open->text);
    const MatrixMarketHeader& header = open->header;
    MatrixSource found;
    found.name = path;
    found.shape = {header.rows, header.cols};
    found.complex = header.field == MatrixMarketHeader::Field::complex;
    found.entries = most_entries(header);
    found.megabytes = static_cast<double>(header.file_bytes) * 1e-6;
    found.description = fmt::format("Matrix Market file, {:.1f} MB", found.megabytes);
    found.file = std::move(open);
    return found;
  });
  require_same_file(communicator, *source.file);
  return source;
}

MatrixSource find_generator(const Communicator& communicator, const std::string& specification) {
  return communicator.together([&] {
    const auto generator = make_generator(specification);
    MatrixSource source;
    source.generated = true;
    source.name = specification;
    source.shape = generator->shape();
    source.description = generator->describe();
    return source;
  });
}

template <class T>
RowBlock<T> load_rows(const Communicator& communicator, const MatrixSource& source, const RowPartition& rows,
                      const LoadProgress& progress) {
  return source.generated ? make_rows<T>(communicator, source.name, rows)
                          : read_rows<T>(communicator, *source.file, rows, progress);
}

SPMV_INSTANTIATE(load_rows);

}  // namespace spmv
