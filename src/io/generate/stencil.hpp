// Finite-difference operators on a grid of nx x ny (x nz) points, x fastest: point (x, y, z) is row
// x + nx (y + ny z). A point couples to its neighbours inside the grid; those outside are held at zero
// (Dirichlet) and leave no nonzero. Dimensionless (spacing 1), symmetric, positive definite.
//
//   stencil5   4 on the diagonal, -1 for the 4 neighbours along the axes of a plane: -d2/dx2 - d2/dy2
//   stencil7   6 on the diagonal, -1 for the 6 neighbours along the axes: -d2/dx2 - d2/dy2 - d2/dz2
//   stencil9   8 on the diagonal, -1 for the 8 neighbours of the surrounding square
//   stencil27  26 on the diagonal, -1 for the 26 neighbours of the surrounding cube: the operator of the HPCG
//              benchmark (Dongarra, Heroux, Luszczek, 2016)
#pragma once

#include <memory>
#include <string>

#include "io/generate/generator.hpp"

namespace spmv {

/// Parameters "NX,NY", each >= 1. Throws Error(usage).
std::unique_ptr<RowSource> make_stencil5(const std::string& parameters);
std::unique_ptr<RowSource> make_stencil9(const std::string& parameters);
/// Parameters "NX,NY,NZ", each >= 1. Throws Error(usage).
std::unique_ptr<RowSource> make_stencil7(const std::string& parameters);
std::unique_ptr<RowSource> make_stencil27(const std::string& parameters);

}  // namespace spmv
