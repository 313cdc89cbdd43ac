// x from a file of the user, and y to one.
#pragma once

#include <array>
#include <vector>

#include "app/report/run_report.hpp"
#include "app/run/problem.hpp"
#include "app/run/run.hpp"
#include "dist/modes.hpp"

namespace spmv {

/// This rank's elements of the x that the user named, distributed by `cols`; empty if the user named none. Collective;
/// throws AgreedError.
template <class T>
std::vector<T> read_x(const Run& run, const RowPartition& cols);

/// The correct results of all products, from the rows as read and from x as read, which is distributed by `cols`. Empty
/// without --verify. Collective.
template <class T>
std::array<Reference<T>, distinct_x> make_reference(const Run& run, const RowBlock<T>& block,
                                                    const RowPartition& cols, const std::vector<T>& x);

/// Writes y of x number 0 to the file that the user named, if there is one, in the order of the rows as read: multiplies once
/// more, and checks that product if products are checked. Writes nothing if a product is wrong. Collective; throws
/// AgreedError.
template <class T>
void write_y(const Run& run, Product<T>& product, const Mode<T>& mode, const Problem<T>& problem,
             const ModeResult& result);

}  // namespace spmv
