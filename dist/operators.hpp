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

/// Either `merged`, or `interior` and `boundary`. Elements of x and y are in the basis, which x_order and
/// row_order describe. Row lists, if any, count from where an operator is applied.
template <class T>
struct Operators {
  FormattedBlock<T> merged;
  FormattedBlock<T> interior;
  FormattedBlock<T> boundary;
  lidx interior_y = 0;  // the interior operator is applied to x and y + interior_y,
  lidx boundary_x = 0;  // the boundary operator to x + boundary_x ...
  lidx boundary_y = 0;  // ... and y + boundary_y
  /// assign: its rows are whole, and the interior writes none of them.
  Update boundary_update = Update::assign;

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
