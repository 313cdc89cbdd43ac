// An open file of one of the kinds that can be read.
#pragma once

#include <string>
#include <variant>

#include "comm/communicator.hpp"
#include "comm/parallel_file.hpp"
#include "core/csr.hpp"
#include "dist/row_partition.hpp"
#include "io/binary/binary_rows.hpp"
#include "io/matrix_market.hpp"
#include "io/petsc/petsc_rows.hpp"
#include "load/matrix_source.hpp"

namespace spmv {

/// A .spmv file that is open on all ranks.
struct BinaryMatrix {
  ParallelFile file;
  BinaryIndex index;  // rank 0's, on every rank
};

/// A PETSc file that is open on all ranks.
struct PetscMatrix {
  ParallelFile file;
  PetscHeader header;  // rank 0's, on every rank
};

/// The header of a file, by its kind.
using MatrixContents = std::variant<MatrixMarketHeader, BinaryMatrix, PetscMatrix>;

struct OpenMatrix {
  Text text;  // held open
  FileState state;
  MatrixContents contents;
};

/// Reads bytes of `file`, which must outlive the result.
inline ReadAt reader(const ParallelFile& file) {
  return [&file](std::uint64_t begin, char* to, std::size_t size) { file.read_at(begin, to, size); };
}

// For each kind of file:

/// Reads the header. `text` is open on all ranks. Collective; throws AgreedError.
MatrixContents open_market(const Communicator& communicator, const Text& text);
MatrixContents open_binary(const Communicator& communicator, const Text& text);
MatrixContents open_petsc(const Communicator& communicator, const Text& text);

/// Fills in what the header says. Returns a text that must be the same on all ranks. Pure.
std::string describe(MatrixSource& source, const MatrixMarketHeader& header);
std::string describe(MatrixSource& source, const BinaryMatrix& binary);
std::string describe(MatrixSource& source, const PetscMatrix& petsc);

/// This rank's rows. Collective; throws AgreedError.
template <class T>
RowBlock<T> read_market(const Communicator& communicator, const OpenMatrix& open,
                        const MatrixMarketHeader& header, const RowPartition& rows,
                        const LoadProgress& progress);
template <class T>
RowBlock<T> read_binary(const Communicator& communicator, const OpenMatrix& open, const BinaryMatrix& binary,
                        const RowPartition& rows, const LoadProgress& progress);
template <class T>
RowBlock<T> read_petsc(const Communicator& communicator, const OpenMatrix& open, const PetscMatrix& petsc,
                       const RowPartition& rows, const LoadProgress& progress);

}  // namespace spmv
