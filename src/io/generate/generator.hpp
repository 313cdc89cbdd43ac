// Matrices made from a formula instead of a file: `--generate NAME:PARAMETERS`. Free of MPI.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/csr.hpp"
#include "io/progress.hpp"

namespace spmv {

/// A matrix known row by row from a formula. Immutable; safe to use from several threads.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual Shape shape() const = 0;
  /// Upper bound of row_length().
  virtual int longest_row() const = 0;
  virtual int row_length(gidx row) const = 0;
  /// Writes the row's columns, ascending and each once, and its values; both arrays hold longest_row().
  /// Returns row_length(row).
  virtual int row(gidx row, gidx* cols, double* values) const = 0;
  /// One line for people: sizes, physics parameters and units.
  virtual std::string describe() const = 0;
};

/// A row of the table of generators.
struct Generator {
  const char* name;
  const char* parameters;  // as in --help
  const char* example;     // parameters that work
  const char* summary;
  /// Throws Error(usage) that says what is wrong with the parameters.
  std::unique_ptr<RowSource> (*make)(const std::string& parameters);
};

const std::vector<Generator>& generators();

/// The matrix of a specification such as "stencil7:200,200,200". Local; holds small tables, no rows.
/// Throws Error(usage) that names the known generators, or the expected parameters and an example.
std::unique_ptr<RowSource> make_generator(const std::string& specification);

/// Global rows first .. first + count - 1. Local, OpenMP over rows; T is one of the four value types.
/// Tells the calling thread how many of them are made. Throws Error(internal) if the matrix does not have these rows.
template <class T>
RowBlock<T> generate_rows(const RowSource& source, gidx first, gidx count, const Progress& progress = {});

}  // namespace spmv
