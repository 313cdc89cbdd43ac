#include "kernels/tune/search.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "core/pick.hpp"

namespace spmv {
namespace {

/// How likely it is assumed to be that a trial saves what it may.
constexpr double chance = 0.5;
/// For a trial that costs a smaller share of the budget, the prediction is not asked: it is made if the
/// candidate may be faster as far as its bytes go.
constexpr double small_share = 0.2;
/// On a host, whose products are predicted less closely, what is predicted best is measured first where that takes no more
/// than this share of the budget: from about 500 products on.
constexpr double share_to_measure_best_on_hosts = 0.5;
/// Seconds that a batch of a trial takes at least, or else one product does. Shorter ones would measure a GPU's events.
constexpr double least_batch_s = 2e-4, least_batch_on_hosts_s = 2e-5;
/// What other options of the same format may save.
constexpr double hoped_from_options = 0.1;
/// Other options are kept if they save more.
constexpr double worth_keeping = 0.01;

std::string micro(double seconds) {
  return seconds < 1e-4 ? fmt::format("{:.1f} us", seconds * 1e6) : fmt::format("{:.0f} us", seconds * 1e6);
}

/// Rounded to two digits: what is predicted is no more certain.
double two_digits(double number) {
  const double unit = std::pow(10.0, std::floor(std::log10(std::max(number, 10.0))) - 1);
  return std::round(number / unit) * unit;
}

std::string name_of(const FormatTrial& trial) {
  const std::string options = describe(trial.options);
  return options.empty() ? trial.format : fmt::format("{} ({})", trial.format, options);
}

class Search {
 public:
  explicit Search(const SearchRequest& request) : request_(request) {
    for (const Candidate& c : request.candidates)
      trials_.push_back({c.format, c.options, c.cost, c.predicted, 0, 0, ""});
    if (request.products > 1 && request.trials)
      budget_s_ = (request.runs_host_code ? tuning_share_on_hosts : tuning_share) * request.products *
                  trials_.front().predicted.seconds;
    batch_s_ =
        std::clamp(budget_s_ / 50, request.runs_host_code ? least_batch_on_hosts_s : least_batch_s, 3e-3);
    in_turn_ = order_of_trials();
  }

  Found run() {
    best_ = cheapest();
    // It is built in any case: where measuring it costs little, all else is compared with facts.
    const double share = request_.runs_host_code ? share_to_measure_best_on_hosts : small_share;
    if (measuring(best_) <= share * budget_s_) measure_best();
    while (try_next()) {
    }
    for (std::size_t i = 0; i < trials_.size(); ++i)
      if (open(i)) trials_[i].reason = why_not(i);
    if (is_measured(best_)) tune_options();
    Found found;
    found.best = candidate(best_);
    found.measured_s = trials_[best_].measured_s;
    found.reason = sentence();
    found.budget_s = budget_s_;
    found.spent_s = spent_s_;
    found.trials = std::move(trials_);
    return found;
  }

 private:
  /// As the candidates come, csr in the place that its prediction gives it behind those that are hinted at; on a host first of those, as
  /// it takes hardly a build there, so that an error of the predictions costs least.
  std::vector<std::size_t> order_of_trials() const {
    std::vector<std::size_t> order;
    for (std::size_t i = 1; i < trials_.size(); ++i) order.push_back(i);
    const auto place = std::find_if(order.begin(), order.end(), [&](std::size_t i) {
      return !hinted(i) &&
             (request_.runs_host_code || trials_[i].predicted.seconds >= trials_.front().predicted.seconds);
    });
    order.insert(place, 0);
    return order;
  }
  bool calibrated(std::size_t i) const { return trials_[i].predicted.calibrated; }
  double doubt(std::size_t i) const { return calibrated(i) ? calibrated_doubt : usual_doubt; }
  double doubt_without_trial(std::size_t i) const {
    if (request_.in_cache) return doubt_in_cache;
    return calibrated(i) ? calibrated_lead : usual_doubt;
  }
  bool hinted(std::size_t i) const { return i < request_.candidates.size() && request_.candidates[i].hinted; }
  bool doubtful(std::size_t i) const { return i != request_.plain && !hinted(i); }
  /// Seconds of a product as they are predicted, and more where that is in doubt.
  double doubted(std::size_t i) const {
    return trials_[i].predicted.seconds * (doubtful(i) ? doubt_without_trial(i) : 1);
  }
  bool fits(std::size_t i) const { return trials_[i].cost.bytes <= request_.free_bytes; }
  bool open(std::size_t i) const { return trials_[i].measured_s == 0 && trials_[i].reason.empty(); }

  Candidate candidate(std::size_t i) const {
    const FormatTrial& t = trials_[i];
    return {t.format, t.options, t.cost, t.predicted, hinted(i)};
  }

