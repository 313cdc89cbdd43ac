#include "dist/solve/hierarchy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/value_types.hpp"
#include "dist/solve/coarsest_inverse.hpp"
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

gidx least_rows(const HierarchyOptions& options, const Queue& queue) {
  constexpr gidx on_host = 1000, on_gpu = 10000;
  return options.least_rows.value_or(queue.takes_cuda_kernels() ? on_gpu : on_host);
}

}  // namespace

const std::vector<std::string>& smoothers() {
  static const std::vector<std::string> names = {"chebyshev", jacobi};
  return names;
}

template <class T>
Hierarchy<T>::Hierarchy(Workspace<T>& on, const Operator<T>& A, const DistributedRows<T>& rows,
                        std::vector<CoarseLevel<T>> coarser, const HierarchyOptions& options)
    : Hierarchy(on, options) {
  require_options(options);
  add_level(nullptr, A, rows, A.exponent(), options, true);
  LevelMove finer = keep_level(on.communicator(), rows.rows);
  for (std::size_t number = 1; number <= coarser.size(); ++number) {
    CoarseLevel<T>& given = coarser[number - 1];
    require_level(on.communicator(), given, number, finer.given);
    finer = hang_on(given, finer, options, number == coarser.size());
    given = {given.rows, {}, {}, {}};  // it may be large
  }
  make_vectors();
  capture_coarser();
  choices_ =
      fmt::format("{}, {}-cycle, smoother {}", standing(), options.w_cycle ? 'W' : 'V', options.smoother);
  if (options.smoother != jacobi) choices_ += fmt::format(" of degree {}", options.degree);
}

/// The levels, and on how many ranks each has rows. Local.
template <class T>
std::string Hierarchy<T>::standing() const {
  std::vector<gidx> sizes;
  std::vector<int> ranks;
  for (const auto& level : levels_) {
    sizes.push_back(level->rows.total());
    ranks.push_back(0);
    for (int r = 0; r < level->rows.ranks(); ++r) ranks.back() += level->rows.count(r) > 0 ? 1 : 0;
  }
  const bool several = sizes.size() > 1;
  const std::string text =
      fmt::format("{} level{} with {} rows", sizes.size(), several ? "s" : "", fmt::join(sizes, ", "));
  if (on_.communicator().size() == 1 || !several) return text;
  return text + fmt::format(" on {} ranks", fmt::join(ranks, ", "));
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
  levels_.push_back(std::move(level));
  if (!smooths && options.leaves_out_constants) return;  // one row alone is 0
  const LevelDiagonal diagonal = find_level_diagonal(all, rows, levels_.size() - 1, exponent);
  if (!smooths) return;
  Level& here = *levels_.back();
  if (!diagonal.constant)
    all.together([&] {
      here.D = A.make_vector();
      upload(on_.backend(), here.D,
             A.matrix().to_basis(
                 in_every_column(A, std::vector<T>(diagonal.inverse.begin(), diagonal.inverse.end()))));
    });
  const double factor = all.max(diagonal.inverse.empty() ? 0.0 : diagonal.inverse.front());
  double bound = diagonal.bound;
  if (levels_.size() == 1 && options.bound > 0)
    bound = options.bound * A.factor() *
            all.max(diagonal.inverse.empty()
                        ? 0.0
                        : *std::max_element(diagonal.inverse.begin(), diagonal.inverse.end()));
  const double largest = largest_smoothed(on_, A, here.D, factor, bound, rows.rows.first(all.rank()));
  const bool by_jacobi = options.smoother == jacobi;
  all.together([&] {
    here.smoother = std::make_unique<ChebyshevIteration<T>>(on_, A, by_jacobi ? 0 : options.degree, here.D);
  });
  // Coarser levels do not see the eigenvalues above a part of the largest.
  const double part = by_jacobi ? 0.5 : 0.25, unit = diagonal.constant ? 1 / factor : 1;
  here.smoother->set_interval(part * largest * unit, largest * unit);
}

/// The next coarser level, and the way to it and back. Returns where its rows went. Collective.
template <class T>
LevelMove Hierarchy<T>::hang_on(CoarseLevel<T>& given, const LevelMove& finer,
                                const HierarchyOptions& options, bool coarsest) {
  const Communicator& all = on_.communicator();
  const DistMatrix<T>& finest = levels_.front()->A->matrix();
  LevelMove coarser = gather_level(all, given.rows, least_rows(options, on_.queue()));
  const auto moved = [&](RowBlock<T>&& block, const LevelMove& to, const LevelMove& from) {
    return redistribute(all, {to.given, from.given}, std::move(block), {to.move, from.move});
  };
  std::optional<DistributedRows<T>> inverse;
  if (coarsest)
    inverse = coarsest_inverse(all, given, levels_.size(), options.most_dense, options.leaves_out_constants,
                               coarser.move.partition());
  if (given.ids.empty()) given.ids = given.rows.ids(all.rank());
  DistributedRows<T> of_A = moved(std::move(given.A), coarser, coarser);
  of_A.original_row = coarser.move.carry(given.ids);
  auto own = std::make_unique<LevelMatrix<T>>(all, finest, of_A, auto_format);
  const Operator<T>& A = own->by();
  add_level(std::move(own), A, of_A, 0, options, !coarsest);
  Level &above = *levels_[levels_.size() - 2], &here = *levels_.back();
  const auto between = [&](const DistributedRows<T>& rows, const Level& to, const Level& from,
                           const char* format) {
    return std::make_unique<LevelMatrix<T>>(all, finest, rows, format, to.order(), from.order());
  };
  above.P = between(moved(std::move(given.P), finer, coarser), above, here, of_short_rows);
  above.R = between(moved(std::move(given.R), coarser, finer), here, above, of_long_rows);
  if (inverse) here.inverse = between(*inverse, here, here, of_long_rows);
  return coarser;
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
        *vector = Vector<T>(level.A->matrix().backend(), level.A->elements(), halo * level.A->columns());
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
