#include "dist/solve/hierarchy_level.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "dist/solve/host_vectors.hpp"

namespace spmv {
namespace {

/// Halos travel first: on coarse levels there is little to do beside them.
template <class T>
DistOptions options_like(const DistMatrix<T>& finest, const std::string& format) {
  DistOptions options;
  options.layout = "merged";
  options.format = options.nonlocal_format = format;
  options.transport = finest.transport_choice().name;
  options.tune.columns = finest.columns();
  options.tune.trials = false;
  options.tune.options.sigma = 1;  // named formats leave rows in the order of the levels
  return options;
}

/// Collective; throws AgreedError(input).
template <class T>
void require_shape(const Communicator& communicator, const RowBlock<T>& block, const char* name,
                   std::size_t level, const RowPartition& rows, const RowPartition& cols) {
  communicator.together([&] {
    const int me = communicator.rank();
    if (block.rows() != rows.count(me) || block.first_row != rows.first(me))
      throw Error(
          ExitCode::input,
          fmt::format("{} of level {} of the hierarchy has {} rows from row {} on rank {}, but must have "
                      "{} from row {} (counted from 1)",
                      name, level, block.rows(), block.first_row + 1, me, rows.count(me),
                      rows.first(me) + 1));
    const auto outside = std::find_if(block.col.begin(), block.col.end(),
                                      [&](gidx col) { return col < 0 || col >= cols.total(); });
    if (outside != block.col.end())
      throw Error(ExitCode::input, fmt::format("{} of level {} of the hierarchy names column {}, but has {}",
                                               name, level, *outside + 1, cols.total()));
  });
}

/// What people call a row: of the finest level its id when it was read, of others what their owner says.
template <class T>
gidx name_of_row(const DistributedRows<T>& rows, lidx row, int rank) {
  return rows.original_row.empty() ? rows.rows.first(rank) + row
                                   : rows.original_row[static_cast<std::size_t>(row)];
}

}  // namespace

template <class T>
LevelMatrix<T>::LevelMatrix(const Communicator& communicator, const DistMatrix<T>& finest,
                            const DistributedRows<T>& rows, const std::string& format,
                            std::vector<lidx> row_order, std::vector<lidx> x_order)
    : matrix_(communicator, rows, options_like(finest, format), finest.backend(),
              {finest.shared_queue(), std::move(row_order), std::move(x_order)}),
      by_(matrix_, pick(modes<T>(), "vector", "mode"), MatrixUnits::as_given) {}

template <class T>
void require_level(const Communicator& communicator, const CoarseLevel<T>& level, std::size_t number,
                   const RowPartition& finer) {
  require_shape(communicator, level.A, "A", number, level.rows, level.rows);
  require_shape(communicator, level.P, "P", number, finer, level.rows);
  require_shape(communicator, level.R, "R", number, level.rows, finer);
}

template <class T>
LevelDiagonal find_level_diagonal(const Communicator& communicator, const DistributedRows<T>& rows,
                                  std::size_t level, int exponent) {
  LevelDiagonal found;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  communicator.together([&] {
    for (lidx row = 0; row < rows.block.rows; ++row) {
      double diagonal = 0, sum = 0;
      for (offset k = rows.block.row_ptr[static_cast<std::size_t>(row)];
           k < rows.block.row_ptr[static_cast<std::size_t>(row) + 1]; ++k) {
        const T value = times_power_of_two(rows.block.value[static_cast<std::size_t>(k)], -exponent);
        if (rows.block.col[static_cast<std::size_t>(k)] == row) diagonal += std::real(value);
        sum += std::abs(value);
      }
      if (!(diagonal > 0) || !std::isfinite(sum))
        throw Error(
            ExitCode::input,
            fmt::format("level {} of the hierarchy has {} on its diagonal in row {} (counted from 1), "
                        "and smoothers divide by it: it must be positive",
                        level, std::ldexp(diagonal, exponent),
                        name_of_row(rows, row, communicator.rank()) + 1));
      found.inverse.push_back(1 / diagonal);
      found.bound = std::max(found.bound, sum / diagonal);
      least = std::min(least, diagonal);
      most = std::max(most, diagonal);
    }
  });
  found.bound = communicator.max(found.bound);
  found.constant = communicator.max(most) == -communicator.max(-least);
  return found;
}

template <class T>
double largest_smoothed(Workspace<T>& on, const Operator<T>& A, const VectorRef<T>& D, double factor,
                        double bound, gidx first) {
  constexpr int steps = 12;
  constexpr double from_below = 1.1;
  Vector<T> v, w;
  on.communicator().together([&] {
    v = random_vector(on, A, 4, first);
    w = A.make_vector();
  });
  double norm = on.norm(v);
  for (int i = 0; i < steps && norm > 0; ++i) {
    on.run(Combination<T>().set(v, 1 / norm * v));
    on.multiply(A, v, w);
    Combination<T> c;
    on.run(D.at == nullptr ? c.set(v, factor * w) : c.multiply(v, D, w));
    norm = on.norm(v);
  }
  return std::min(bound, from_below * norm);
}

LevelMove keep_level(const Communicator& communicator, const RowPartition& rows) {
  return gather_level(communicator, rows, 0);
}

LevelMove gather_level(const Communicator& communicator, const RowPartition& rows, gidx least_rows) {
  const int me = communicator.rank(), ranks = communicator.size();
  int group = 1;
  while (group < ranks && rows.total() / ((ranks + group - 1) / group) < least_rows) group *= 2;
  return {rows,
          Move(communicator, std::vector<int>(static_cast<std::size_t>(rows.count(me)), me - me % group))};
}

SPMV_INSTANTIATE_CLASS(LevelMatrix);
SPMV_INSTANTIATE(require_level);
SPMV_INSTANTIATE(find_level_diagonal);
SPMV_INSTANTIATE(largest_smoothed);

}  // namespace spmv
