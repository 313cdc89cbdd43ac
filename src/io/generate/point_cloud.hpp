// Stand-ins for three matrices of computational fluid dynamics that are not public: dense blocks between near
// points of an irregular cloud. What they share with the originals is in README.md.
//
// The points stand at the places of a grid, each moved a little by its own hash: (x, y, z) is number
// x + n (y + n z), with n the cube root of the number of points. The cloud is closed in x and y, as around a
// body, and open in z, where the last layer may be only partly there. Two points are coupled, in either
// direction, if the square of their distance is below the mean of what belongs to their layers. Everything
// that decides on this is a whole number, so the pattern is the same on every processor.
//
// Values are random-looking, in (-1, 1), not symmetric; the diagonal is the row's number of nonzeros, more
// than the others' sum.
#pragma once

#include <memory>
#include <string>

#include "io/generate/generator.hpp"

namespace spmv {

/// Parameters "[SCALE]": SCALE times as many points as the original has, 1 if left out, at most 100; at least
/// one point. Throws Error(usage).
std::unique_ptr<RowSource> make_dlr1(const std::string& parameters);
std::unique_ptr<RowSource> make_dlr2(const std::string& parameters);
std::unique_ptr<RowSource> make_uhbr(const std::string& parameters);

}  // namespace spmv
