// Rows of a Matrix Market file.
#include <algorithm>
#include <complex>

#include <fmt/format.h>

#include "core/printable.hpp"
#include "core/value_types.hpp"
#include "dist/prepare/assemble.hpp"
#include "load/host_memory.hpp"
#include "load/one_triangle.hpp"
#include "load/open_matrix.hpp"

namespace spmv {
namespace {

/// An upper bound of the entries of a file, mirror images included. A header may name any number, but a data line has at
/// least 4 bytes, and compression makes text at most a thousand times shorter.
double most_entries(const MatrixMarketHeader& header) {
  const double text_bytes = static_cast<double>(header.file_bytes) * (header.compressed ? 1000 : 1);
  const double mirrored = header.symmetry == MatrixMarketHeader::Symmetry::general ? 1 : 2;
  return std::min(static_cast<double>(header.stored), text_bytes / 2) * mirrored;
}

/// Refuses a file that was written while it was read.
void require_unchanged(const Communicator& communicator, const OpenMatrix& mine) {
  communicator.together([&] {
    if (state_of(mine.text) != mine.state)
      throw Error(ExitCode::input,
                  fmt::format("{}: the file was written while it was read; run again when nobody writes it",
                              printable(mine.text.name)));
  });
}

}  // namespace

template <class T>
RowBlock<T> read_market(const Communicator& communicator, const OpenMatrix& open,
                        const MatrixMarketHeader& header, const RowPartition& rows,
                        const LoadProgress& progress) {
  const Text& text = open.text;
  check_host_memory<T>(communicator, {header.rows, header.cols}, most_entries(header), true);
  auto part = communicator.together([&] {
    return read_part<T>(text, header, communicator.rank(), communicator.size(),
                        counted(progress.stage, "reading " + text.name));
  });
  require_unchanged(communicator, open);
  const gidx total = communicator.sum(part.stored);
  communicator.together([&] { check_total(text, header, total); });
  const gidx before = communicator.sum_below(part.stored);
  communicator.together([&] { place(part, text, header, before); });
  if (progress.stage) progress.stage("sending entries to their owners", 0);
  require_one_triangle(communicator, text.name, header, part, rows);
  const std::string rounded = rounding_warning(text.name, communicator.sum(part.beyond_exact));
  if (!rounded.empty() && progress.warn) progress.warn(rounded);
  return assemble(communicator, rows, std::move(part.entries));
}

MatrixContents open_market(const Communicator& communicator, const Text& text) {
  return communicator.together([&]() -> MatrixContents { return read_header(text); });
}

std::string describe(MatrixSource& source, const MatrixMarketHeader& h) {
  source.shape = {h.rows, h.cols};
  source.complex = h.field == MatrixMarketHeader::Field::complex;
  source.pattern = h.field == MatrixMarketHeader::Field::pattern;
  source.value = source.complex ? value_name<std::complex<double>>() : value_name<double>();
  source.entries = most_entries(h);
  source.megabytes = static_cast<double>(h.file_bytes) * 1e-6;
  source.description = fmt::format("Matrix Market file, {:.1f} MB", source.megabytes);
  return fmt::format("{} {} {} {} {} {} {} {}", static_cast<int>(h.layout), static_cast<int>(h.field),
                     static_cast<int>(h.symmetry), h.rows, h.cols, h.stored, h.data_begin, h.file_bytes);
}

SPMV_INSTANTIATE(read_market);

}  // namespace spmv
