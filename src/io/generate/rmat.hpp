// A recursive random graph (R-MAT; Chakrabarti, Zhan, Faloutsos, 2004), as Graph500 and many others use it.
#pragma once

#include <memory>
#include <string>

#include "io/generate/generator.hpp"

namespace spmv {

/// Parameters "SCALE,EDGES_PER_ROW[,a=0.57][,b=0.19][,c=0.19][,seed=1]": 2^SCALE rows and columns, and
/// EDGES_PER_ROW 2^SCALE edges, each of which falls, bit by bit of its row and column from the highest on,
/// into the quarter 00 with probability a, 01 with b, 10 with c and 11 with d = 1 - a - b - c. Edges at one
/// place make one nonzero, so there are fewer nonzeros than edges. Values are random-looking, in (-1, 1).
///
/// Rows are made one by one, and yet the matrix is distributed exactly as if the edges had been drawn one by
/// one: the edges of a range of rows fall into its halves with a binomial law, and given the bits of its row
/// the bits of an edge's column are independent. SCALE from 1 to 32, EDGES_PER_ROW from 0 to 10^4; a, b, c and
/// d above 0; no more than 10^8 edges in a row. Throws Error(usage).
std::unique_ptr<RowSource> make_rmat(const std::string& parameters);

}  // namespace spmv
