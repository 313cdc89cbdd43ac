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
#include "kernels/absorb_order.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/row_order.hpp"
#include "kernels/rows/rows.hpp"
#include "kernels/tune/product_timer.hpp"
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

/// Tries formats and keeps the one that is to be kept, as long as there is room for another beside it. What differs from it in
/// the launch of kernels alone is not built again.
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
  /// Gives up what can be had again; false if there is nothing.
  bool make_room(Attempt& result) {
    if (timer_.give_up_block()) return true;
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

/// What a product in csr moves, with as many elements of x as of y.
double csr_product_bytes(lidx rows, offset nonzeros, std::size_t value_bytes) {
  return csr_bytes(rows, nonzeros, value_bytes) + 2.0 * rows * static_cast<double>(value_bytes);
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
                             const Device& device, const TuneRequest& request) {
  SearchRequest search;
  search.products = request.products;
  search.trials = request.trials;
  search.free_bytes = static_cast<double>(backend.memory().free_bytes);
  search.candidates =
      make_candidates<T>(analysis, {request.options, request.fixed, request.hint}, backend, device);
  search.in_cache = stays_in_cache(csr_product_bytes(block.rows, block.nonzeros(), sizeof(T)), device);
  search.plain = plain_candidate(search.candidates,
                                 plain_format_of(analysis.longest, analysis.rows, analysis.nonzeros, device));
  search.fixed = request.fixed;
  search.runs_host_code = device.runs_host_code;
  return search;
}

/// The remembered choice for this block and about this many products, or nullptr.
const RememberedChoice* recall(const std::vector<RememberedChoice>& remembered, const std::string& signature,
                               double products) {
  for (const RememberedChoice& k : remembered)
    if ((k.signature.empty() || k.signature == signature) && products >= k.products / 10 &&
        products <= k.products * 10)
      return &k;
  return nullptr;
}

/// Seconds of a product of a remembered choice, measured once more where so many products pay for it; 0 where it is not.
/// What is remembered of any block was measured in this run.
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

/// Whether the time that is remembered was taken on a busy machine: it is more than twice as long as it is now. The
/// other way round it is this run that is disturbed.
bool was_disturbed(double remembered_s, double now_s) {
  return now_s > 0 && remembered_s > 2 * now_s;
}

/// How closely to look for so many products: no longer than a few hundredths of what they take. Dense blocks take long to
/// find and longer to store.
AnalysisDepth depth_worth_it(double products) {
  constexpr double products_of_a_slice = 30, least = 32, most = 4096;
  constexpr double products_for_blocks = 1000;
  return {static_cast<offset>(std::clamp(products / products_of_a_slice, least, most)),
          products >= products_for_blocks, false};
}

template <class T>
void set_format(Choice<T>& choice, const std::string& format, const FormatOptions& options,
                OrderedOperator<T> built) {
  choice.decision.format = format;
  choice.decision.options = options;
  choice.row_order = std::move(built.row_order);
  choice.op = std::move(built.op);
}

}  // namespace

bool is_worth_looking(lidx rows, offset nonzeros, std::size_t value_bytes, double products,
                      const Device& device) {
  if (device.runs_host_code || device.bandwidth <= 0) return true;
  constexpr double hoped = 0.3, least_s = 3e-6;  // of csr's time; of a product, however small
  // To look at a nonzero, by one thread, and to build what is found instead of csr, at least.
  constexpr double start_s = 2e-3, look_ns = 5;
  const auto elements = static_cast<double>(nonzeros);
  const double product_s = least_s + csr_product_bytes(rows, nonzeros, value_bytes) / device.bandwidth;
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
Choice<T> choose_format(const Csr<T>& block, bool square, const std::vector<lidx>& row_list,
                        const std::shared_ptr<Backend>& backend, const TuneRequest& request,
                        const std::vector<RememberedChoice>& remembered) {
  Choice<T> choice;
  Device device = device_of(*backend, request.bandwidth);
  device.calibration = request.calibration;
  const bool looks = request.looks_always || !request.hint.empty() ||
                     is_worth_looking(block.rows, block.nonzeros(), sizeof(T), request.products, device);
  // What was not measured is not remembered either.
  const auto sign = [&] {
    if (choice.decision.signature.empty())
      choice.decision.signature = signature(block, request.options, request.fixed);
  };
  if (!remembered.empty()) sign();
  ProductTimer<T> timer(block, square, row_list, backend);
  std::string doubted;
  if (const RememberedChoice* k = recall(remembered, choice.decision.signature, request.products)) {
    double now_s = 0;
    const auto refused = refusal([&] {
      set_format(choice, k->format, k->options, timer.build(k->format, k->options));
      now_s = time_again(timer, *choice.op, *k, request);
    });
    if (!refused && !was_disturbed(k->measured_s, now_s)) {
      choice.decision.remembered = true;
      choice.decision.measured_s = k->measured_s;
      const std::string options = describe(k->options);
      choice.decision.reason =
          fmt::format("{}{}: remembered", k->format, options.empty() ? "" : " (" + options + ")");
      if (k->measured_s > 0)
        choice.decision.reason += fmt::format(", {:.4g} us measured then", k->measured_s * 1e6);
      return choice;
    }
    choice.op.reset();
    choice.row_order.clear();
    if (!refused)
      doubted = fmt::format("; {} was remembered, but its {:.4g} us then are {:.4g} us now", k->format,
                            k->measured_s * 1e6, now_s * 1e6);
  }

  if (!looks) {
    const char* const plain = plain_format(block, device);
    choice.decision.reason = fmt::format("{}: {:.10g} product{} for no other format; nobody looked for one",
                                         plain, request.products, request.products == 1 ? " pays" : "s pay") +
                             doubted;
    set_format(choice, plain, request.options, timer.build(plain, request.options));
    return choice;
  }
  const Analysis analysis = analyze(block, depth_worth_it(request.products));
  SearchRequest wanted = search_request(block, analysis, *backend, device, request);
  FormatTrials<T> trials(timer);
  wanted.attempt = [&](const Candidate& candidate, double batch_s, double keep_below_s) {
    return trials.attempt(candidate, batch_s, keep_below_s);
  };
  Found found = search(wanted);
  choice.decision.reason = found.reason + doubted;
  choice.decision.measured_s = found.measured_s;
  if (found.measured_s > 0) sign();
  choice.decision.budget_s = found.budget_s;
  choice.decision.spent_s = found.spent_s;
  choice.decision.trials = std::move(found.trials);
  const Candidate& best = found.best;
  if (auto built = trials.take(best)) {
    set_format(choice, best.format, best.options, std::move(*built));
    return choice;
  }
  timer.give_up_block();
  const auto refused =
      refusal([&] { set_format(choice, best.format, best.options, timer.build(best.format, best.options)); });
  if (refused) {
    choice.decision.measured_s = 0;
    choice.decision.reason = fmt::format("csr: {} was chosen and refused ({})", best.format, refused->what());
    set_format(choice, "csr", request.options, timer.build("csr", request.options));
  }
  return choice;
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
