#include "kernels/tune/search.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "core/pick.hpp"
#include "kernels/tune/budget.hpp"
#include "kernels/tune/search_reason.hpp"

namespace spmv {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Of what a trial may save, so much is expected.
constexpr double expected_share = 0.5;
/// A trial that takes less than this share of the budget is made whatever was predicted, if the candidate may be faster as far
/// as its bytes go.
constexpr double cheap_share = 0.2;
/// On a host, where predictions are less certain, the candidate that is predicted to be the best is measured first up to this
/// share of the budget: from about 500 products on.
constexpr double share_for_the_first_on_hosts = 0.5;
/// What other options of the same format may save.
constexpr double hoped_from_options = 0.1;
/// Other options are kept if they save more.
constexpr double worth_keeping = 0.01;

/// The order in which candidates are tried: as they come, but csr before those that are not hinted at and predicted to be
/// slower. On a host csr comes before all that are not hinted at, since it takes hardly any time to build there.
std::vector<std::size_t> turns(const SearchRequest& request) {
  const std::vector<Candidate>& candidates = request.candidates;
  std::vector<std::size_t> order(candidates.size() - 1);
  std::iota(order.begin(), order.end(), 1);
  const auto place = std::find_if(order.begin(), order.end(), [&](std::size_t i) {
    return !candidates[i].hinted &&
           (request.runs_host_code || candidates[i].predicted.seconds >= candidates[0].predicted.seconds);
  });
  order.insert(place, 0);
  return order;
}

class Search {
 public:
  explicit Search(const SearchRequest& request) : request_(request), budget_(request) {
    for (const Candidate& c : request.candidates) trials_.push_back({c});
  }

  Found run() {
    best_ = cheapest();
    // It is built in any case: where measuring it takes little time, everything else is compared with a measurement.
    const double share = request_.runs_host_code ? share_for_the_first_on_hosts : cheap_share;
    if (measuring_s(best()) <= share * budget_.total_s()) measure_best();
    const std::vector<std::size_t> order = turns(request_);
    while (try_next(order)) {
    }
    for (std::size_t i = 0; i < trials_.size(); ++i)
      if (is_open(trials_[i])) trials_[i].reason = why_not(i);
    if (is_measured(best())) tune_options();
    return {best(),
            best().measured_s,
            best().columns_apart,
            explain(request_, trials_, best_, budget_),
            budget_.total_s(),
            budget_.spent_s(),
            trials_};
  }

 private:
  const FormatTrial& best() const { return trials_[best_]; }
  static bool is_measured(const FormatTrial& trial) { return trial.measured_s > 0; }
  static bool is_open(const FormatTrial& trial) { return !is_measured(trial) && trial.reason.empty(); }

  /// Calibrations are of products with one vector.
  const Margin& margin(const FormatTrial& trial) const {
    return trial.predicted.calibrated && request_.columns == 1 ? margin_of_calibrations : margin_of_paces;
  }
  /// Seconds of a product if the prediction is too slow by its margin. The bytes set a limit.
  double optimistic_s(const FormatTrial& trial) const {
    return std::max(trial.predicted.at_least, trial.predicted.seconds / margin(trial).too_slow);
  }
  /// Seconds of a product that a candidate is compared by without a trial: its lead is taken from it unless it is hinted at, or
  /// is the plain one, which all others are compared with.
  double pessimistic_s(std::size_t i) const {
    const FormatTrial& trial = trials_[i];
    if (i == request_.plain || trial.hinted) return trial.predicted.seconds;
    return trial.predicted.seconds * (request_.in_cache ? lead_in_cache : margin(trial).lead);
  }

  /// The candidate of the least time of build and all products, as predicted: csr for one product.
  std::size_t cheapest() const {
    if (request_.products <= 1) return 0;
    std::size_t best = 0;
    double least = infinity;
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      if (trials_[i].refused || (i > 0 && !fits(request_, trials_[i]))) continue;
      const double seconds = trials_[i].predicted.build_s + request_.products * pessimistic_s(i);
      if (seconds >= least) continue;
      least = seconds;
      best = i;
    }
    return best;
  }

  double measuring_s(const FormatTrial& trial) const { return budget_.measuring_s(trial.predicted.seconds); }
  /// Seconds of a trial: to build and to measure. A format that needs the arrays of the best need not be built.
  double cost_of_trial(const FormatTrial& trial) const {
    const bool arrays_are_there = keeps_arrays_ && trial.format == best().format &&
                                  need_the_same_arrays(trial.format, trial.options, best().options);
    return (arrays_are_there ? 0 : budget_.building_s(trial)) + measuring_s(trial);
  }

