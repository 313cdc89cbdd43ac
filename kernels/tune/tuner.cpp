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
#include "kernels/tune/signature.hpp"

namespace spmv {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Builds one block in any format, and measures its products.
template <class T>
class ProductTimer {
 public:
  ProductTimer(const Csr<T>& block, bool square, const std::vector<lidx>& row_list,
               const std::shared_ptr<Backend>& backend)
      : block_(block), square_(square), row_list_(row_list), backend_(backend) {}

  OrderedOperator<T> build(const std::string& name, const FormatOptions& options) const {
    return make_ordered(pick(formats<T>(), name, "format"), block_, square_, row_list_, options, backend_);
  }

  /// Seconds of one product: the median of a few batches that take about batch_s each. Short products are
  /// replayed from a recording: one after the other, all would need the time of a launch.
  double measure(const LocalOperator<T>& op, double batch_s) {
    if (!queue_) prepare();
    batch(op, warm_up_products - 2);
    const double once = batch(op, 2);
    const int calls = std::clamp(static_cast<int>(batch_s / std::max(once, 1e-9)), 1, 10'000);
    std::vector<double> seconds;
    if (queue_->takes_cuda_kernels() && once < replay_below_s) {
      const auto recording = queue_->record_work([&] { apply(op, recorded_products); });
      const int replays = std::max(1, calls / recorded_products);
      timed([&] { queue_->replay(*recording); });
      for (int i = 0; i < timed_batches; ++i)
        seconds.push_back(timed([&] {
                            for (int r = 0; r < replays; ++r) queue_->replay(*recording);
                          }) /
                          (replays * recorded_products));
    } else {
      for (int i = 0; i < timed_batches; ++i) seconds.push_back(batch(op, calls));
    }
    std::sort(seconds.begin(), seconds.end());
    return std::max(seconds[seconds.size() / 2], 1e-9);
  }

 private:
  void prepare() {
    queue_ = backend_->make_queue(Priority::normal);
    begin_ = backend_->make_event();
    end_ = backend_->make_event();
    x_ = Buffer<T>(backend_, static_cast<std::size_t>(block_.cols), Memory::device);
    const auto last = std::max_element(row_list_.begin(), row_list_.end());
    const lidx written = last == row_list_.end() ? block_.rows : *last + 1;
    y_ = Buffer<T>(backend_, static_cast<std::size_t>(written), Memory::device);
    queue_->fill(x_.data(), 0, x_.bytes());
  }
  void apply(const LocalOperator<T>& op, int calls) {
    for (int i = 0; i < calls; ++i) op.apply(*queue_, x_.data(), y_.data(), Update::assign);
  }
  /// Seconds of what work() queues.
  template <class Work>
  double timed(const Work& work) {
    queue_->record(*begin_);
    work();
    queue_->record(*end_);
    queue_->synchronize();
    return end_->seconds_since(*begin_);
  }
  /// Mean of `calls` products, one after the other.
  double batch(const LocalOperator<T>& op, int calls) {
    return timed([&] { apply(op, calls); }) / calls;
  }

  static constexpr double replay_below_s = 50e-6;
  static constexpr int recorded_products = 20;

  const Csr<T>& block_;
  bool square_;
  const std::vector<lidx>& row_list_;
  std::shared_ptr<Backend> backend_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Event> begin_, end_;
  Buffer<T> x_, y_;
};

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

/// Tries formats and keeps the fastest, as long as there is room for another beside it.
template <class T>
class FormatTrials {
 public:
  explicit FormatTrials(ProductTimer<T>& timer) : timer_(timer) {}

  Attempt attempt(const Candidate& candidate, double batch_s) {
    const auto start = Clock::now();
    Attempt result;
    const auto once = [&] { return refusal([&] { build_and_measure(candidate, batch_s, result); }); };
    std::optional<Error> refused = once();
    if (refused && refused->code() == ExitCode::memory && best_.op) {
      best_ = {};  // makes room
      refused = once();
    }
    if (refused) result.refused = refused->what();
    result.spent_s = seconds_since(start);
    return result;
  }

