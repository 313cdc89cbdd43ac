// A matrix of the battery as rows on ranks, and its expected products.
#pragma once

#include <array>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "comm/communicator.hpp"
#include "core/pick.hpp"
#include "core/reference.hpp"
#include "dist/order/units.hpp"
#include "dist/partitioner.hpp"
#include "dist/prepare/assemble.hpp"
#include "dist/prepare/redistribute.hpp"
#include "dist/prepare/reorder.hpp"
#include "dist/product.hpp"
#include "io/generate/generator.hpp"
#include "support/matrix_battery.hpp"

namespace spmv::test {

template <class T>
struct Problem {
  DistributedRows<T> rows;
  std::array<Reference<T>, distinct_x>
      reference;  // of this rank's rows, from the whole matrix, without communication
};

/// The partitioners that this build has.
inline const std::vector<Partitioner>& built_partitioners() {
  static const std::vector<Partitioner> built = [] {
    std::vector<Partitioner> some;
    for (const Partitioner& row : partitioners())
      if (row.missing == nullptr) some.push_back(row);
    return some;
  }();
  return built;
}

/// The orders that this build has, and one that reverses every rank's rows, because some orders keep the rows
/// of small matrices.
inline const std::vector<Order>& tested_orders() {
  static const std::vector<Order> tested = [] {
    std::vector<Order> some;
    for (const Order& row : orders())
      if (row.missing == nullptr) some.push_back(row);
    some.push_back({.name = "turned around", .summary = "", .find = [](const OwnGraph& graph, int) {
                      std::vector<lidx> order(static_cast<std::size_t>(graph.vertices()));
                      std::iota(order.rbegin(), order.rend(), 0);
                      return order;
                    }});
    return some;
  }();
  return tested;
}

/// Does what the program does between reading and building, for entries that start on the wrong ranks.
/// Collective.
template <class T>
Problem<T> make_problem(const Communicator& communicator, const GlobalMatrix& matrix,
                        const Partitioner& partitioner, const Order& order = tested_orders().front()) {
  const int me = communicator.rank();
  const Ownership read = Ownership::even(matrix.shape, communicator.size());
  RowBlock<T> block = assemble(communicator, read.rows, dealt_entries<T>(matrix, me, communicator.size()));
  const Moves moves = moves_to(communicator, read, assign_rows(communicator, partitioner, read, block, {}));
  Problem<T> problem{redistribute(communicator, read, std::move(block), moves), {}};
  if (problem.rows.square()) {
    const Csr<T>& own = problem.rows.block;
    reorder_rows(communicator, problem.rows,
                 find_order(order, merge_units(own_graph(own.row_ptr, own.col, problem.rows.owned())), 1));
  }
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

/// A generated matrix, rows in natural order. Collective.
template <class T>
Problem<T> generated_problem(const Communicator& communicator, const std::string& specification) {
  const auto generator = make_generator(specification);
  const Ownership read = Ownership::even(generator->shape(), communicator.size());
  const gidx first = read.rows.first(communicator.rank()), count = read.rows.count(communicator.rank());
  RowBlock<T> block = generate_rows<T>(*generator, first, count);
  std::array<Reference<T>, distinct_x> reference;
  for (unsigned number = 0; number < distinct_x; ++number)
    reference[number] = reference_product(block, number);
  const Partitioner& by_rows = pick(partitioners(), "rows", "partitioner");
  const Moves moves = moves_to(communicator, read, assign_rows(communicator, by_rows, read, block, {}));
  return {redistribute(communicator, read, std::move(block), moves), std::move(reference)};
}

}  // namespace spmv::test
