// Vectors in files: matrices of one column; and multivectors: of several.
#pragma once

#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "dist/row_partition.hpp"
#include "load/load_rows.hpp"
#include "load/save_matrix.hpp"

namespace spmv {

/// This rank's elements of the multivector in a file, by rows: a matrix with so many columns and a row for each id of `elements`,
/// of any kind that find_file() reads. Elements that are not in the file are 0. Collective; throws AgreedError.
template <class T>
std::vector<T> load_vector(const Communicator& communicator, const std::string& path,
                           const RowPartition& elements, const LoadProgress& progress = {}, int columns = 1);

/// Writes a multivector of which each rank has the elements of its ids, by rows: a .spmv file if `path` ends in .spmv, otherwise a
/// Matrix Market array, packed if it ends in .gz, whose numbers have enough digits to be read back exactly. Completely or not at
/// all. Collective; throws AgreedError(environment).
template <class T>
void save_vector(const Communicator& communicator, const std::string& path, const RowPartition& elements,
                 const std::vector<T>& mine, const SaveOptions& options = {}, int columns = 1);

}  // namespace spmv
