// Some rows of a matrix, made to tell what all of them are like. Local.
#pragma once

#include <memory>

#include "core/csr.hpp"
#include "io/generate/generator.hpp"
#include "load/matrix_source.hpp"

namespace spmv {

/// The rows of a generator; for a file, whose header tells how many entries there are and not where, rows of like
/// many, anywhere. Throws Error(usage).
std::shared_ptr<const RowSource> rows_like(const MatrixSource& source);

/// Nonzeros of `count` rows from `first` on: counted where they are at most `few`, otherwise estimated from as
/// many.
double estimate_nonzeros(const RowSource& source, gidx first, gidx count, gidx few);

/// Some slices of the `count` rows from `first` on, behind each other in one block; all of them where they are
/// few.
template <class T>
RowBlock<T> sample_rows(const RowSource& source, gidx first, gidx count, gidx slices);

}  // namespace spmv
