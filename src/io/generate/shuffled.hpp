// Another generator's matrix with its rows and columns renumbered at random.
#pragma once

#include <memory>
#include <string>

#include "io/generate/generator.hpp"

namespace spmv {

/// Parameters "SEED,NAME:PARAMETERS": the square matrix A of that specification as P A P^T, where P is a
/// permutation fixed by SEED >= 0. Throws Error(usage).
std::unique_ptr<RowSource> make_shuffled(const std::string& parameters);

}  // namespace spmv
