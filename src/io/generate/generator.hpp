// Matrices from a formula instead of a file: `--generate NAME:PARAMETERS`. Knows no MPI.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/csr.hpp"
#include "io/progress.hpp"

namespace spmv {

/// A matrix that is given row by row by a formula. Immutable; several threads may use it.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual Shape shape() const = 0;
  /// Upper bound of row_length().
  virtual int longest_row() const = 0;
  virtual int row_length(gidx row) const = 0;
  /// Writes the columns of the row, ascending and each once, and its values; both arrays have longest_row() elements.
  /// Returns row_length(row).
  virtual int row(gidx row, gidx* cols, double* values) const = 0;
  /// One line for people: sizes, physical parameters and units.
  virtual std::string describe() const = 0;
};

/// Appends nonzeros to the two arrays of RowSource::row().
struct RowWriter {
  gidx* cols;
  double* values;
  int length = 0;

  void put(gidx col, double value) {
    cols[length] = col;
    values[length++] = value;
  }
};

/// A row of the table of generators.
struct Generator {
  const char* name;
  const char* parameters;  // as --help shows them
  const char* example;     // valid parameters
  const char* summary;
  /// Throws Error(usage), which says what is wrong with the parameters.
  std::unique_ptr<RowSource> (*make)(const std::string& parameters);
};

const std::vector<Generator>& generators();

/// The matrix of a specification such as "stencil7:200,200,200". It keeps small tables, no rows. Local. Throws Error(usage),
/// which names the known generators, or the expected parameters and an example.
std::unique_ptr<RowSource> make_generator(const std::string& specification);

/// Global rows first .. first + count - 1, made by all OpenMP threads. The calling thread calls `progress` with the number of
/// rows made so far. Local. Throws Error(internal) if the matrix does not have these rows.
template <class T>
RowBlock<T> generate_rows(const RowSource& source, gidx first, gidx count, const Progress& progress = {});

}  // namespace spmv
