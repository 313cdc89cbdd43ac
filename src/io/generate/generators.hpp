// The make functions in the table of generators. README.md in this folder describes the matrices: formulas, parameters, sources.
#pragma once

#include <memory>
#include <string>

#include "io/generate/generator.hpp"

namespace spmv {

// Every function takes the text after "NAME:". It is Local and throws Error(usage) for parameters outside their range.

/// "NX,NY" or "NX,NY,NZ", each >= 1: finite differences on a grid with spacing 1, zero (Dirichlet) outside. Symmetric,
/// positive definite; n - 1 on the diagonal of an n-point stencil, -1 elsewhere. stencil27 is the operator of HPCG
/// (Dongarra, Heroux, Luszczek, 2016).
std::unique_ptr<RowSource> make_stencil5(const std::string& parameters);
std::unique_ptr<RowSource> make_stencil9(const std::string& parameters);
std::unique_ptr<RowSource> make_stencil7(const std::string& parameters);
std::unique_ptr<RowSource> make_stencil27(const std::string& parameters);

/// "NX,NY,NZ", each >= 1: displacements in a fibre-reinforced body with smoothly varying stiffness, 3 unknowns per point, as
/// springs to the 26 neighbours. Zero outside. Symmetric, positive definite; few values are equal.
std::unique_ptr<RowSource> make_elasticity(const std::string& parameters);

/// "NX,NY,NZ[,B]", each >= 1, B <= 64 (5 if omitted): a 27-point stencil of dense B x B blocks. Values are pseudorandom in
/// (-1, 1). Not symmetric.
std::unique_ptr<RowSource> make_blocks(const std::string& parameters);

/// "NX,NY,NZ[,t=1][,w=16.5][,seed=1]": the Anderson model, t and w in one unit of energy. If t = 0, only the diagonal is
/// stored. Symmetric.
std::unique_ptr<RowSource> make_anderson(const std::string& parameters);
std::unique_ptr<RowSource> make_diffusion(const std::string& parameters);

/// "SITES,UP,DOWN,PHONONS[,t=1][,u=4][,omega=1][,g=1]": the Holstein-Hubbard model on a ring; t, u and omega >= 0 in one unit
/// of energy, g dimensionless. Symmetric.
std::unique_ptr<RowSource> make_holstein_hubbard(const std::string& parameters);

/// "ROWS,HALFWIDTH[,density=1][,seed=1]": row i has its diagonal, and column j with 0 < |i - j| <= HALFWIDTH with probability
/// `density`; (i, j) and (j, i) exist together. Values are pseudorandom in (-1, 1), not symmetric. The time for a row is
/// proportional to HALFWIDTH, whatever the density. ROWS >= 1, 0 <= HALFWIDTH <= 10^6, 0 <= density <= 1.
std::unique_ptr<RowSource> make_banded(const std::string& parameters);

/// "ROWS,COLS,MEAN[,seed=1]": every place has a nonzero with probability MEAN / COLS, independently, so row lengths are
/// binomial. Values are pseudorandom in (-1, 1). ROWS, COLS >= 1, 0 <= MEAN <= min(COLS, 10^6).
std::unique_ptr<RowSource> make_random(const std::string& parameters);

/// "ROWS,MEAN,MAX[,exponent=2.2][,seed=1]": row lengths l with P(l) ~ l^-exponent, with the given mean (it need not be whole)
/// and the longest row MAX. Column lengths follow the same law, until columns are full; the long ones are anywhere. Values
/// are pseudorandom in (-1, 1). Square, not symmetric. 0 < MEAN <= MAX <= ROWS, 1 < exponent <= 10.
std::unique_ptr<RowSource> make_powerlaw(const std::string& parameters);

/// "SCALE,EDGES_PER_ROW[,a=0.57][,b=0.19][,c=0.19][,seed=1]": an R-MAT graph (Chakrabarti, Zhan, Faloutsos, 2004) of 2^SCALE
/// rows. Repeated edges are one nonzero. Values are pseudorandom in (-1, 1). SCALE from 1 to 32, EDGES_PER_ROW from 0 to 10^4;
/// a, b, c and 1 - a - b - c above 0; at most 10^8 edges per row.
std::unique_ptr<RowSource> make_rmat(const std::string& parameters);

/// "[SCALE]" above 0, at most 100, 1 if omitted: stand-ins for matrices that are not public, with SCALE times as many rows.
std::unique_ptr<RowSource> make_dlr1(const std::string& parameters);
std::unique_ptr<RowSource> make_dlr2(const std::string& parameters);
std::unique_ptr<RowSource> make_uhbr(const std::string& parameters);
std::unique_ptr<RowSource> make_samg(const std::string& parameters);

/// "SEED,NAME:PARAMETERS": P A P^T, where A is the square matrix of that generator and SEED from 0 to 10^15 fixes the
/// permutation P.
std::unique_ptr<RowSource> make_shuffled(const std::string& parameters);

/// "SHIFT,NAME:PARAMETERS": A + SHIFT I, where A is the square matrix of that generator and SHIFT >= 0. Every row stores its
/// diagonal.
std::unique_ptr<RowSource> make_shifted(const std::string& parameters);

}  // namespace spmv