  /// Least time of building and all products, as predicted. What is plain needs no doubt: all else is compared
  /// with it.
  std::size_t cheapest() const {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < trials_.size() && (request_.products > 1 || i == 0); ++i) {
      if (!trials_[i].reason.empty() || (i > 0 && !fits(i))) continue;  // refused, or too large
      const double seconds = trials_[i].predicted.build_s + request_.products * doubted(i);
      if (seconds >= least) continue;
      least = seconds;
      best = i;
    }
    return best;
  }

  double best_s() const {
    const FormatTrial& best = trials_[best_];
    return best.measured_s > 0 ? best.measured_s : best.predicted.seconds;
  }

  /// Seconds to build and measure, by what building took so far. What needs the arrays of the best need not be built.
  double price(std::size_t i) const { return price(trials_[i], i); }
  /// The same of a trial that is built and multiplied as number i is.
  double price(const FormatTrial& trial, std::size_t i) const {
    return (keeps_arrays_ && shares_arrays(trial, trials_[best_]) ? 0 : build_of(i)) + measuring(i);
  }
  static bool shares_arrays(const FormatTrial& a, const FormatTrial& b) {
    return a.format == b.format && need_the_same_arrays(a.format, a.options, b.options);
  }
  double measuring(std::size_t i) const { return measuring_of(trials_[i].predicted.seconds); }
  /// Seconds to measure what takes so many seconds a product.
  double measuring_of(double product) const {
    return warm_up_products * product + timed_batches * std::max(batch_s_, product);
  }

  /// Why candidate i is not worth a trial now; empty if it is.
  std::string why_not(std::size_t i) const {
    if (i == best_) return "there is nothing to compare it with";
    if (request_.products <= 1) return "one product pays for no trial";
    if (!request_.trials) return "by prediction alone";
    if (!fits(i))
      return fmt::format("needs {:.3g} GiB, {:.3g} GiB are free", trials_[i].cost.bytes / (1 << 30),
                         request_.free_bytes / (1 << 30));
    const Prediction& p = trials_[i].predicted;
    if (p.at_least >= best_s()) return fmt::format("cannot need less than {}", micro(p.at_least));
    const double cost = price(i) + (is_measured(best_) ? 0 : measuring(best_));
    const bool trusting = !hinted(i) && cost > small_share * budget_s_;
    const double hoped = trusting ? std::max(p.at_least, p.seconds / doubt(i)) : p.at_least;
    const double gain = chance * request_.products * (best_s() - hoped);
    if (gain <= cost)
      return fmt::format("a trial costs {:.2g} s and may save {:.2g} s", cost, std::max(gain, 0.0));
    if (cost > left_s() && (misled_ || !surely_pays(i)))
      return fmt::format("a trial costs {:.2g} s, {:.2g} s of the budget are left", cost,
                         std::max(0.0, left_s()));
    return {};
  }

  /// Whether twice its price and all products, if in doubt slower than predicted, take less than all products of the best as
  /// measured: it would be taken without a trial, so that the budget is no reason against one. This is where predictions have
  /// misled to the best, and the budget is too small for another build.
  bool surely_pays(std::size_t i) const {
    return is_measured(best_) && 2 * price(i) + request_.products * doubted(i) < request_.products * best_s();
  }

  /// Tries the first candidate that is worth it; false if there is none.
  bool try_next() {
    const auto next = std::find_if(in_turn_.begin(), in_turn_.end(), [&](std::size_t i) {
      return open(i) && i != best_ && why_not(i).empty();
    });
    if (next == in_turn_.end()) return false;
    if (!is_measured(best_)) {
      measure_best();
      return true;
    }
    const bool beyond_budget = price(*next) > left_s();
    if (attempt(*next, best_s()))
      best_ = *next;
    else if (beyond_budget)
      misled_ = true;
    return true;
  }

  void measure_best() {
    if (!attempt(best_, std::numeric_limits<double>::infinity()))
      best_ = cheapest();  // refused: on with the next
  }

  bool is_measured(std::size_t i) const { return trials_[i].measured_s > 0; }
  /// Of the budget.
  double left_s() const { return budget_s_ - (spent_s_ - needed_s_); }

  /// Whether it takes less than so many seconds a product: then its arrays are kept, and it is for the caller to make it the
  /// best.
  bool attempt(std::size_t i, double keep_below_s) {
    const Attempt result = request_.attempt(candidate(i), batch_s_, keep_below_s);
    FormatTrial& trial = trials_[i];
    spent_s_ += result.spent_s;
    trial.reason = result.refused;
    if (result.made_room) keeps_arrays_ = false;
    if (!result.refused.empty()) {
      refused_.insert(i);
      return false;
    }
    trial.measured_s = result.measured_s;
    trial.build_s = result.build_s;
    if (result.build_s > 0) {
      // Something has to be built in any case, with all that a first build takes: that is no price of the search.
      if (build_s_ == 0) needed_s_ = std::max(0.0, result.spent_s - measuring_of(result.measured_s));
      build_s_ += result.build_s;
      predicted_build_s_ += trial.predicted.build_s;
    }
    if (trial.measured_s >= keep_below_s) return false;
    keeps_arrays_ = true;
    launched_ = result.launched;
    return true;
  }

