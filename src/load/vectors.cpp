#include "load/vectors.hpp"

#include <fmt/format.h>

#include "comm/parallel_file.hpp"
#include "core/printable.hpp"
#include "core/value_types.hpp"
#include "load/text_pieces.hpp"

namespace spmv {
namespace {

/// Of one column of a multivector.
template <class T>
std::string as_lines(const std::vector<T>& values, int column, int columns) {
  fmt::memory_buffer lines;
  for (std::size_t i = static_cast<std::size_t>(column); i < values.size();
       i += static_cast<std::size_t>(columns)) {
    const T& value = values[i];
    if constexpr (is_complex<T>)
      fmt::format_to(std::back_inserter(lines), "{} {}\n", value.real(), value.imag());
    else
      fmt::format_to(std::back_inserter(lines), "{}\n", value);
  }
  return fmt::to_string(lines);
}

/// As a Matrix Market array, which has one column after the other. Collective.
template <class T>
void save_text(const Communicator& communicator, const std::string& path, const RowPartition& elements,
               const std::vector<T>& mine, const SaveOptions& options, int columns) {
  TextPieces pieces(communicator, path);
  NewParallelFile file(communicator, path, options.drafted);
  gidx before = 0;
  for (int column = 0; column < columns; ++column) {
    std::string bytes = pieces.next(communicator.together([&] {
      std::string lines = as_lines(mine, column, columns);
      if (communicator.rank() == 0 && column == 0)
        lines.insert(0, fmt::format("%%MatrixMarket matrix array {} general\n{} {}\n",
                                    is_complex<T> ? "complex" : "real", elements.total(), columns));
      return lines;
    }));
    if (communicator.rank() == 0 && column == 0) bytes.insert(0, pieces.head());
    if (communicator.rank() == communicator.size() - 1 && column + 1 == columns) bytes += pieces.tail();
    const auto size = static_cast<gidx>(bytes.size());
    const gidx begin = before + communicator.sum_below(size);
    communicator.together(
        [&] { file.write_at(static_cast<std::uint64_t>(begin), bytes.data(), bytes.size()); });
    before += communicator.sum(size);
  }
  file.publish();
}

/// The multivector as a matrix in which every element is stored.
template <class T>
RowBlock<T> as_matrix(const RowPartition& elements, int rank, const std::vector<T>& mine, int columns) {
  RowBlock<T> block;
  block.first_row = elements.first(rank);
  block.row_ptr.clear();
  for (std::size_t i = 0; i <= mine.size(); i += static_cast<std::size_t>(columns))
    block.row_ptr.push_back(static_cast<offset>(i));
  for (std::size_t i = 0; i < mine.size(); ++i)
    block.col.push_back(static_cast<gidx>(i % static_cast<std::size_t>(columns)));
  block.value = mine;
  return block;
}

}  // namespace

template <class T>
std::vector<T> load_vector(const Communicator& communicator, const std::string& path,
                           const RowPartition& elements, const LoadProgress& progress, int columns) {
  const MatrixSource source = find_file(communicator, path);
  communicator.together([&] {
    if (source.shape.rows != elements.total() || source.shape.cols != columns)
      throw Error(
          ExitCode::input,
          fmt::format(
              "{}: it is {} x {}, and the vector must be {} x {}: write {} for every "
              "column of the matrix",
              printable(path), source.shape.rows, source.shape.cols, elements.total(), columns,
              columns == 1 ? std::string("one number") : fmt::format("a row of {} numbers", columns)));
    if (source.complex && !is_complex<T>)
      throw Error(ExitCode::usage,
                  fmt::format("{} has complex values: take --value complex_double", printable(path)));
  });
  const RowBlock<T> block = load_rows<T>(communicator, source, elements, progress);
  const auto width = static_cast<std::size_t>(columns), rows = static_cast<std::size_t>(block.rows());
  std::vector<T> mine(rows * width, T(0));
  for (std::size_t row = 0; row < rows; ++row)
    for (auto k = static_cast<std::size_t>(block.row_ptr[row]);
         k < static_cast<std::size_t>(block.row_ptr[row + 1]); ++k)
      mine[row * width + static_cast<std::size_t>(block.col[k])] = block.value[k];
  return mine;
}

template <class T>
void save_vector(const Communicator& communicator, const std::string& path, const RowPartition& elements,
                 const std::vector<T>& mine, const SaveOptions& options, int columns) {
  if (!path.ends_with(".spmv")) return save_text(communicator, path, elements, mine, options, columns);
  save_matrix(communicator, path, {elements.total(), columns}, elements,
              as_matrix(elements, communicator.rank(), mine, columns), options);
}

SPMV_INSTANTIATE(load_vector);
SPMV_INSTANTIATE(save_vector);

}  // namespace spmv
