// The public Hierarchy.
#include "lib/hierarchy.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "comm/require_same.hpp"
#include "core/value_types.hpp"
#include "dist/solve/adjoint.hpp"
#include "lib/caller_rows.hpp"
#include "lib/translate.hpp"
#include "spmv_dist/hierarchy.hpp"

namespace spmv::lib {
namespace {

/// The ids of one level's rows on this rank, and who owns which.
struct LevelRows {
  std::vector<gidx> ids;
  RowPartition partition;
};

/// Throws Error(input) unless this rank names the rows of a level as its matrix does. Local.
void require_same_rows(const std::vector<gidx>& given, const std::vector<gidx>& expected, const char* what,
                       std::size_t level, std::size_t of_level) {
  if (given != expected)
    throw Error(
        ExitCode::input,
        fmt::format("the {} of level {} of the hierarchy are not the rows of A of level {} on this "
                    "rank, in the same order: it has {} of them, and A has {}; name rows by first_row or "
                    "row_ids, and columns by first_x and x_size, or x_ids",
                    what, level, of_level, given.size(), expected.size()));
}

/// A level in ids of which every rank owns a contiguous range. Collective; throws AgreedError.
template <class T>
CoarseLevel<T> take_level(MatrixState<T>& A, const spmv_dist::Level<T>& given, std::size_t level,
                          LevelRows& finer) {
  const Communicator& all = A.context->communicator;
  const auto take = [&](const spmv_dist::Rows<T>& rows, const char* name) {
    try {
      return take_rows(all, A.context->place.backend, rows);
    } catch (const AgreedError& error) {
      throw AgreedError(error.code(),
                        fmt::format("{} of level {} of the hierarchy: {}", name, level, error.what()));
    }
  };
  CallerRows<T> matrix = take(given.A, "A"), P = take(given.P, "P");
  all.together([&] {
    require_same_rows(P.row_ids, finer.ids, "rows of P", level, level - 1);
    require_same_rows(P.col_ids, matrix.row_ids, "columns of P", level, level);
  });
  RowBlock<T> restriction;
  if (all.any_of(given.R.global_rows != 0 || given.R.rows != 0)) {
    CallerRows<T> R = take(given.R, "R");
    all.together([&] {
      require_same_rows(R.row_ids, matrix.row_ids, "rows of R", level, level);
      require_same_rows(R.col_ids, finer.ids, "columns of R", level, level - 1);
    });
    restriction = std::move(R.block);
  } else {
    restriction = adjoint(all, P.block, matrix.owners.rows);
  }
  finer = {std::move(matrix.row_ids), matrix.owners.rows};
  return {finer.partition, std::move(matrix.block), std::move(P.block), std::move(restriction), finer.ids};
}

spmv::HierarchyOptions read(const spmv_dist::HierarchyOptions& options, double bound) {
  if (options.cycle != "V" && options.cycle != "W")
    throw Error(ExitCode::usage, fmt::format("unknown cycle '{}'; known are: V, W", options.cycle));
  return {options.smoother, options.degree, options.cycle == "W", options.largest_coarse, bound};
}

template <class T>
std::shared_ptr<HierarchyState<T>> new_hierarchy(const std::shared_ptr<MatrixState<T>>& A,
                                                 const std::vector<spmv_dist::Level<T>>& coarser,
                                                 const spmv_dist::HierarchyOptions& wanted) {
  const Communicator& all = A->context->communicator;
  require_same(all, {{"the number of levels", fmt::format("{}", coarser.size())},
                     {"the smoother", wanted.smoother},
                     {"degree", fmt::format("{}", wanted.degree)},
                     {"the cycle", wanted.cycle},
                     {"largest_coarse", fmt::format("{}", wanted.largest_coarse)}});
  auto state = std::make_shared<HierarchyState<T>>(A);
  const spmv::HierarchyOptions options = all.together([&] {
    require_complete(*A);
    operator_of_solvers(*A);
    if (A->moves)
      throw Error(
          ExitCode::usage,
          "the rows of the matrix were moved to other ranks, where levels cannot follow them: make it "
          "with option partition=keep");
    return read(wanted, A->eigenvalue_bound);
  });
  Call<T> call(*A);
  state->on.emplace(*A);
  const Operator<T>& finest = operator_of_solvers(*A);
  std::vector<CoarseLevel<T>> levels;
  LevelRows finer{A->ids[1], A->rows.rows};
  for (const spmv_dist::Level<T>& given : coarser) {
    levels.push_back(take_level(*A, given, levels.size() + 1, finer));
    for (T& value : levels.back().A.value) value = times_power_of_two(value, -finest.exponent());
  }
  state->cycle =
      std::make_unique<Hierarchy<T>>(**state->on, finest, rows_near_diagonal(*A), std::move(levels), options);
  call.end();
  return state;
}

/// M^-1 of the matrix as given.
template <class T>
void apply(HierarchyState<T>& M, VectorState<T>& r, VectorState<T>& z) {
  MatrixState<T>& A = *M.A;
  require_hierarchy_of(A, M);
  require_vectors(A, r, z, false);
  Call<T> call(A);
  r.fetch();
  M.cycle->apply(elements_of(r), elements_of(z));
  if (const double factor = operator_of_solvers(A).factor(); factor != 1)
    (**M.on).run(Combination<T>().set(elements_of(z), factor * elements_of(z)));
  z.bring();
  call.end();
}

}  // namespace
}  // namespace spmv::lib

namespace spmv_dist {

using internal::Access;
using internal::translated;
using spmv::lib::HierarchyState;
using spmv::lib::MatrixState;
using spmv::lib::vector_of;

template <class T>
Hierarchy<T>::Hierarchy(Matrix<T>& A, const std::vector<Level<T>>& coarser, const HierarchyOptions& options) {
  state_ = translated(
      [&] { return spmv::lib::new_hierarchy(Access::state<MatrixState<T>>(A), coarser, options); });
}

template <class T>
void Hierarchy<T>::apply(Vector<T>& r, Vector<T>& z) {
  translated(
      [&] { spmv::lib::apply<T>(*Access::state<HierarchyState<T>>(*this), *vector_of(r), *vector_of(z)); });
}

template <class T>
std::string Hierarchy<T>::describe() const {
  return translated([&] { return Access::state<HierarchyState<T>>(*this)->cycle->choices(); });
}

SPMV_INSTANTIATE_CLASS(Hierarchy);

}  // namespace spmv_dist
