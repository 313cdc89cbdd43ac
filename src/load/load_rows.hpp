// From a file or a generator to rows, spread evenly over the ranks. Nothing here prints.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "core/csr.hpp"
#include "dist/row_partition.hpp"
#include "io/binary/binary_header.hpp"
#include "load/stage.hpp"

namespace spmv {

/// An open file and its header.
struct OpenMatrix;

/// A file or a generator, with what is known before any row is loaded. Cheap to copy.
struct MatrixSource {
  bool generated = false;
  std::string name;         // file name or generator specification
  std::string description;  // for people
  Shape shape;
  bool complex = false;                     // the values are complex numbers
  bool pattern = false;                     // the file has no values: every entry is 1
  std::string value;                        // the value type that holds the values, by name
  double entries = 0;                       // of a file, mirror images included; at most, by its header
  double megabytes = 0;                     // of the file; 0 for a generator
  std::vector<StoredPartition> partitions;  // stored in the file
  std::shared_ptr<const OpenMatrix> file;   // this rank's; nullptr for a generator
};

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

/// Called while something is loaded, on every rank unless it says otherwise. Functions may be empty.
struct LoadProgress {
  StageListener stage;
  std::function<void(const std::string& sentence)>
      warn;  // what of a file is changed or not used; on rank 0 at least
  std::function<void(const std::string& sentence)> note;  // where the rows come from
};

/// This rank's rows of the partition `rows`, with the ids of the source; columns ascend and none is repeated. No rank
/// ever holds the whole matrix. Collective; throws AgreedError.
template <class T>
RowBlock<T> load_rows(const Communicator& communicator, const MatrixSource& source, const RowPartition& rows,
                      const LoadProgress& progress = {});

}  // namespace spmv
