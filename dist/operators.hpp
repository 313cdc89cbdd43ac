// One rank's rows as operators on x = [owned | halo]. A layout (dist/layouts.cpp) says which there are:
//
//   merged:  y = merged x          all rows in one product, which waits for the halo
//   others:  y = interior x        waits for no halo, and may run while the halo travels
//            then the boundary     waits for the halo, and adds to rows of y or writes rows of its own
#pragma once

#include <memory>
#include <vector>

#include "core/types.hpp"
#include "kernels/format.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {

/// A block of the rank's rows in its format.
template <class T>
struct FormattedBlock {
  std::unique_ptr<LocalOperator<T>> op;  // nullptr: the layout has no such block
  Decision decision;                     // its format, and why
};

/// Either `merged`, or `interior` and `boundary`. Elements of x and y are in the basis, see x_order,
/// row_order.
template <class T>
struct Operators {
  FormattedBlock<T> merged;
  FormattedBlock<T> interior;
  FormattedBlock<T> boundary;
  lidx boundary_x = 0;                      // element of x that is the boundary's column 0
  lidx boundary_y = 0;                      // element of y that is the boundary's row 0, with any row list
  Update boundary_update = Update::assign;  // assign: its rows are whole, and nobody else writes them

  lidx rows = 0;
  std::vector<lidx> row_order;  // basis position -> natural row; empty: natural
  std::vector<lidx> x_order;    // likewise for owned elements of x

  bool has_interior() const { return interior.op != nullptr; }
  /// The blocks that there are, in the order of their products.
  std::vector<const FormattedBlock<T>*> blocks() const {
    if (!has_interior()) return {&merged};
    return {&interior, &boundary};
  }
};

}  // namespace spmv
