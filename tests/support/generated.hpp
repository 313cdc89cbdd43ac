// All rows of a generated matrix, for tests of generators.
#pragma once

#include <string>

#include "io/generate/generator.hpp"

namespace spmv::test {

/// All rows of the generated matrix.
inline RowBlock<double> whole(const std::string& specification) {
  const auto source = make_generator(specification);
  return generate_rows<double>(*source, 0, source->shape().rows);
}

}  // namespace spmv::test
