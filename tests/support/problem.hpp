// From a matrix of the battery to rows on ranks and to what their products must be.
#pragma once

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "comm/communicator.hpp"
#include "core/reference.hpp"
#include "dist/assemble.hpp"
#include "dist/partitioner.hpp"
#include "dist/product.hpp"
#include "dist/redistribute.hpp"
#include "support/matrix_battery.hpp"

namespace spmv::test {

template <class T>
struct Problem {
  DistributedRows<T> rows;
  std::array<Reference<T>, distinct_x>
      reference;  // of this rank's rows, made from the whole matrix without any rank
};

/// What the program does between reading and building, with entries that arrive on the wrong ranks.
/// Collective.
template <class T>
Problem<T> make_problem(const Communicator& communicator, const GlobalMatrix& matrix,
                        const Partitioner& partitioner, int seed = 1) {
  const int me = communicator.rank();
  const RowPartition rows = RowPartition::even(matrix.shape.rows, communicator.size());
  const RowPartition cols = RowPartition::even(matrix.shape.cols, communicator.size());
  RowBlock<T> block = assemble(communicator, rows, dealt_entries<T>(matrix, me, communicator.size()));
  const Pattern pattern{matrix.shape, rows, cols, block.row_ptr, block.col};
  const Assignment assignment = partitioner.assign(communicator, pattern, seed);
  const Move row_move(communicator, assignment.rows);
  const Move col_move = pattern.square() ? row_move : Move(communicator, assignment.cols);
  Problem<T> problem{redistribute(communicator, pattern, std::move(block), row_move, col_move), {}};
  const RowBlock<T> whole = whole_rows<T>(matrix);
  for (unsigned step = 0; step < distinct_x; ++step) {
    const Reference<T> all = reference_product(whole, step);
    for (const gidx row : problem.rows.original_row) {
      problem.reference[step].y.push_back(all.y[static_cast<std::size_t>(row)]);
      problem.reference[step].bound.push_back(all.bound[static_cast<std::size_t>(row)]);
    }
  }
  return problem;
}

}  // namespace spmv::test
