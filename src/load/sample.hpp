// A sample of the rows of a matrix, from which its memory is estimated. Local.
#pragma once

#include <memory>

#include "core/csr.hpp"
#include "io/generate/generator.hpp"
#include "load/matrix_source.hpp"

namespace spmv {

/// The rows of a generator. The header of a file does not say where its entries are: for a file, rows of the mean length
/// with columns anywhere. Throws Error(usage).
std::shared_ptr<const RowSource> rows_like(const MatrixSource& source);

/// Nonzeros of `count` rows from `first` on: counted if there are at most `few` rows, otherwise estimated from `few` of
/// them.
double estimate_nonzeros(const RowSource& source, gidx first, gidx count, gidx few);

/// A block of `slices` slices of 32 rows, taken from the `count` rows from `first` on; all rows if there are not more.
template <class T>
RowBlock<T> sample_rows(const RowSource& source, gidx first, gidx count, gidx slices);

}  // namespace spmv
