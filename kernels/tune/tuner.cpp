#include "kernels/tune/tuner.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <omp.h>

#include "core/buffer.hpp"
#include "core/error.hpp"
#include "core/pick.hpp"
#include "core/value_types.hpp"
#include "kernels/columns_apart.hpp"
#include "kernels/ordered_operator.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/tune/product_timer.hpp"
#include "kernels/tune/search_reason.hpp"
#include "kernels/tune/signature.hpp"

namespace spmv {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Calls work(); returns why the format refused the block, or nothing. A bug is no refusal.
template <class Work>
std::optional<Error> refusal(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.code() == ExitCode::internal) throw;
    return error;
  } catch (const std::bad_alloc&) {
    return Error(ExitCode::memory, "the host has too little memory to build it");
  }
  return std::nullopt;
}

/// Tries formats and keeps the best so far, as long as there is room for another beside it. Options that change only how its
/// kernels are launched need no build.
template <class T>
class FormatTrials {
 public:
  explicit FormatTrials(ProductTimer<T>& timer) : timer_(timer) {}

  /// See SearchRequest::attempt.
  Attempt attempt(const Candidate& candidate, double batch_s, double keep_below_s) {
    const auto start = Clock::now();
    Attempt result;
    const auto once = [&] {
      return refusal([&] { build_and_measure(candidate, batch_s, keep_below_s, result); });
    };
    if (!std::exchange(was_asked_, true)) timer_.keep_block_on_device();
    std::optional<Error> refused = once();
    while (refused && refused->code() == ExitCode::memory && make_room(result)) refused = once();
    if (refused) result.refused = refused->what();
    result.spent_s = seconds_since(start);
    return result;
  }

  /// What is kept, if it has this format and these options.
  std::optional<OrderedOperator<T>> take(const Candidate& wanted) {
    if (!kept_.op || format_ != wanted.format || !same(options_, wanted.options)) return std::nullopt;
    return std::move(kept_);
  }

 private:
  /// Frees what can be had again; false if there is nothing.
  bool make_room(Attempt& result) {
    if (timer_.drop_block_on_device()) return true;
    if (!kept_.op) return false;
    kept_ = {};
    result.made_room = true;
    return true;
  }
  void build_and_measure(const Candidate& candidate, double batch_s, double keep_below_s, Attempt& result) {
    const auto start = Clock::now();
    OrderedOperator<T> tried{{}, relaunched(candidate)};
    const bool shares = tried.op != nullptr;
    if (!shares) {
      tried = timer_.build(candidate.format, candidate.options);
      result.build_s = seconds_since(start);
    }
    result.launched = tried.op->launched_with(candidate.options);
    result.measured_s = timer_.measure(*tried.op, batch_s);
    if (timer_.may_be_faster_apart(*tried.op)) {
      auto apart = std::make_unique<ColumnsApart<T>>(std::move(tried.op));
      const double seconds = timer_.measure(*apart, batch_s);
      result.columns_apart = seconds < result.measured_s;
      result.measured_s = std::min(seconds, result.measured_s);
      tried.op = result.columns_apart ? std::move(apart) : apart->together();
    }
    if (result.measured_s >= keep_below_s) return;
    if (shares) tried.row_order = std::move(kept_.row_order);
    kept_ = std::move(tried);
    format_ = candidate.format;
    options_ = candidate.options;
  }
  /// nullptr if it has to be built.
  std::unique_ptr<LocalOperator<T>> relaunched(const Candidate& wanted) const {
    if (!kept_.op || format_ != wanted.format || !need_the_same_arrays(format_, options_, wanted.options))
      return nullptr;
    return kept_.op->relaunched(wanted.options);
  }

  ProductTimer<T>& timer_;
  bool was_asked_ = false;
  OrderedOperator<T> kept_;
  std::string format_;
  FormatOptions options_;
};

/// What a product in csr moves, with as many elements of x as of y in each of its columns.
double csr_product_bytes(lidx rows, offset nonzeros, std::size_t value_bytes, int columns) {
  return csr_bytes(rows, nonzeros, value_bytes) + columns * vector_bytes(rows, rows, value_bytes);
}

/// See plain_format().
const char* plain_format_of(offset longest, lidx rows, offset nonzeros, const Device& device) {
  if (device.runs_host_code || nonzeros == 0) return "csr";
  constexpr offset most_means = 4;  // that the longest row may be
  return longest * rows <= most_means * nonzeros ? "csr_vector" : "csr";
}

/// The candidate with the plain format; csr, which is the first, if there is none.
std::size_t plain_candidate(const std::vector<Candidate>& candidates, const std::string& plain) {
  const auto found = std::find_if(candidates.begin(), candidates.end(),
                                  [&](const Candidate& c) { return c.format == plain; });
  return found == candidates.end() ? 0 : static_cast<std::size_t>(found - candidates.begin());
}

