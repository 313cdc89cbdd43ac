// Vectors in files: matrices of one column.
#pragma once

#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "dist/row_partition.hpp"
#include "load/load_rows.hpp"
#include "load/save_matrix.hpp"

namespace spmv {

/// This rank's elements of the vector in a file: a matrix of one column and as many rows as `elements` has ids, in
/// any file that find_file() takes; where it names no value the vector is 0. Collective; throws AgreedError.
template <class T>
std::vector<T> load_vector(const Communicator& communicator, const std::string& path,
                           const RowPartition& elements, const LoadProgress& progress = {});

/// Writes a vector of which each rank has the elements of its ids: as a .spmv file where `path` ends so, else as a
/// Matrix Market array, every number with as many digits as it takes to read the same number again. Whole or not at
/// all. Collective; throws AgreedError(environment).
template <class T>
void save_vector(const Communicator& communicator, const std::string& path, const RowPartition& elements,
                 const std::vector<T>& mine, const SaveOptions& options = {});

}  // namespace spmv