  void tune_options() {
    const std::string format = trials_[best_].format;
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
    const int first = field.get(launched_);
    if (first == 0) return;  // it is the format's secret
    bool helped = false;
    for (int value = first * 2; value <= most && try_option(field, value); value *= 2) helped = true;
    for (int value = first / 2; !helped && value >= least && try_option(field, value);) value /= 2;
  }

  /// Whether it was worth a trial and is better.
  bool try_option(const OptionField& field, int value) {
    FormatTrial trial = trials_[best_];
    field.set(trial.options, value);
    trial.measured_s = trial.build_s = 0;
    const double cost = price(trial, best_);
    if (chance * request_.products * hoped_from_options * best_s() <= cost || cost > left_s()) return false;
    trials_.push_back(trial);
    const std::size_t i = trials_.size() - 1;
    if (!attempt(i, best_s() * (1 - worth_keeping))) return false;
    best_ = i;
    return true;
  }

  /// The fastest other format: csr, or what was measured beside csr.
  std::size_t rival() const {
    if (trials_[best_].format != "csr") return 0;
    std::size_t rival = best_;
    for (std::size_t i = 0; i < trials_.size(); ++i)
      if (i != best_ && is_measured(i) &&
          (rival == best_ || trials_[i].measured_s < trials_[rival].measured_s))
        rival = i;
    return rival;
  }

  /// What building takes, measured or else predicted by what building took so far.
  double build_of(std::size_t i) const {
    const FormatTrial& t = trials_[i];
    if (t.build_s > 0) return t.build_s;
    return t.predicted.build_s * (predicted_build_s_ > 0 ? build_s_ / predicted_build_s_ : 1);
  }

  /// From how many products on another format would be the better choice, as far as is known; empty if none is.
  std::string outlook() const {
    const FormatTrial& best = trials_[best_];
    double least = 0;
    std::size_t next = best_;
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      const FormatTrial& t = trials_[i];
      const double product_s = t.measured_s > 0 ? t.measured_s : t.predicted.seconds;
      const bool out = t.measured_s == 0 && (!fits(i) || refused_.contains(i));
      if (out || t.format == best.format || product_s >= best_s()) continue;
      const double products = (build_of(i) - build_of(best_)) / (best_s() - product_s);
      if (products <= request_.products || (next != best_ && products >= least)) continue;
      least = products;
      next = i;
    }
    if (next == best_) return {};
    return fmt::format("; from {:.10g} products on, {} would pay", two_digits(least), name_of(trials_[next]));
  }

  std::string sentence() const {
    const FormatTrial& best = trials_[best_];
    const FormatTrial& other = trials_[rival()];
    const auto time = [](const FormatTrial& t) {
      return t.measured_s > 0 ? micro(t.measured_s) + " measured" : micro(t.predicted.seconds) + " predicted";
    };
    const std::string paces =
        calibrated(0) ? "predictions calibrated on this machine"
                      : "predictions by built-in paces (spmv_dist calibrate fits them to this machine)";
    if (rival() == best_)
      return fmt::format("{}: {}; {:.10g} product{} for no other format; {}{}", name_of(best), time(best),
                         request_.products, request_.products == 1 ? " pays" : "s pay", paces, outlook());
    const std::string bytes = fmt::format("predicted from {:.3g} MB against {:.3g} MB",
                                          best.cost.moved_bytes * 1e-6, other.cost.moved_bytes * 1e-6);
    const std::string tuning = spent_s_ > 0
                                   ? fmt::format("{:.2f} s of {:.2f} s budget for {:.10g} products",
                                                 spent_s_ - needed_s_, budget_s_, request_.products)
                                   : fmt::format("{:.10g} products pay for no trial", request_.products);
    return fmt::format("{}: {}, {} {}; {}; {}; {}{}", name_of(best), time(best), name_of(other), time(other),
                       tuning, bytes, paces, outlook());
  }

  const SearchRequest& request_;
  std::vector<FormatTrial> trials_;
  std::vector<std::size_t> in_turn_;  // of the candidates
  std::set<std::size_t> refused_;     // that the block cannot be stored in
  std::size_t best_ = 0;
  bool keeps_arrays_ = false;  // those of the best
  FormatOptions launched_;     // of the best that was measured, see Attempt
  bool misled_ = false;        // what surely paid was not faster: the predictions of others are no better
  double budget_s_ = 0;
  double batch_s_ = 0;
  double spent_s_ = 0;
  double needed_s_ = 0;  // the first build's part of these, which does not count
  double build_s_ = 0;   // of all attempts that built something
  double predicted_build_s_ = 0;
};

}  // namespace

Found search(const SearchRequest& request) {
  return Search(request).run();
}

}  // namespace spmv
