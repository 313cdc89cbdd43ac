#pragma once

#include <string>

#include "app/run/run.hpp"

namespace spmv {

/// Loads the matrix and writes it to the file that the user named. Returns what is to be told about it.
/// Collective; throws AgreedError.
std::string convert_matrix(const Run& run);

}  // namespace spmv
