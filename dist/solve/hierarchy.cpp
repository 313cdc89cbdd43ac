#include "dist/solve/hierarchy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/value_types.hpp"
#include "dist/solve/hierarchy_level.hpp"
#include "dist/solve/host_vectors.hpp"

namespace spmv {
namespace {

constexpr const char* jacobi = "jacobi";
/// Formats that leave rows in the order that they get: of few elements a row, and of many.
constexpr const char* of_short_rows = "sell";
constexpr const char* of_long_rows = "csr_vector";

void require_options(const HierarchyOptions& options) {
  const std::vector<std::string>& known = smoothers();
  if (std::find(known.begin(), known.end(), options.smoother) == known.end())
    throw AgreedError(ExitCode::usage, fmt::format("unknown smoother '{}'; known are: {}", options.smoother,
                                                   fmt::join(known, ", ")));
  if (options.degree < 0 || options.degree > most_degree)
    throw AgreedError(ExitCode::usage,
                      fmt::format("a smoother of degree {} was asked for: 0 to {} are possible",
                                  options.degree, most_degree));
}

}  // namespace

const std::vector<std::string>& smoothers() {
  static const std::vector<std::string> names = {"chebyshev", jacobi};
  return names;
}

template <class T>
Hierarchy<T>::Hierarchy(Workspace<T>& on, const Operator<T>& A, const DistributedRows<T>& rows,
                        std::vector<CoarseLevel<T>> coarser, const HierarchyOptions& options)
    : on_(on), visits_(options.w_cycle ? 2 : 1) {
  require_options(options);
  add_level(nullptr, A, rows, A.exponent(), options, true);
  for (std::size_t number = 1; number <= coarser.size(); ++number) {
    CoarseLevel<T>& given = coarser[number - 1];
    require_level(on.communicator(), given, number, levels_.back()->rows);
    hang_on(given, options, number == coarser.size());
    given = {given.rows, {}, {}, {}};  // it may be large
  }
  make_vectors();
  capture_coarser();
  std::vector<gidx> sizes;
  for (const auto& level : levels_) sizes.push_back(level->rows.total());
  choices_ = fmt::format("{} level{} with {} rows, {}-cycle, smoother {}", sizes.size(),
                         sizes.size() == 1 ? "" : "s", fmt::join(sizes, ", "), options.w_cycle ? 'W' : 'V',
                         options.smoother);
  if (options.smoother != jacobi) choices_ += fmt::format(" of degree {}", options.degree);
}

template <class T>
Hierarchy<T>::~Hierarchy() {
  try {
    on_.forget_matrices();  // before they and the vectors end
  } catch (...) {           // a destructor must not throw
  }
}

/// A level with its smoother. Collective.
template <class T>
void Hierarchy<T>::add_level(std::unique_ptr<LevelMatrix<T>> own, const Operator<T>& A,
                             const DistributedRows<T>& rows, int exponent, const HierarchyOptions& options,
                             bool smooths) {
  const Communicator& all = on_.communicator();
  auto level = std::make_unique<Level>();
  level->own = std::move(own);
  level->A = &A;
  level->rows = rows.rows;
  const LevelDiagonal diagonal = find_level_diagonal(all, rows, levels_.size(), exponent);
  levels_.push_back(std::move(level));
  if (!smooths) return;
  Level& here = *levels_.back();
  if (!diagonal.constant)
    all.together([&] {
      here.D = A.make_vector();
      upload(on_.backend(), here.D,
             A.matrix().to_basis(std::vector<T>(diagonal.inverse.begin(), diagonal.inverse.end())));
    });
  const double factor = all.max(diagonal.inverse.empty() ? 0.0 : diagonal.inverse.front());
  double bound = diagonal.bound;
  if (levels_.size() == 1 && options.bound > 0)
    bound = options.bound * A.factor() *
            all.max(diagonal.inverse.empty()
                        ? 0.0
                        : *std::max_element(diagonal.inverse.begin(), diagonal.inverse.end()));
  const double largest = largest_smoothed(on_, A, here.D, factor, bound);
  const bool by_jacobi = options.smoother == jacobi;
  all.together([&] {
    here.smoother = std::make_unique<ChebyshevIteration<T>>(on_, A, by_jacobi ? 0 : options.degree, here.D);
  });
  // Coarser levels do not see the eigenvalues above a part of the largest.
  const double part = by_jacobi ? 0.5 : 0.25, unit = diagonal.constant ? 1 / factor : 1;
  here.smoother->set_interval(part * largest * unit, largest * unit);
}

/// The next coarser level, and the way to it and back. Collective.
template <class T>
void Hierarchy<T>::hang_on(CoarseLevel<T>& given, const HierarchyOptions& options, bool coarsest) {
  const Communicator& all = on_.communicator();
  const DistMatrix<T>& finest = levels_.front()->A->matrix();
  const RowPartition finer = levels_.back()->rows, &rows = given.rows;
  RowBlock<T> inverse;
  if (coarsest) inverse = inverse_of_level(all, given, levels_.size(), options.most_dense);
  DistributedRows<T> of_A = keep_rows(all, {rows, rows}, std::move(given.A));
  of_A.original_row = std::move(given.ids);
  auto own = std::make_unique<LevelMatrix<T>>(all, finest, of_A, auto_format);
  const Operator<T>& A = own->by();
  add_level(std::move(own), A, of_A, 0, options, !coarsest);
  Level &above = *levels_[levels_.size() - 2], &here = *levels_.back();
  const auto between = [&](RowBlock<T>&& block, const Ownership& owners, const Level& to, const Level& from,
                           const char* format) {
    return std::make_unique<LevelMatrix<T>>(all, finest, keep_rows(all, owners, std::move(block)), format,
                                            to.order(), from.order());
  };
  above.P = between(std::move(given.P), {finer, rows}, above, here, of_short_rows);
  above.R = between(std::move(given.R), {rows, finer}, here, above, of_long_rows);
  if (coarsest) here.inverse = between(std::move(inverse), {rows, rows}, here, here, of_long_rows);
}

template <class T>
void Hierarchy<T>::make_vectors() {
  on_.communicator().together([&] {
    for (std::size_t number = 0; number < levels_.size(); ++number) {
      Level& level = *levels_[number];
      const std::array<const LevelMatrix<T>*, 3> multiplied_by = {
          number == 0 ? nullptr : levels_[number - 1]->P.get(), level.R.get(), level.inverse.get()};
      lidx halo = level.A->matrix().ghosts();
      for (const LevelMatrix<T>* matrix : multiplied_by)
        if (matrix != nullptr) halo = std::max(halo, matrix->ghosts());
      for (Vector<T>* vector : {&level.t, &level.s, &level.r, &level.z}) {
        if (number == 0 && (vector == &level.r || vector == &level.z)) continue;
        *vector = Vector<T>(level.A->matrix().backend(), level.A->rows(), halo);
        on_.queue().fill(vector->data(), 0, vector->bytes());
      }
    }
    on_.queue().synchronize();
  });
}

template <class T>
void Hierarchy<T>::capture_coarser() {
  if (levels_.size() < 2) return;
  bool queues = true;
  for (const auto& level : levels_)
    for (const LevelMatrix<T>* matrix :
         {level->own.get(), level->R.get(), level->P.get(), level->inverse.get()})
      queues = queues && (matrix == nullptr || matrix->by().matrix().exchange_is_queued());
  if (!on_.communicator().all_of(queues)) return;
  cycle(1, levels_[1]->r, levels_[1]->z);  // makes kernels, which a capture cannot
  on_.queue().synchronize();
  on_.communicator().together(
      [&] { coarser_ = on_.queue().capture_work([this] { cycle(1, levels_[1]->r, levels_[1]->z); }); });
}

template <class T>
std::vector<typename Preconditioner<T>::TimedWork> Hierarchy<T>::timed_work() {
  std::vector<typename Preconditioner<T>::TimedWork> all;
  for (std::size_t number = 1; number < levels_.size(); ++number)
    all.push_back({fmt::format("level {} and coarser", number), [this, number] {
                     if (number == 1 && coarser_ != nullptr) return on_.queue().replay(*coarser_);
                     cycle(number, levels_[number]->r, levels_[number]->z);
                   }});
  return all;
}

template <class T>
void Hierarchy<T>::cycle(std::size_t number, const VectorRef<T>& r, const VectorRef<T>& z) {
  Level& level = *levels_[number];
  if (level.inverse != nullptr) return on_.multiply(level.inverse->by(), r, z);
  level.smoother->apply(r, z);
  if (level.R == nullptr) return;
  Level& next = *levels_[number + 1];
  for (int visit = 0; visit < visits_; ++visit) {
    on_.multiply(*level.A, z, level.t, -1, 1, r);
    on_.multiply(level.R->by(), level.t, next.r);
    if (number == 0 && coarser_ != nullptr)
      on_.queue().replay(*coarser_);
    else
      cycle(number + 1, next.r, next.z);
    on_.multiply(level.P->by(), next.z, level.t);
    on_.run(Combination<T>().set(z, z + level.t));
  }
  on_.multiply(*level.A, z, level.t, -1, 1, r);
  level.smoother->apply(level.t, level.s);
  on_.run(Combination<T>().set(z, z + level.s));
}

SPMV_INSTANTIATE_CLASS(Hierarchy);

}  // namespace spmv
