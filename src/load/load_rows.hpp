// From a file or a generator to rows, spread evenly over the ranks. Nothing here prints.
#pragma once

#include <string>

#include "comm/communicator.hpp"
#include "core/csr.hpp"
#include "dist/row_partition.hpp"
#include "load/matrix_source.hpp"

namespace spmv {

/// Opens a file and reads its header. Its first bytes tell its kind: Matrix Market (plain, compressed by gzip, or alone in
/// a tar archive), .spmv, or PETSc binary. load_rows() reads the file that was opened here, even if `path` becomes another
/// file. Collective; throws AgreedError, also if ranks open different files.
MatrixSource find_file(const Communicator& communicator, const std::string& path);
/// Reads the header of an open file again. Collective; throws AgreedError.
MatrixSource look_again(const Communicator& communicator, const MatrixSource& source);
/// Refuses an archive with more than one matrix, as load_rows() does; for callers that load nothing. Collective; throws
/// AgreedError.
void require_only_one(const Communicator& communicator, const MatrixSource& source);
/// Makes the generator of a specification such as "stencil7:200,200,200". Collective; throws AgreedError.
MatrixSource find_generator(const Communicator& communicator, const std::string& specification);

/// This rank's rows of the partition `rows`, with the ids of the source; columns ascend and none is repeated. No rank
/// ever holds the whole matrix. Collective; throws AgreedError.
template <class T>
RowBlock<T> load_rows(const Communicator& communicator, const MatrixSource& source, const RowPartition& rows,
                      const LoadProgress& progress = {});

}  // namespace spmv
