// Several unknowns at every point of a grid of nx x ny x nz points, x fastest: unknown i of point (x, y, z)
// is row b (x + nx (y + ny z)) + i. A point couples to the surrounding cube of 27 points through dense b x b
// blocks; neighbours outside the grid are held at zero and leave no nonzero. Dimensionless.
//
//   elasticity  b = 3: displacements in a fibre-reinforced body whose stiffness varies smoothly, as springs
//   to
//               the 26 neighbours. Symmetric, positive definite; hardly a value comes twice
//   blocks      any b: every value is a random-looking number in (-1, 1) of its own; not symmetric
#pragma once

#include <memory>
#include <string>

#include "io/generate/generator.hpp"

namespace spmv {

/// Parameters "NX,NY,NZ", each >= 1. Throws Error(usage).
std::unique_ptr<RowSource> make_elasticity(const std::string& parameters);
/// Parameters "NX,NY,NZ[,B]", each >= 1, B at most 64 and 5 if left out. Throws Error(usage).
std::unique_ptr<RowSource> make_blocks(const std::string& parameters);

}  // namespace spmv
