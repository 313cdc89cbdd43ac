// Preconditioner multigrid: a hierarchy whose levels hypre makes.
#include <type_traits>
#include <utility>

#include "dist/solve/constant_vectors.hpp"
#include "dist/solve/hierarchy.hpp"
#include "dist/solve/hypre/levels.hpp"
#include "dist/solve/preconditioners.hpp"

namespace spmv {
namespace {

template <class To, class From>
RowBlock<To> converted(RowBlock<From>&& block) {
  if constexpr (std::is_same_v<To, From>)
    return std::move(block);
  else
    return {block.first_row, std::move(block.row_ptr), std::move(block.col),
            std::vector<To>(block.value.begin(), block.value.end())};
}

/// The rows times 2^-exponent in double.
template <class T>
DistributedRows<double> in_double(const DistributedRows<T>& rows, int exponent) {
  const Csr<T>& from = rows.block;
  Csr<double> block;
  block.rows = from.rows;
  block.cols = from.cols;
  block.row_ptr = from.row_ptr;
  block.col = from.col;
  for (const T& value : from.value)
    block.value.push_back(times_power_of_two(static_cast<double>(value), -exponent));
  return {rows.shape, rows.rows, rows.cols, std::move(block), rows.ghosts, rows.original_row, {}};
}

}  // namespace

template <class T>
std::unique_ptr<Preconditioner<T>> make_multigrid(const PreconditionerRequest<T>& request) {
  const MultigridRequest& wanted = request.multigrid;
  const Communicator& all = request.on.communicator();
  if (!request.project_constant && maps_constants_to_zero(request.on, request.A))
    throw AgreedError(ExitCode::input,
                      "the matrix maps constant vectors to 0, so the coarsest level of multigrid has no "
                      "inverse unless they are left out");
  const hypre::LevelOptions options{wanted.unknowns};
  const int exponent = request.A.exponent();
  const bool as_they_are = std::is_same_v<T, double> && exponent == 0;
  std::vector<CoarseLevel<double>> made;
  if constexpr (std::is_same_v<T, double>)
    if (as_they_are) made = hypre::make_levels(all, request.rows, options);
  if (!as_they_are)
    made = hypre::make_levels(all, all.together([&] { return in_double(request.rows, exponent); }), options);
  std::vector<CoarseLevel<T>> levels;
  all.together([&] {
    levels.reserve(made.size());
    for (CoarseLevel<double>& level : made)
      levels.push_back({level.rows, converted<T>(std::move(level.A)), converted<T>(std::move(level.P)),
                        converted<T>(std::move(level.R))});
  });
  return std::make_unique<Hierarchy<T>>(request.on, request.A, request.rows, std::move(levels),
                                        HierarchyOptions{.smoother = wanted.smoother,
                                                         .degree = wanted.degree,
                                                         .w_cycle = wanted.w_cycle,
                                                         .leaves_out_constants = request.project_constant});
}

template std::unique_ptr<Preconditioner<float>> make_multigrid(const PreconditionerRequest<float>&);
template std::unique_ptr<Preconditioner<double>> make_multigrid(const PreconditionerRequest<double>&);

}  // namespace spmv
