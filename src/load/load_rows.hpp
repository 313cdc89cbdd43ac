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

/// A file that is open, with what it says of itself.
struct OpenMatrix;

/// What is to be loaded. All ranks know it before any of them has a row. Cheap to copy.
struct MatrixSource {
  bool generated = false;
  std::string name;         // file name or generator specification
  std::string description;  // for people
  Shape shape;
  bool complex = false;                     // the values are complex numbers
  bool pattern = false;                     // no values: every entry is 1
  std::string value;                        // the value type that holds the values, by name
  double entries = 0;                       // of a file at most, by its header, with mirror images
  double megabytes = 0;                     // of the file; 0 for a generator
  std::vector<StoredPartition> partitions;  // that are stored with it
  std::shared_ptr<const OpenMatrix> file;   // this rank's; nullptr for a generator
};

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

/// Whom load_rows() tells how far it is, on every rank. Functions may be empty.
struct LoadProgress {
  StageListener stage;
  std::function<void(const std::string& sentence)> warn;  // of a file that is not taken as it is
};

/// This rank's rows in the partition `rows`, ids as in the source; columns ascending, none repeated. No rank
/// ever holds the whole matrix. Collective; throws AgreedError.
template <class T>
RowBlock<T> load_rows(const Communicator& communicator, const MatrixSource& source, const RowPartition& rows,
                      const LoadProgress& progress = {});

}  // namespace spmv
