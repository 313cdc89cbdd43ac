// The first step: a file or a generator becomes rows, spread evenly over the ranks.
#pragma once

#include <string>

#include "app/launch/watchdog.hpp"
#include "app/options.hpp"
#include "comm/communicator.hpp"
#include "core/csr.hpp"
#include "dist/row_partition.hpp"

namespace spmv {

/// What is to be loaded, known to all ranks before any row is.
struct MatrixSource {
  Shape shape;
  bool complex = false;
  std::string name;         // file name or generator specification
  std::string description;  // for people
  double megabytes = 0;     // of text; 0 for a generator
};

/// Reads the header or makes the generator. Collective; throws AgreedError.
MatrixSource find_source(const Communicator& communicator, const Options& options);

/// The value type by name: as asked for, or what the source has. Pure.
std::string value_type(const Options& options, const MatrixSource& source);

/// This rank's rows in an even partition, ids as in the source. No rank ever holds the whole matrix.
/// Collective; throws AgreedError.
template <class T>
RowBlock<T> load_rows(const Communicator& communicator, const Options& options, const RowPartition& rows,
                      Watchdog& watchdog);

}  // namespace spmv
