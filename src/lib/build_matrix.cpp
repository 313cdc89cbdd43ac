// From the caller's rows to a matrix that multiplies.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/pick.hpp"
#include "core/value_types.hpp"
#include "dist/partitioner.hpp"
#include "dist/prepare/prepare_matrix.hpp"
#include "dist/prepare/product_trials.hpp"
#include "dist/solve/check_finite.hpp"
#include "dist/solve/ends_of_spectrum.hpp"
#include "kernels/format_options.hpp"
#include "kernels/row_order.hpp"
#include "kernels/tune/candidates.hpp"
#include "lib/matrix.hpp"

namespace spmv::lib {
namespace {

constexpr const char* keep = "keep";
constexpr const char* automatic = "auto";
constexpr const char* by_trial = "fastest";
constexpr const char* no_cache = "off";

template <class Table>
std::vector<std::string> with_names(std::vector<std::string> words, const Table& table) {
  for (const auto& row : table) words.emplace_back(row.name);
  return words;
}

/// The modes to try, the best first, and in `why` the reason for this choice unless trials give it.
template <class T>
std::vector<const Mode<T>*> modes_in_turn(const std::string& asked, bool on_gpu, bool halo,
                                          std::string& why) {
  std::vector<const Mode<T>*> in_turn = modes_by_rank<T>();
  if (asked == by_trial && halo) return in_turn;
  if (asked != automatic && asked != by_trial) {
    why = "named by the caller";
    const Mode<T>& named = pick(modes<T>(), asked, "mode");
    if (named.rank == 0) return {&named};
    std::erase_if(in_turn, [&](auto* mode) { return mode->rank > named.rank; });
  } else if (!halo) {
    why = "no rank needs elements of another";
    return {in_turn.back()};
  } else if (!on_gpu) {
    why = "the host computes with all its cores, and a communication thread would take one of them";
    return {in_turn.back()};
  } else {
    why = "the first that works here of";
    for (const Mode<T>* mode : in_turn) why += fmt::format(" {}", mode->name);
  }
  return in_turn;
}

const char* to_string(ThreadLevel level) {
  switch (level) {
    case ThreadLevel::single:
      return "MPI_THREAD_SINGLE";
    case ThreadLevel::funneled:
      return "MPI_THREAD_FUNNELED";
    case ThreadLevel::serialized:
      return "MPI_THREAD_SERIALIZED";
    case ThreadLevel::multiple:
      break;
  }
  return "MPI_THREAD_MULTIPLE";
}

/// The layout that the caller named if the mode has it, otherwise the mode's standard one.
template <class T>
std::string layout_for(const Mode<T>& mode, const std::string& asked) {
  for (const std::string& layout : mode.layouts)
    if (asked == layout) return layout;
  return mode.layouts.front();
}

/// Measured once for all matrices of a context. Collective.
template <class T>
double tuning_bandwidth_of(MatrixState<T>& state) {
  ContextState& context = *state.context;
  if (context.tuning_bandwidth > 0) return context.tuning_bandwidth;
  Backend& backend = *context.place.backend;
  context.tuning_bandwidth = tuning_bandwidth(
      context.communicator, backend,
      measure_bandwidth(context.communicator, backend, working_set<T>(state.rows.block.nonzeros())));
  return context.tuning_bandwidth;
}

/// Who gets which of the caller's rows, by the partitioner that the caller named. Collective; throws AgreedError.
template <class T>
Assignment find_assignment(MatrixState<T>& state, const CallerRows<T>& taken) {
  const Communicator& all = state.context->communicator;
  const std::shared_ptr<Backend>& backend = state.context->place.backend;
  PartitionRequest request{.seed = state.options.seed, .products = state.options.dist.tune.products};
  if (state.options.partition == automatic)
    request.rates = product_rates<T>(all, backend,
                                     measure_bandwidth(all, *backend, working_set<T>(taken.block.nonzeros())),
                                     {taken.owners, taken.block.row_ptr, taken.block.col});
  Assignment assignment = assign_rows(all, pick(partitioners(), state.options.partition, "partitioner"),
                                      taken.owners, taken.block, request);
  if (const PartitionChoice& choice = assignment.choice; !choice.taken.empty())
    state.notes.push_back(fmt::format("partition: {}, {}", choice.taken, choice.reason));
  return assignment;
}

/// Of OpenMP during a product.
template <class T>
int threads_for(const Place& place, const Mode<T>& mode, const std::string& layout) {
  const bool apart = uses_comm_thread(mode, layout) && place.cores.comm_core >= 0;
  return apart ? std::clamp(place.cores.per_rank - 1, 1, place.threads) : place.threads;
}

/// Brings the matrix into this layout, with a transport for the mode. Collective; throws AgreedError.
template <class T>
void set_up(MatrixState<T>& state, MatrixBuilder<T>& builder, const Mode<T>& mode,
            const std::string& layout) {
  if (!state.matrix || state.matrix->layout() != layout) {
    state.matrix.reset();  // two at once would need twice the memory
    state.matrix = builder.build(state.rows, layout);
  }
  state.matrix->use_transport(state.context->communicator, state.options.transport,
                              mode.needs_queued_exchange, state.options.dist.transport_request);
}

/// Takes the first mode that can be set up. Collective; throws AgreedError.
template <class T>
void take_first(MatrixState<T>& state, MatrixBuilder<T>& builder,
                const std::vector<const Mode<T>*>& in_turn) {
  for (const Mode<T>* mode : in_turn) {
    try {
      set_up(state, builder, *mode, layout_for(*mode, state.options.layout));
      state.mode = mode;
      return;
    } catch (const AgreedError& error) {
      const bool last = mode == in_turn.back();
      if (last || error.code() == ExitCode::internal || error.code() == ExitCode::memory) throw;
      state.why_not.push_back(fmt::format("mode {}: {}", mode->name, error.what()));
    }
  }
}

/// Products of the matrix in one mode and layout after the other, with their sums if the caller wants those.
template <class T>
class Trials {
 public:
  Trials(MatrixState<T>& state, MatrixBuilder<T>& builder) : state_(state), builder_(builder) {}
  /// Collective; throws AgreedError.
  TriedProduct next(const Mode<T>& mode, const std::string& layout) {
    free_last();
    set_up(state_, builder_, mode, layout);
    const ContextState& context = *state_.context;
    DistMatrix<T>& matrix = *state_.matrix;
    threads_.emplace(*context.place.backend, threads_for(context.place, mode, layout));
    context.communicator.together([&] {
      x_ = matrix.make_x();
      y_ = matrix.make_y();
      matrix.compute_queue().fill(x_.data(), 0, x_.bytes());
    });
    if (!state_.options.dist.tune.sums || !state_.rows.square())
      return {matrix.compute_queue(),
              [this, &mode, &matrix] { mode.product(matrix, x_.data(), y_.data(), nullptr); }};
    TransportRequest request = state_.options.dist.transport_request;
    request.earlier_trials = nullptr;  // those are of the halo
    // No sums are added up over ranks here: any transport serves.
    A_.emplace(matrix, mode);
    on_.emplace(context.communicator, matrix.backend(), matrix.compute_queue(),
                matrix.transport_choice().name, request);
    return {matrix.compute_queue(), [this] {
              on_->multiply_and_change(*A_, {x_.data(), A_->rows()}, {y_.data(), A_->rows()});
            }};
  }