template <class T>
SearchRequest search_request(const Csr<T>& block, const Analysis& analysis, const Backend& backend,
                             const Device& device, const TuneRequest& request, bool sums) {
  SearchRequest search;
  search.products = request.products;
  search.trials = request.trials;
  search.free_bytes = static_cast<double>(backend.memory().free_bytes);
  search.columns = request.columns;
  search.candidates = make_candidates<T>(
      analysis, {request.options, request.fixed, request.hint, sums, request.columns}, backend, device);
  search.in_cache =
      stays_in_cache(csr_product_bytes(block.rows, block.nonzeros(), sizeof(T), request.columns), device);
  search.plain = plain_candidate(search.candidates,
                                 plain_format_of(analysis.longest, analysis.rows, analysis.nonzeros, device));
  search.fixed = request.fixed;
  search.runs_host_code = device.runs_host_code;
  return search;
}

/// Whether a choice that is remembered for any block is for such products. One that was made with sums serves products without
/// them, too, but not the other way round.
bool serves(const RememberedChoice& choice, const TuneRequest& request, bool sums) {
  return choice.columns == request.columns && (choice.sums || !sums);
}

/// The remembered choice for this block and about this many products, or nullptr.
const RememberedChoice* recall(const std::vector<RememberedChoice>& remembered, const std::string& signature,
                               const TuneRequest& request, bool sums) {
  for (const RememberedChoice& k : remembered)
    if ((k.signature.empty() ? serves(k, request, sums) : k.signature == signature) &&
        request.products >= k.products / 10 && request.products <= k.products * 10)
      return &k;
  return nullptr;
}

/// Seconds of a product of a remembered choice, measured once more where that is a small part of so many products; 0 where it
/// is not. A choice that is remembered for any block was measured in this run.
template <class T>
double time_again(ProductTimer<T>& timer, const LocalOperator<T>& op, const RememberedChoice& choice,
                  const TuneRequest& request) {
  constexpr double batch_s = 1e-3;
  constexpr double worth_it = 1e-2;  // of what all products take
  const double measuring =
      warm_up_products * choice.measured_s + timed_batches * std::max(batch_s, choice.measured_s);
  if (choice.signature.empty() || choice.measured_s <= 0 || !request.trials ||
      measuring > worth_it * request.products * choice.measured_s)
    return 0;
  return timer.measure(op, batch_s);
}

/// Whether the remembered time was taken on a busy machine: it is more than twice as long as the time now. If it is the
/// other way round, this run is disturbed.
bool was_disturbed(double remembered_s, double now_s) {
  return now_s > 0 && remembered_s > 2 * now_s;
}

/// How closely to look for so many products: for no longer than a few hundredths of the time that they take. Dense blocks take
/// long to find and longer to store.
AnalysisDepth depth_worth_it(double products) {
  constexpr double products_of_a_slice = 30, least = 32, most = 4096;
  constexpr double products_for_blocks = 1000;
  return {static_cast<offset>(std::clamp(products / products_of_a_slice, least, most)),
          products >= products_for_blocks, false};
}

/// One call of choose_format().
template <class T>
class Tuner {
 public:
  Tuner(const BuildRequest<T>& request, const TuneRequest& tune)
      : block_(request.block),
        backend_(*request.backend),
        tune_(tune),
        device_(device_of(backend_, tune.bandwidth)),
        sums_(tune.sums && tune.columns == 1 && !device_.runs_host_code && request.row_list.empty() &&
              block_.cols >= block_.rows),
        timer_(request, {.sums = sums_, .columns = tune.columns}) {
    device_.calibration = tune.calibration;
    choice_.decision.sums = sums_;
  }

  Choice<T> choose(const std::vector<RememberedChoice>& remembered) {
    if (!remembered.empty()) sign();
    const RememberedChoice* const known = recall(remembered, choice_.decision.signature, tune_, sums_);
    if (known != nullptr && take_remembered(*known)) return std::move(choice_);
    if (is_worth_a_search())
      search_and_build();
    else
      take_plain();
    choice_.decision.reason += disturbed_;
    return std::move(choice_);
  }

 private:
  /// What was not measured is not remembered, and needs no signature.
  void sign() {
    if (choice_.decision.signature.empty())
      choice_.decision.signature =
          signature(block_, tune_.options, tune_.fixed, {.sums = sums_, .columns = tune_.columns});
  }
  bool is_worth_a_search() const {
    return tune_.looks_always || !tune_.hint.empty() ||
           is_worth_looking(block_.rows, block_.nonzeros(), sizeof(T), tune_.products, device_,
                            tune_.columns);
  }
  void set_format(const std::string& format, const FormatOptions& options, OrderedOperator<T> built) {
    choice_.decision.columns_apart = false;
    choice_.decision.format = format;
    choice_.decision.options = options;
    choice_.row_order = std::move(built.row_order);
    choice_.op = std::move(built.op);
  }
  void build(const std::string& format, const FormatOptions& options) {
    set_format(format, options, timer_.build(format, options));
  }

  void take_columns_apart() {
    choice_.decision.columns_apart = true;
    choice_.op = std::make_unique<ColumnsApart<T>>(std::move(choice_.op));
  }

