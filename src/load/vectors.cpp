#include "load/vectors.hpp"

#include <numeric>

#include <fmt/format.h>

#include "comm/parallel_file.hpp"
#include "core/printable.hpp"
#include "core/value_types.hpp"
#include "load/text_pieces.hpp"

namespace spmv {
namespace {

template <class T>
std::string as_lines(const std::vector<T>& values) {
  fmt::memory_buffer lines;
  for (const T& value : values) {
    if constexpr (is_complex<T>)
      fmt::format_to(std::back_inserter(lines), "{} {}\n", value.real(), value.imag());
    else
      fmt::format_to(std::back_inserter(lines), "{}\n", value);
  }
  return fmt::to_string(lines);
}

/// As a Matrix Market array. Collective.
template <class T>
void save_text(const Communicator& communicator, const std::string& path, const RowPartition& elements,
               const std::vector<T>& mine, const SaveOptions& options) {
  TextPieces pieces(communicator, path);
  std::string bytes = pieces.next(communicator.together([&] {
    std::string lines = as_lines(mine);
    if (communicator.rank() == 0)
      lines.insert(0, fmt::format("%%MatrixMarket matrix array {} general\n{} 1\n",
                                  is_complex<T> ? "complex" : "real", elements.total()));
    return lines;
  }));
  if (communicator.rank() == 0) bytes.insert(0, pieces.head());
  if (communicator.rank() == communicator.size() - 1) bytes += pieces.tail();
  const gidx begin = communicator.sum_below(static_cast<gidx>(bytes.size()));
  NewParallelFile file(communicator, path, options.drafted);
  communicator.together(
      [&] { file.write_at(static_cast<std::uint64_t>(begin), bytes.data(), bytes.size()); });
  file.publish();
}

/// The vector as a matrix of one column in which every element is stored.
template <class T>
RowBlock<T> as_column(const RowPartition& elements, int rank, const std::vector<T>& mine) {
  RowBlock<T> column;
  column.first_row = elements.first(rank);
  column.row_ptr = std::vector<offset>(mine.size() + 1);
  std::iota(column.row_ptr.begin(), column.row_ptr.end(), offset{0});
  column.col.assign(mine.size(), 0);
  column.value = mine;
  return column;
}

}  // namespace

template <class T>
std::vector<T> load_vector(const Communicator& communicator, const std::string& path,
                           const RowPartition& elements, const LoadProgress& progress) {
  const MatrixSource source = find_file(communicator, path);
  communicator.together([&] {
    if (source.shape.rows != elements.total() || source.shape.cols != 1)
      throw Error(ExitCode::input,
                  fmt::format("{}: it is {} x {}, and the vector must be {} x 1: write one number for every "
                              "column of the matrix",
                              printable(path), source.shape.rows, source.shape.cols, elements.total()));
    if (source.complex && !is_complex<T>)
      throw Error(ExitCode::usage,
                  fmt::format("{} has complex values: take --value complex_double", printable(path)));
  });
  const RowBlock<T> column = load_rows<T>(communicator, source, elements, progress);
  std::vector<T> mine(static_cast<std::size_t>(column.rows()), T(0));
  for (std::size_t i = 0; i < mine.size(); ++i)
    if (column.row_ptr[i] < column.row_ptr[i + 1])
      mine[i] = column.value[static_cast<std::size_t>(column.row_ptr[i])];
  return mine;
}

template <class T>
void save_vector(const Communicator& communicator, const std::string& path, const RowPartition& elements,
                 const std::vector<T>& mine, const SaveOptions& options) {
  if (!path.ends_with(".spmv")) return save_text(communicator, path, elements, mine, options);
  save_matrix(communicator, path, {elements.total(), 1}, elements,
              as_column(elements, communicator.rank(), mine), options);
}

SPMV_INSTANTIATE(load_vector);
SPMV_INSTANTIATE(save_vector);

}  // namespace spmv