  /// Why candidate i is not worth a trial now; empty if it is.
  std::string why_not(std::size_t i) const {
    const FormatTrial& trial = trials_[i];
    if (i == best_) return "there is nothing to compare it with";
    if (request_.products <= 1) return "one product is not worth a trial";
    if (!request_.trials) return "by prediction alone";
    if (!fits(request_, trial))
      return fmt::format("needs {:.3g} GiB, {:.3g} GiB are free", trial.cost.bytes / (1 << 30),
                         request_.free_bytes / (1 << 30));
    if (trial.predicted.at_least >= product_seconds(best()))
      return fmt::format("cannot need less than {}", microseconds(trial.predicted.at_least));
    const double cost = cost_of_trial(trial) + (is_measured(best()) ? 0 : measuring_s(best()));
    const double gain = expected_gain(trial, cost);
    if (gain <= cost)
      return fmt::format("a trial costs {:.2g} s and may save {:.2g} s", cost, std::max(gain, 0.0));
    if (cost > budget_.left_s() && !pays_beyond_budget(i))
      return fmt::format("a trial costs {:.2g} s, {:.2g} s of the budget are left", cost,
                         std::max(0.0, budget_.left_s()));
    return {};
  }

  /// Seconds that a trial of this cost is expected to save.
  double expected_gain(const FormatTrial& trial, double cost) const {
    const bool by_bytes = trial.hinted || cost <= cheap_share * budget_.total_s();
    const double hoped_s = by_bytes ? trial.predicted.at_least : optimistic_s(trial);
    return expected_share * request_.products * (product_seconds(best()) - hoped_s);
  }

  /// Whether a trial is worth it although the budget is spent, because a prediction that was wrong has led to a slow best: twice
  /// its cost and all products, even if slower than predicted, take less than all products of the best as measured. Once such
  /// a trial has disappointed there are no more.
  bool pays_beyond_budget(std::size_t i) const {
    return may_overrun_ && is_measured(best()) &&
           2 * cost_of_trial(trials_[i]) + request_.products * pessimistic_s(i) <
               request_.products * product_seconds(best());
  }

  /// Tries the first candidate that is worth it; false if there is none.
  bool try_next(const std::vector<std::size_t>& order) {
    const auto next = std::find_if(order.begin(), order.end(), [&](std::size_t i) {
      return is_open(trials_[i]) && i != best_ && why_not(i).empty();
    });
    if (next == order.end()) return false;
    if (!is_measured(best())) {
      measure_best();
      return true;
    }
    const bool beyond_budget = cost_of_trial(trials_[*next]) > budget_.left_s();
    if (attempt(*next, product_seconds(best())))
      best_ = *next;
    else if (beyond_budget)
      may_overrun_ = false;
    return true;
  }

  void measure_best() {
    if (!attempt(best_, infinity)) best_ = cheapest();  // refused: on with the next
  }

  /// Whether it takes less than so many seconds a product. Then its arrays are kept, and the caller makes it the best.
  bool attempt(std::size_t i, double keep_below_s) {
    FormatTrial& trial = trials_[i];
    const Attempt result = request_.attempt(trial, budget_.batch_s(), keep_below_s);
    budget_.add(result, trial.predicted.build_s);
    trial.reason = result.refused;
    trial.refused = !result.refused.empty();
    if (result.made_room) keeps_arrays_ = false;
    if (trial.refused) return false;
    trial.measured_s = result.measured_s;
    trial.build_s = result.build_s;
    trial.launched = result.launched;
    trial.columns_apart = result.columns_apart;
    if (trial.measured_s >= keep_below_s) return false;
    keeps_arrays_ = true;
    return true;
  }

  void tune_options() {
    const std::string format = best().format;
    const OptionNames names = tunable_options(format, request_.runs_host_code);
    struct Range {
      const char* name;
      int least, most;
    };
    for (const Range& range :
         {Range{"threads_per_row", format == "csr_vector" ? 2 : 1, 32}, Range{"threads_per_block", 64, 512},
          Range{"unroll", 4, 8}, Range{"chunk_rows", 8, 256}})
      if (contains(names, range.name) && !contains(request_.fixed, range.name))
        climb(pick(option_fields(), range.name, "option"), range.least, range.most);
  }

  /// Doubles a value while that helps; where it never did, halves it.
  void climb(const OptionField& field, int least, int most) {
    const int first = field.get(best().launched);
    if (first == 0) return;  // the format does not say
    bool helped = false;
    for (int value = first * 2; value <= most && try_option(field, value); value *= 2) helped = true;
    for (int value = first / 2; !helped && value >= least && try_option(field, value);) value /= 2;
  }

  /// Whether it was worth a trial and is better.
  bool try_option(const OptionField& field, int value) {
    FormatTrial trial = best();
    field.set(trial.options, value);
    const double cost = cost_of_trial(trial);
    const double gain = expected_share * request_.products * hoped_from_options * product_seconds(best());
    if (gain <= cost || cost > budget_.left_s()) return false;
    trial.measured_s = trial.build_s = 0;
    trials_.push_back(trial);
    const std::size_t i = trials_.size() - 1;
    if (!attempt(i, product_seconds(best()) * (1 - worth_keeping))) return false;
    best_ = i;
    return true;
  }

  const SearchRequest& request_;
  Budget budget_;
  std::vector<FormatTrial> trials_;
  std::size_t best_ = 0;
  bool keeps_arrays_ = false;  // those of the best
  bool may_overrun_ = true;    // the budget
};

}  // namespace

Found search(const SearchRequest& request) {
  return Search(request).run();
}

}  // namespace spmv
