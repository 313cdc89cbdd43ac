// From a file or a generator to rows, spread evenly over the ranks. Nothing here prints.
#pragma once

#include <string>

#include "comm/communicator.hpp"
#include "core/csr.hpp"
#include "dist/row_partition.hpp"
#include "load/matrix_source.hpp"

namespace spmv {

/// Opens a file of any kind that can be read, known by its first bytes, and reads what it says of itself: Matrix
/// Market, plain or packed, or alone in a tar archive, .spmv, or PETSc binary. What is loaded is what was opened here, whatever becomes of
/// `path` meanwhile. Collective; throws AgreedError, also where ranks have opened files that differ.
MatrixSource find_file(const Communicator& communicator, const std::string& path);
/// A file that find_file() has opened, read once more: what it says of itself now. Collective; throws AgreedError.
MatrixSource look_again(const Communicator& communicator, const MatrixSource& source);
/// Of a matrix in an archive: refuses it where it is not the only one there, as loading it would. For those who do not load
/// it. Collective; throws AgreedError.
void require_only_one(const Communicator& communicator, const MatrixSource& source);
/// Makes the generator of a specification such as "stencil7:200,200,200". Collective; throws AgreedError.
MatrixSource find_generator(const Communicator& communicator, const std::string& specification);

/// This rank's rows in the partition `rows`, ids as in the source; columns ascending, none repeated. No rank
/// ever holds the whole matrix. Collective; throws AgreedError.
template <class T>
RowBlock<T> load_rows(const Communicator& communicator, const MatrixSource& source, const RowPartition& rows,
                      const LoadProgress& progress = {});

}  // namespace spmv
