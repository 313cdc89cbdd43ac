#include "app/run/load.hpp"

#include <algorithm>
#include <chrono>
#include <complex>

#include <fmt/format.h>
#include <unistd.h>

#include "app/run/one_triangle.hpp"
#include "app/say.hpp"
#include "core/machine_memory.hpp"
#include "core/value_types.hpp"
#include "dist/prepare/assemble.hpp"
#include "io/generate/generator.hpp"
#include "io/matrix_market.hpp"

namespace spmv {
namespace {

/// A bar on rank 0's stderr, if that is a terminal. It appears only when reading takes longer than a second.
class ProgressBar {
 public:
  explicit ProgressBar(bool wanted) : wanted_(wanted && isatty(STDERR_FILENO) == 1) {}
  ~ProgressBar() {
    if (shown_) fmt::print(stderr, "\n");
  }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(double share) {
    const auto now = Clock::now();
    if (!wanted_ || now - start_ < std::chrono::seconds(1) || now - last_ < std::chrono::milliseconds(100))
      return;
    constexpr int width = 50;
    const int full = static_cast<int>(std::clamp(share, 0.0, 1.0) * width);
    fmt::print(stderr, "\rreading [{:=<{}}{: <{}}] {:3.0f} %", "", full, "", width - full, share * 100);
    last_ = now;
    shown_ = true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool wanted_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

/// An estimate from some thousand rows that are spread over the matrix.
double estimated_nonzeros(const RowSource& source) {
  const gidx rows = source.shape().rows;
  const gidx step = std::max<gidx>(1, rows / 4096);
  double nonzeros = 0;
  gidx seen = 0;
  for (gidx row = 0; row < rows; row += step, ++seen) nonzeros += source.row_length(row);
  return seen > 0 ? nonzeros / static_cast<double>(seen) * static_cast<double>(rows) : 0;
}

/// Refuses a matrix that cannot fit the host, before anything large is allocated.
void check_host_memory(const Communicator& communicator, const Shape& shape, double nonzeros) {
  // A nonzero is stored in several forms at the same time: as an entry of 24 bytes on the rank that reads it
  // and on its owner; then in rows with global ids; then in the block and in a format made of it.
  const double bytes_per_nonzero = 64, bytes_per_row = 96, bytes_per_col = 64;
  const int on_node = communicator.node().size();
  const double share = static_cast<double>(on_node) / communicator.size();
  const double needed =
      share * (nonzeros * bytes_per_nonzero + static_cast<double>(shape.rows) * bytes_per_row +
               static_cast<double>(shape.cols) * bytes_per_col);
  const auto free = static_cast<double>(machine_memory().free_bytes);
  communicator.together([&] {
    if (needed > free)
      throw Error(
          ExitCode::memory,
          fmt::format(
              "the matrix needs about {:.1f} GiB of host memory on this node and {:.1f} GiB are free: use "
              "more nodes",
              needed / (1 << 30), free / (1 << 30)));
  });
}

template <class T>
RowBlock<T> read_rows(const Run& run, const std::string& path, const RowPartition& rows) {
  const Communicator& communicator = run.communicator;
  const MatrixMarketHeader header = communicator.together([&] { return read_header(path); });
  // A header may promise anything; but a data line has at least 4 bytes, and compression makes text at best a
  // thousand times shorter.
  const double text_bytes = static_cast<double>(header.file_bytes) * (header.compressed ? 1000 : 1);
  const double mirrored = header.symmetry == MatrixMarketHeader::Symmetry::general ? 1 : 2;
  const double stored = std::min(static_cast<double>(header.stored), text_bytes / 2);
  check_host_memory(communicator, {header.rows, header.cols}, stored * mirrored);
  ProgressBar bar(communicator.rank() == 0);
  auto part = communicator.together([&] {
    return read_part<T>(path, header, communicator.rank(), communicator.size(),
                        [&](std::uint64_t done, std::uint64_t total) {
                          run.watchdog.stage("reading " + path);
                          bar.show(total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1);
                        });
  });
  const gidx total = communicator.sum(part.stored);
  communicator.together([&] { check_total(path, header, total); });
  const gidx before = communicator.sum_below(part.stored);
  communicator.together([&] { place(part, path, header, before); });
  run.watchdog.stage("sending entries to their owners");
  require_one_triangle(communicator, path, header, part, rows);
  const std::string rounded = rounding_warning(path, communicator.sum(part.beyond_exact));
  if (!rounded.empty() && communicator.rank() == 0) say("warning: " + rounded);
  return assemble(communicator, rows, std::move(part.entries));
}

template <class T>
RowBlock<T> make_rows(const Communicator& communicator, const std::string& specification,
                      const RowPartition& rows) {
  const auto source = make_generator(specification);
  check_host_memory(communicator, source->shape(), estimated_nonzeros(*source));
  const int me = communicator.rank();
  return communicator.together([&] { return generate_rows<T>(*source, rows.first(me), rows.count(me)); });
}

}  // namespace

MatrixSource find_source(const Communicator& communicator, const Options& options) {
  return communicator.together([&] {
    MatrixSource source;
    if (!options.generate.empty()) {
      const auto generator = make_generator(options.generate);
      source.shape = generator->shape();
      source.name = options.generate;
      source.description = generator->describe();
      return source;
    }
    const MatrixMarketHeader header = read_header(options.matrix_file);
    source.shape = {header.rows, header.cols};
    source.complex = header.field == MatrixMarketHeader::Field::complex;
    source.name = options.matrix_file;
    source.megabytes = static_cast<double>(header.file_bytes) * 1e-6;
    source.description = fmt::format("Matrix Market file, {:.1f} MB", source.megabytes);
    return source;
  });
}

std::string value_type(const Options& options, const MatrixSource& source) {
  if (options.value != "auto") return options.value;
  return source.complex ? value_name<std::complex<double>>() : value_name<double>();
}

template <class T>
RowBlock<T> load_rows(const Run& run, const RowPartition& rows) {
  run.watchdog.stage("loading the matrix");
  return run.options.generate.empty() ? read_rows<T>(run, run.options.matrix_file, rows)
                                      : make_rows<T>(run.communicator, run.options.generate, rows);
}

SPMV_INSTANTIATE(load_rows);

}  // namespace spmv
