// The Anderson model of localisation: one particle on a cubic lattice with a random energy at every site.
#pragma once

#include <memory>
#include <string>

#include "io/generate/generator.hpp"

namespace spmv {

/// Parameters "NX,NY,NZ[,t=1][,w=16.5][,seed=1]":
///
///     H = - t sum_<i,j> (c+_i c_j + h.c.) + sum_i e_i n_i
///
/// on a periodic grid, site (x, y, z) in row x + nx (y + ny z); every pair of neighbouring sites counts once
/// (an axis of two sites has one bond, one of a single site none). e_i is uniform in (-w/2, w/2), a function of
/// the seed and the site. t and w are energies in one unit. The diagonal is always stored; t = 0 leaves
/// nothing else. Symmetric. Throws Error(usage).
std::unique_ptr<RowSource> make_anderson(const std::string& parameters);

}  // namespace spmv