  /// False, and nothing built, if the format refuses the block or the remembered time was taken on a busy machine.
  bool take_remembered(const RememberedChoice& known) {
    double now_s = 0;
    const auto refused = refusal([&] {
      build(known.format, known.options);
      if (known.columns_apart) take_columns_apart();
      now_s = time_again(timer_, *choice_.op, known, tune_);
    });
    Decision& decision = choice_.decision;
    if (!refused && !was_disturbed(known.measured_s, now_s)) {
      decision.remembered = true;
      decision.measured_s = known.measured_s;
      const std::string options = describe(known.options);
      decision.reason =
          fmt::format("{}{}: remembered{}", known.format, options.empty() ? "" : " (" + options + ")",
                      known.columns_apart ? ", one column after another" : "");
      if (known.measured_s > 0)
        decision.reason +=
            fmt::format(", {:.4g} us{} measured then", known.measured_s * 1e6, of_columns(tune_.columns));
      return true;
    }
    choice_.op.reset();
    choice_.row_order.clear();
    if (!refused)
      disturbed_ = fmt::format("; {} was remembered, but its {:.4g} us then are {:.4g} us now", known.format,
                               known.measured_s * 1e6, now_s * 1e6);
    return false;
  }

  void take_plain() {
    const char* const plain = plain_format(block_, device_);
    choice_.decision.reason = fmt::format("{}: {} not worth the search for another format", plain,
                                          products_are(tune_.products, tune_.columns));
    build(plain, tune_.options);
  }

  void search_and_build() {
    const Analysis analysis = analyze(block_, depth_worth_it(tune_.products));
    SearchRequest wanted = search_request(block_, analysis, backend_, device_, tune_, sums_);
    FormatTrials<T> trials(timer_);
    wanted.attempt = [&](const Candidate& candidate, double batch_s, double keep_below_s) {
      return trials.attempt(candidate, batch_s, keep_below_s);
    };
    Found found = search(wanted);
    Decision& decision = choice_.decision;
    decision.reason = found.reason;
    decision.measured_s = found.measured_s;
    if (found.measured_s > 0) sign();
    decision.budget_s = found.budget_s;
    decision.spent_s = found.spent_s;
    decision.trials = std::move(found.trials);
    if (auto built = trials.take(found.best))
      set_format(found.best.format, found.best.options, std::move(*built));
    else
      build_or_csr(found.best);
    if (!found.columns_apart || decision.format != found.best.format) return;
    if (choice_.op->takes_columns()) take_columns_apart();
    decision.columns_apart = true;
    decision.reason += ", one column after another";
  }

  void build_or_csr(const Candidate& best) {
    timer_.drop_block_on_device();
    const auto refused = refusal([&] { build(best.format, best.options); });
    if (!refused) return;
    choice_.decision.measured_s = 0;
    choice_.decision.reason =
        fmt::format("csr: {} was chosen and refused ({})", best.format, refused->what());
    build("csr", tune_.options);
  }

  const Csr<T>& block_;
  Backend& backend_;
  const TuneRequest& tune_;
  Device device_;
  const bool sums_;  // of products count; on a host they take the same time in all formats
  ProductTimer<T> timer_;
  Choice<T> choice_;
  std::string disturbed_;  // what to add to the reason where a remembered time was not believed
};

}  // namespace

bool is_worth_looking(lidx rows, offset nonzeros, std::size_t value_bytes, double products,
                      const Device& device, int columns) {
  if (device.runs_host_code || device.bandwidth <= 0) return true;
  constexpr double hoped = 0.3, least_s = 3e-6;  // of csr's time; of a product, however small
  // To look at a nonzero, by one thread, and to build what is found instead of csr, at least.
  constexpr double start_s = 2e-3, look_ns = 5;
  const auto elements = static_cast<double>(nonzeros);
  const double product_s =
      least_s + csr_product_bytes(rows, nonzeros, value_bytes, columns) / device.bandwidth;
  return hoped * products * product_s > start_s + 1e-9 * look_ns * elements / std::max(device.threads, 1);
}

template <class T>
const char* plain_format(const Csr<T>& block, const Device& device) {
  if (device.runs_host_code) return "csr";
  return plain_format_of(most_in_a_row(block.row_ptr), block.rows, block.nonzeros(), device);
}

Device device_of(Backend& backend, double bandwidth) {
  return {backend.runs_host_code(), bandwidth, omp_get_max_threads(), nullptr,
          static_cast<double>(backend.cache_bytes())};
}

template <class T>
Choice<T> choose_format(const BuildRequest<T>& request, const TuneRequest& tune,
                        const std::vector<RememberedChoice>& remembered) {
  return Tuner<T>(request, tune).choose(remembered);
}

template <class T>
void require_usable(const std::string& name, const Backend& backend) {
  if (name == auto_format) return;
  const std::string reason = why_unusable(pick(formats<T>(), name, "format"), backend);
  if (!reason.empty()) throw Error(ExitCode::environment, reason);
}

SPMV_INSTANTIATE(choose_format);
SPMV_INSTANTIATE(plain_format);
SPMV_INSTANTIATE(require_usable);

}  // namespace spmv
