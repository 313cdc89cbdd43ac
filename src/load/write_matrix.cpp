#include "load/write_matrix.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/output_file.hpp"
#include "core/value_type.hpp"
#include "core/value_types.hpp"
#include "dist/row_partition.hpp"
#include "io/matrix_market_writer.hpp"
#include "load/text_pieces.hpp"

namespace spmv {
namespace {

void announce(const WriteProgress& progress, const char* text, double share) {
  if (progress.stage) progress.stage(text, share);
}

/// The file, open on rank 0, with the size of what was written.
class MatrixFile {
 public:
  MatrixFile(const Communicator& communicator, const std::string& path, const WriteProgress& progress)
      : communicator_(communicator), text_(communicator, path) {
    communicator.together([&] {
      if (communicator.rank() != 0) return;
      stream_.emplace(OutputFile(path));
      if (progress.unfinished) progress.unfinished(stream_->temporary_file());
      put(text_.head());
    });
  }

  /// Appends every rank's text, by rank. Collective.
  void append(const std::string& mine) {
    const std::vector<std::string> pieces = communicator_.gather(text_.next(mine));
    communicator_.together([&] {
      for (const std::string& piece : pieces) put(piece);
    });
  }

  /// Puts the file in its place. Collective. Returns its size, on every rank.
  std::uint64_t finish() {
    communicator_.together([&] {
      if (!stream_) return;
      put(text_.tail());
      stream_->finish();
    });
    return static_cast<std::uint64_t>(communicator_.sum(static_cast<gidx>(bytes_)));
  }

 private:
  void put(const std::string& bytes) {
    stream_->write(bytes);
    bytes_ += bytes.size();
  }

  const Communicator& communicator_;
  TextPieces text_;
  std::optional<OutputStream> stream_;  // on rank 0
  std::uint64_t bytes_ = 0;
};

/// Nonzeros of the whole matrix, every rank having counted a share of the rows. Collective.
gidx count_nonzeros(const Communicator& communicator, const RowSource& source,
                    const WriteProgress& progress) {
  const RowPartition rows = RowPartition::even(source.shape().rows, communicator.size());
  const gidx first = rows.first(communicator.rank()), end = first + rows.count(communicator.rank());
  constexpr gidx at_once = 1 << 18;
  gidx nonzeros = 0;
  for (gidx begin = first; begin < end; begin += at_once) {
    announce(progress, "counting nonzeros",
             static_cast<double>(begin - first) / static_cast<double>(end - first));
    const gidx last = std::min(end, begin + at_once);
#pragma omp parallel for schedule(static) reduction(+ : nonzeros)
    for (gidx row = begin; row < last; ++row) nonzeros += source.row_length(row);
  }
  return communicator.sum(nonzeros);
}

}  // namespace

template <class T>
WrittenMatrix write_matrix(const Communicator& communicator, const RowSource& source,
                           const std::string& comment, const std::string& path,
                           const WriteProgress& progress) {
  const Shape shape = source.shape();
  MatrixFile file(communicator, path, progress);
  WrittenMatrix written;
  written.nonzeros = count_nonzeros(communicator, source, progress);
  const bool first_rank = communicator.rank() == 0;
  file.append(first_rank ? matrix_market_head(shape, written.nonzeros, ValueTraits<T>::is_complex, comment)
                         : std::string());

  constexpr double at_once = 1 << 20;  // nonzeros of all ranks together: some 40 MB of text
  const double per_row =
      static_cast<double>(written.nonzeros) / static_cast<double>(std::max<gidx>(1, shape.rows));
  const gidx ranks = communicator.size();
  const auto rows_at_once = std::max<gidx>(1, static_cast<gidx>(at_once / std::max(1.0, per_row)) / ranks);
  for (gidx begin = 0; begin < shape.rows; begin += rows_at_once * ranks) {
    announce(progress, "writing the matrix", static_cast<double>(begin) / static_cast<double>(shape.rows));
    const gidx first = std::min(shape.rows, begin + rows_at_once * communicator.rank());
    const gidx count = std::min(rows_at_once, shape.rows - first);
    file.append(
        communicator.together([&] { return matrix_market_lines(generate_rows<T>(source, first, count)); }));
  }
  announce(progress, "finishing the file", 0);
  written.bytes = file.finish();
  return written;
}

SPMV_INSTANTIATE(write_matrix);

}  // namespace spmv
