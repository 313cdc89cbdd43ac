// Loads a matrix from a file or a generator as one block, for benchmarks of one device.
#pragma once

#include <string>

#include "core/csr.hpp"

namespace spmv {

/// All rows of a Matrix Market file (.mtx or .mtx.gz) or of a generator's specification such as
/// "stencil27:128,128,128": columns ascending, duplicates summed. OpenMP. Throws Error.
template <class T>
RowBlock<T> load_whole(const std::string& name);

/// Columns of a matrix that load_whole() can read.
gidx whole_columns(const std::string& name);

/// The same matrix with local ids. Throws Error(usage) if it is too large for them.
template <class T>
Csr<T> as_one_block(RowBlock<T> whole, gidx cols, const std::string& name);

}  // namespace spmv
