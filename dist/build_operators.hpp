// One rank's rows as operators, in the layout and formats asked for.
#pragma once

#include <memory>
#include <vector>

#include "core/backend.hpp"
#include "dist/dist_options.hpp"
#include "dist/redistribute.hpp"
#include "kernels/local_operator.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {

template <class T>
struct Operators {
  lidx rows = 0;
  lidx boundary_begin = 0;  // parted: element of y that boundary row 0 writes, where it has no row list
  std::unique_ptr<LocalOperator<T>> main;  // merged, local or interior
  std::unique_ptr<LocalOperator<T>> rest;  // nonlocal or boundary; nullptr in the merged layout
  Decision main_decision;
  Decision boundary_decision;   // empty in the merged layout
  std::vector<lidx> row_order;  // basis position -> natural row; empty: natural
  std::vector<lidx> x_order;    // likewise for owned elements of x
};

/// `ghosts` as from find_ghosts(). Throws as Format::make and split(). Local.
template <class T>
Operators<T> build_operators(const DistributedRows<T>& rows, int rank, const std::vector<gidx>& ghosts,
                             const DistOptions& options, const std::shared_ptr<Backend>& backend);

}  // namespace spmv
