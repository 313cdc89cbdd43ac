// A stand-in for the matrix sAMG, which is not public: the Laplacian on a grid that is finer near a surface.
// What it shares with the original is in README.md.
//
// A grid of n x n x n cells, x fastest, of which those near a closed surface are divided into 2 x 2 x 2. A
// cell's eight parts are numbered in its place, x fastest. Finite volumes: across a face of area A between
// middles that are h apart (along the face's axis) flows A / h times the difference, and outside the grid the
// value is zero at the wall. A whole cell couples to one cell, or to the four parts that it touches, at each
// face. Symmetric, positive definite; dimensionless (a whole cell's side is 1).
#pragma once

#include <memory>
#include <string>

#include "io/generate/generator.hpp"

namespace spmv {

/// Parameters "[SCALE]": about SCALE times 3.4 million rows, 1 if left out, at most 100; at least one row.
/// Holds a quarter of a byte per cell. Throws Error(usage).
std::unique_ptr<RowSource> make_samg(const std::string& parameters);

}  // namespace spmv