 private:
  /// Before another matrix needs the memory, and all threads.
  void free_last() {
    on_.reset();
    A_.reset();
    x_ = {};
    y_ = {};
    threads_.reset();
  }

  MatrixState<T>& state_;
  MatrixBuilder<T>& builder_;
  std::optional<Scope> threads_;
  Buffer<T> x_, y_;
  std::optional<Operator<T>> A_;
  std::optional<Workspace<T>> on_;
};

/// Takes the mode and the layout in which a product is fastest. Collective; throws AgreedError.
template <class T>
void take_fastest(MatrixState<T>& state, MatrixBuilder<T>& builder,
                  const std::vector<const Mode<T>*>& tried) {
  const std::vector<ProductTrial> results = [&] {
    Trials<T> trials(state, builder);
    return time_products<T>(
        state.context->communicator, tried, state.options.layout,
        [&](const Mode<T>& mode, const std::string& layout) { return trials.next(mode, layout); });
  }();
  const ProductTrial& best = *fastest(results);
  state.mode = &pick(modes<T>(), best.mode, "mode");
  set_up(state, builder, *state.mode, best.layout);
  std::vector<std::string> times;
  for (const ProductTrial& result : results) {
    const std::string name = fmt::format("{} in {}", result.mode, result.layout);
    if (result.left_out.empty())
      times.push_back(fmt::format("{} ({:.4g} us)", name, result.product_s * 1e6));
    else
      state.why_not.push_back(fmt::format("mode {}: {}", name, result.left_out));
  }
  state.why = fmt::format("the fastest product of {}", fmt::join(times, ", "));
}

}  // namespace

MatrixOptions read_options(Settings& settings) {
  MatrixOptions options;
  options.mode = settings.word("mode", automatic, with_names({automatic, by_trial}, modes<double>()));
  options.layout = settings.word("layout", automatic, with_names({automatic}, layouts()));
  options.transport = settings.word("transport", auto_transport, with_names({auto_transport}, transports()));
  options.partition = settings.word("partition", keep, with_names({keep}, partitioners()));
  options.seed = settings.integer("seed", 1, 0, 1 << 30);
  options.symmetry = settings.word("symmetry", "general", {"general", "symmetric", "hermitian"});
  options.tune_cache = settings.text("tune_cache", no_cache);
  if (options.tune_cache == no_cache) options.tune_cache.clear();
  options.updates = settings.word("updates", "on", {"on", "off"}) == "on";
  options.largest_block = settings.integer("largest_block", options.largest_block, 1, most_block_rows);
  DistOptions& dist = options.dist;
  const auto format_names = with_names({auto_format}, formats<double>());
  dist.format = settings.word("format", auto_format, format_names);
  dist.nonlocal_format = settings.word("nonlocal_format", dist.format, format_names);
  options.inner = settings.word("inner", "none", {"none", "float"}) == "float";
  options.inner_format = settings.word("inner_format", dist.format, format_names);
  dist.transport_request.limit_s = 0;  // abandoning a trial can end the caller's process
  dist.transport_request.earlier_trials = std::make_shared<std::vector<TransportReport>>();
  dist.tune.products = settings.number("products", dist.tune.products, 1, 1e15);
  dist.transport_request.products = dist.tune.products;
  dist.tune.sums = settings.word("sums", "off", {"on", "off"}) == "on";
  dist.tune.hint = settings.word("hint", "", with_names({""}, hints()));
  for (const OptionField& field : option_fields()) {
    const int otherwise = field.get({});
    const auto& allowed = field.allowed;
    const int value = allowed.empty() ? settings.integer(field.name, otherwise, field.least, field.most)
                                      : settings.integer(field.name, otherwise, 0, 1 << 30);
    if (!is_allowed(field, value))
      throw Error(ExitCode::usage,
                  fmt::format("option {}={} is none of {}", field.name, value, fmt::join(allowed, ", ")));
    if (!settings.has(field.name)) continue;
    field.set(dist.tune.options, value);
    if (value != 0) dist.tune.fixed.emplace_back(field.name);
  }
  settings.require_known();
  return options;
}

template <class T>
void take_matrix(MatrixState<T>& state, const spmv_dist::Rows<T>& rows) {
  const Communicator& all = state.context->communicator;
  CallerRows<T> taken = take_rows(all, state.context->place.backend, rows);
  state.elements = taken.elements;
  state.place = std::move(taken.place);
  state.callers_row_ptr = taken.block.row_ptr;
  state.global_elements = all.sum(taken.block.nonzeros());
  RowsRequest request;
  if (state.options.partition != keep) request.assignment = find_assignment(state, taken);
  PreparedRows<T> prepared = prepare_rows(all, taken.owners, std::move(taken.block), std::move(request));
  state.rows = std::move(prepared.rows);
  state.moves = std::move(prepared.moves);
  const auto moved = [&](const Move Moves::*move, std::vector<gidx> ids) {
    return state.moves ? (*state.moves.*move).carry(ids) : ids;
  };
  state.ids = {moved(&Moves::cols, std::move(taken.col_ids)), moved(&Moves::rows, std::move(taken.row_ids))};
}

template <class T>
void build_matrix(MatrixState<T>& state) {
  const Communicator& all = state.context->communicator;
  const Place& place = state.context->place;
  DistOptions& wanted = state.options.dist;
  all.together([&] {
    for (const std::string& format : {wanted.format, wanted.nonlocal_format})
      require_usable<T>(format, *place.backend);
  });
  if (wanted.format == auto_format || wanted.nonlocal_format == auto_format ||
      state.options.inner_format == auto_format)
    wanted.tune.bandwidth = tuning_bandwidth_of(state);
  const auto note = [&state](const std::string& sentence) { state.notes.push_back(sentence); };
  MatrixBuilder<T> builder(all, place, wanted, {state.options.tune_cache, spmv_dist::version(), note});
  const bool on_gpu = !place.backend->device_id().empty();
  const auto in_turn =
      modes_in_turn<T>(state.options.mode, all.all_of(on_gpu), has_halo(all, state.rows), state.why);
  std::vector<const Mode<T>*> possible;
  for (const Mode<T>* mode : in_turn)
    if (MpiSession::thread_level() >= mode->thread_level)
      possible.push_back(mode);
    else
      state.why_not.push_back(fmt::format("mode {} needs {}, and MPI was started with {}", mode->name,
                                          to_string(mode->thread_level),
                                          to_string(MpiSession::thread_level())));
  if (state.options.mode == by_trial && possible.size() > 1)
    take_fastest(state, builder, possible);
  else
    take_first(state, builder, possible);
  state.scales_rows = state.matrix->scales_rows();
  state.threads = threads_for(place, *state.mode, state.matrix->layout());
}

namespace {

/// The elements less than `width` columns from the diagonal, of this rank's columns. Pure.
template <class T>
Csr<T> elements_near_diagonal(const Csr<T>& block, lidx width) {
  Csr<T> near;
  near.rows = near.cols = block.rows;
  for (lidx row = 0; row < block.rows; ++row) {
    for (offset k = block.row_ptr[row]; k < block.row_ptr[row + 1]; ++k) {
      const lidx col = block.col[k];
      if (col >= block.rows || std::abs(col - row) >= width) continue;
      near.col.push_back(col);
      near.value.push_back(block.value[k]);
    }
    near.row_ptr.push_back(static_cast<offset>(near.col.size()));
  }
  return near;
}

}  // namespace

template <class T>
void drop_values(MatrixState<T>& state) {
  if (state.rows.square()) {
    state.near_diagonal = state.context->communicator.together(
        [&] { return elements_near_diagonal(state.rows.block, state.options.largest_block); });
    state.eigenvalue_bound = bound_largest_eigenvalue(state.context->communicator, state.rows);
  }
  state.not_finite = element_not_finite(state.context->communicator, state.rows, state.ids[1], state.ids[0]);
  std::vector<T>().swap(state.rows.block.value);
}

template <class T>
MatrixState<T>::~MatrixState() {
  if (!matrix) return;
  const Scope scope(*context->place.backend, threads);
  try {
    matrix->compute_queue().synchronize();
  } catch (...) {  // a destructor must not throw
  }
  for (Basis<T>* basis : all_bases())
    if (basis != nullptr) basis->products = nullptr;
  several.clear();
  product = {};
  kept_workspace.reset();
  inner.reset();
  as_given.reset();
  normalised.reset();
  matrix.reset();
}

SPMV_INSTANTIATE(take_matrix);
SPMV_INSTANTIATE(build_matrix);
SPMV_INSTANTIATE(drop_values);
SPMV_INSTANTIATE_CLASS(MatrixState);

}  // namespace spmv::lib