  /// The operator of this format and these options, if it is still there.
  std::optional<OrderedOperator<T>> take(const Candidate& wanted) {
    if (!best_.op || format_ != wanted.format || !same(options_, wanted.options)) return std::nullopt;
    return std::move(best_);
  }

 private:
  void build_and_measure(const Candidate& candidate, double batch_s, Attempt& result) {
    const auto start = Clock::now();
    OrderedOperator<T> built = timer_.build(candidate.format, candidate.options);
    result.build_s = seconds_since(start);
    result.measured_s = timer_.measure(*built.op, batch_s);
    if (best_s_ > 0 && result.measured_s >= best_s_) return;
    best_s_ = result.measured_s;
    best_ = std::move(built);
    format_ = candidate.format;
    options_ = candidate.options;
  }

  ProductTimer<T>& timer_;
  OrderedOperator<T> best_;
  double best_s_ = 0;
  std::string format_;
  FormatOptions options_;
};

template <class T>
SearchRequest search_request(const Analysis& analysis, const Backend& backend, const Device& device,
                             const TuneRequest& request) {
  SearchRequest search;
  search.products = request.products;
  search.trials = request.trials;
  search.free_bytes = static_cast<double>(backend.memory().free_bytes);
  search.candidates =
      make_candidates<T>(analysis, {request.options, request.fixed, request.hint}, backend, device);
  search.fixed = request.fixed;
  search.runs_host_code = device.runs_host_code;
  search.usual_value = [&analysis](const std::string& field, const Candidate& candidate) {
    return usual_value(field, candidate, analysis);
  };
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

template <class T>
void set_format(Choice<T>& choice, const std::string& format, const FormatOptions& options,
                OrderedOperator<T> built) {
  choice.decision.format = format;
  choice.decision.options = options;
  choice.row_order = std::move(built.row_order);
  choice.op = std::move(built.op);
}

}  // namespace

Device device_of(Backend& backend, double bandwidth) {
  return {backend.runs_host_code(), bandwidth, omp_get_max_threads()};
}

template <class T>
Choice<T> choose_format(const Csr<T>& block, bool square, const std::vector<lidx>& row_list,
                        const std::shared_ptr<Backend>& backend, const TuneRequest& request,
                        const std::vector<RememberedChoice>& remembered) {
  Choice<T> choice;
  choice.decision.signature = signature(block, request.options, request.fixed);
  ProductTimer<T> timer(block, square, row_list, backend);
  if (const RememberedChoice* k = recall(remembered, choice.decision.signature, request.products)) {
    const auto refused =
        refusal([&] { set_format(choice, k->format, k->options, timer.build(k->format, k->options)); });
    if (!refused) {
      choice.decision.remembered = true;
      choice.decision.measured_s = k->measured_s;
      const std::string options = describe(k->options);
      choice.decision.reason =
          fmt::format("{}{}: remembered", k->format, options.empty() ? "" : " (" + options + ")");
      if (k->measured_s > 0)
        choice.decision.reason += fmt::format(", {:.4g} us measured then", k->measured_s * 1e6);
      return choice;
    }
  }

  const Analysis analysis = analyze(block);
  SearchRequest wanted =
      search_request<T>(analysis, *backend, device_of(*backend, request.bandwidth), request);
  FormatTrials<T> trials(timer);
  wanted.attempt = [&](const Candidate& candidate, double batch_s) {
    return trials.attempt(candidate, batch_s);
  };
  Found found = search(wanted);
  choice.decision.reason = std::move(found.reason);
  choice.decision.measured_s = found.measured_s;
  choice.decision.budget_s = found.budget_s;
  choice.decision.spent_s = found.spent_s;
  choice.decision.trials = std::move(found.trials);
  const Candidate& best = found.best;
  if (auto built = trials.take(best)) {
    set_format(choice, best.format, best.options, std::move(*built));
    return choice;
  }
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
SPMV_INSTANTIATE(require_usable);

}  // namespace spmv
