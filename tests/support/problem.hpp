// From a matrix of the battery to rows on ranks and to what their products must be.
#pragma once

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "comm/communicator.hpp"
#include "core/reference.hpp"
#include "dist/partitioner.hpp"
#include "dist/prepare/assemble.hpp"
#include "dist/prepare/redistribute.hpp"
#include "dist/product.hpp"
#include "support/matrix_battery.hpp"

namespace spmv::test {

template <class T>
struct Problem {
  DistributedRows<T> rows;
  std::array<Reference<T>, distinct_x>
      reference;  // of this rank's rows, made from the whole matrix without any rank
};

/// The rows of the table that this build has.
inline const std::vector<Partitioner>& built_partitioners() {
  static const std::vector<Partitioner> built = [] {
    std::vector<Partitioner> some;
    for (const Partitioner& row : partitioners())
      if (row.missing == nullptr) some.push_back(row);
    return some;
  }();
  return built;
}

/// What the program does between reading and building, with entries that arrive on the wrong ranks.
/// Collective.
template <class T>
Problem<T> make_problem(const Communicator& communicator, const GlobalMatrix& matrix,
                        const Partitioner& partitioner) {
  const int me = communicator.rank();
  const Ownership read = Ownership::even(matrix.shape, communicator.size());
  RowBlock<T> block = assemble(communicator, read.rows, dealt_entries<T>(matrix, me, communicator.size()));
  const Moves moves = find_moves(communicator, partitioner, read, block, {});
  Problem<T> problem{redistribute(communicator, read, std::move(block), moves), {}};
  const RowBlock<T> whole = whole_rows<T>(matrix);
  for (unsigned number = 0; number < distinct_x; ++number) {
    const Reference<T> all = reference_product(whole, number);
    for (const gidx row : problem.rows.original_row) {
      problem.reference[number].y.push_back(all.y[static_cast<std::size_t>(row)]);
      problem.reference[number].bound.push_back(all.bound[static_cast<std::size_t>(row)]);
    }
  }
  return problem;
}

}  // namespace spmv::test
