#include "app/run/measure.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <omp.h>

#include "app/run/core_waiting.hpp"
#include "app/run/steadiness.hpp"
#include "app/run/vectors.hpp"
#include "core/pick.hpp"
#include "core/statistics.hpp"
#include "core/value_types.hpp"
#include "kernels/local_operator.hpp"

namespace spmv {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string stage_of(const std::string& mode) {
  return fmt::format("measuring mode {}", mode);
}

/// Maximum over ranks of the wall time of each of `count` calls of work(number), started together.
template <class Work>
std::vector<double> time_together(const Run& run, int first, int count, const Work& work) {
  std::vector<double> mine;
  for (int i = 0; i < count; ++i) {
    run.watchdog.alive();
    run.communicator.barrier();
    const auto start = Clock::now();
    work(static_cast<unsigned>(first + i));
    mine.push_back(seconds_since(start));
  }
  return run.communicator.max(mine);
}

/// Medians over products of this rank's phases, then min, median and max over ranks.
class PhaseSamples {
 public:
  void add(const std::vector<Interval>& intervals) {
    for (const Interval& i : intervals)
      samples_[static_cast<std::size_t>(i.phase)].push_back(i.end - i.begin);
  }
  std::vector<PhaseStats> over_ranks(const Communicator& communicator) const {
    std::vector<PhaseStats> stats;
    for (std::size_t p = 0; p < phase_count; ++p) {
      const auto all = communicator.all_gather(median(samples_[p]));
      if (!communicator.any_of(!samples_[p].empty())) continue;
      stats.push_back({static_cast<Phase>(p), quantile(all, 0), quantile(all, 0.5), quantile(all, 1)});
    }
    return stats;
  }
  /// Sum of the medians of this rank's phases that do not move the halo.
  double other_seconds() const {
    double sum = 0;
    for (const Phase phase :
         {Phase::upload_x, Phase::merged, Phase::interior, Phase::boundary, Phase::download_y})
      sum += median(samples_[static_cast<std::size_t>(phase)]);
    return sum;
  }

 private:
  std::array<std::vector<double>, phase_count> samples_;
};

/// The number of the product with the median length over all ranks; the same on every rank. Collective.
std::size_t typical(const Communicator& communicator, const std::vector<std::vector<Interval>>& products) {
  std::vector<double> ends;
  for (const auto& intervals : products) {
    double end = 0;
    for (const Interval& i : intervals) end = std::max(end, i.end);
    ends.push_back(end);
  }
  ends = communicator.max(ends);
  std::vector<std::size_t> order(ends.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return ends[a] < ends[b]; });
  return order[order.size() / 2];
}

/// How long MPI takes to move the halo with nothing beside it: the time of an exchange alone minus its other phases.
double mpi_alone(const ModeResult& result) {
  double rest = result.halo_alone_s;
  for (const PhaseStats& p : result.phases)
    if (p.phase == Phase::gather || p.phase == Phase::d2h || p.phase == Phase::h2d) rest -= p.max;
  return std::max(0.0, rest);
}

/// Every rank's intervals on rank 0.
std::vector<std::vector<Interval>> gather_timeline(const Communicator& communicator,
                                                   const std::vector<Interval>& mine) {
  std::vector<offset> counts(static_cast<std::size_t>(communicator.size()), 0);
  counts[0] = static_cast<offset>(mine.size());
  const auto received = communicator.all_to_all(mine, counts);
  std::vector<std::vector<Interval>> all;
  if (communicator.rank() != 0) return all;
  auto at = received.data.begin();
  for (const offset count : received.counts) {
    all.emplace_back(at, at + count);
    at += count;
  }
  return all;
}

/// How many products of this length are timed in a row, so that the cost of starting the first and of waiting
/// for the last does not show.
int products_in_a_row(double seconds) {
  constexpr double long_enough = 2e-3;
  constexpr int most = 100;
  return seconds > 0 ? static_cast<int>(std::clamp(long_enough / seconds, 1.0, 1.0 * most)) : most;
}

/// Whether the threads of this rank, with those of the ranks that share its cores, are more than these cores.
bool is_crowded(const Place& place, const ModeResult& result) {
  const int threads = result.compute_threads + (result.comm_thread ? 1 : 0);
  return static_cast<std::size_t>(threads) * static_cast<std::size_t>(place.cores.sharing) >
         place.cores.all.size();
}

constexpr int turns_at_least = 4;  // so that a series does not depend on one moment

}  // namespace

bool Settling::settled(double median) {
  constexpr double tolerance = 0.005;
  constexpr int often_enough = turns_at_least;
  const bool close = std::abs(median - last_) <= tolerance * median;
  last_ = median;
  close_ = close ? close_ + 1 : 0;
  return close_ >= often_enough;
}

template <class T>
Series<T>::Series(const Run& run, Prepared<T>& prepared, const Measurement& measurement,
                  const Problem<T>& problem)
    : run_(run),
      prepared_(prepared),
      measurement_(measurement),
      problem_(problem),
      mode_(pick(modes<T>(), measurement.mode, "mode")) {
  result_.mode = mode_.name;
  result_.layout = measurement.layout;
  result_.transport = prepared.matrix().transport_choice().name;
  result_.chosen = measurement.transport == auto_transport;
  result_.comm_thread = uses_comm_thread(mode_, measurement.layout);
  const auto waiting = prepared_.use(measurement_.needs_queued_exchange);
  place_threads(run_.place, result_.comm_thread);
  result_.compute_threads = omp_get_max_threads();
  verify_products(OldData::poisoned);
  if (result_.verified && result_.rows_wrong == 0) result_.first_right_s = seconds_since_process_start();
  run_.watchdog.stage(stage_of(mode_.name), {.quiet = true});
  single_s_ = median(time_together(run_, 0, std::max(1, run_.options.warmup), [&](unsigned number) {
    prepared_.product().run(mode_, number, nullptr);
  }));
  result_.products_in_a_row = products_in_a_row(single_s_);
}

template <class T>
void Series<T>::verify_products(OldData old_data) {
  run_.watchdog.stage(fmt::format("verifying mode {}", mode_.name));
  if (!run_.options.verify) return;
  Product<T>& product = prepared_.product();
  for (unsigned number = 0; number < distinct_x; ++number) {
    if (old_data == OldData::poisoned) product.poison(number);
    product.run(mode_, number, nullptr);
    int column = 0;
    for (const std::vector<T>& y : product.columns_of_y(number))
      add_mismatch(compare(y.data(), problem_.reference[column_of_x(number, column++).number]));
  }
}

/// Keeps the worst. Collective.
template <class T>
void Series<T>::add_mismatch(const Mismatch& mismatch) {
  const Communicator& communicator = run_.communicator;
  const gidx wrong = communicator.sum(mismatch.rows_wrong);
  result_.verified = true;
  if (wrong <= result_.rows_wrong) return;
  result_.rows_wrong = wrong;
  result_.worst_ratio = communicator.max(mismatch.worst_ratio);
  const bool mine = mismatch.worst_row >= 0 && mismatch.worst_ratio == result_.worst_ratio;
  result_.worst_row = communicator.max(
      mine ? problem_.rows.original_row[static_cast<std::size_t>(mismatch.worst_row)] : gidx{-1});
}

template <class T>
bool Series<T>::wants_turn() const {
  const RunOptions& options = run_.options;
  const int count = static_cast<int>(seconds_.size());
  if (count >= options.max_repetitions) return false;
  return count < options.min_repetitions || (!result_.settled && spent_s_ <= options.max_seconds);
}

/// Seconds per product, each the maximum over ranks, of `count` repetitions. Collective.
template <class T>
std::vector<double> Series<T>::time_in_a_row(int count) {
  // As in an iterative method, the next product is queued while the one before it runs.
  auto seconds = time_together(run_, static_cast<int>(seconds_.size()), count, [&](unsigned number) {
    for (int i = 0; i < result_.products_in_a_row; ++i)
      prepared_.product().queue(mode_, number + static_cast<unsigned>(i), nullptr);
    prepared_.product().synchronize();
  });
  for (double& each : seconds) each /= result_.products_in_a_row;
  return seconds;
}

template <class T>
void Series<T>::take_turn() {
  constexpr int longest_turn = 10;
  constexpr double long_product = 0.1;  // s; what ran before does not change the time of a longer one
  const RunOptions& options = run_.options;
  const auto start = Clock::now();
  const auto waiting = prepared_.use(measurement_.needs_queued_exchange);
  run_.watchdog.stage(stage_of(mode_.name), {.quiet = true});
  const std::vector<int> workers = place_threads(run_.place, result_.comm_thread);
  if (single_s_ < long_product) time_in_a_row(1);
  const int turn = std::clamp(options.min_repetitions / turns_at_least, 1, longest_turn);
  // Begins after the warm-up: threads that were just moved to their cores wait to be woken there, which disturbs no
  // product. On a device the workers have nothing to do, so their waiting does not count.
  const CoreWaiting waiting_for_core(run_.place.backend->device_id().empty() ? std::vector<int>{} : workers);
  const auto more =
      time_in_a_row(std::min(turn, options.max_repetitions - static_cast<int>(seconds_.size())));
  seconds_.insert(seconds_.end(), more.begin(), more.end());
  result_.settled = settling_.settled(median(seconds_));
  const double took = run_.communicator.max(seconds_since(start));
  waited_s_ += took * run_.communicator.max(waiting_for_core.share());
  spent_s_ += took;
}

template <class T>
const ModeResult& Series<T>::result() {
  keep_times();
  return result_;
}

/// Computes the result from the times so far. Collective.
template <class T>
void Series<T>::keep_times() {
  const MedianInterval interval = median_interval(seconds_);
  const bool crowded = run_.communicator.any_of(is_crowded(run_.place, result_));
  result_.waited_for_core = spent_s_ > 0 ? waited_s_ / spent_s_ : 0;
  Steadiness steadiness =
      judge(seconds_, {result_.settled, result_.waited_for_core, crowded, run_.place.cores_of_several_hosts});
  result_.samples_s = seconds_;
  result_.repetitions = static_cast<int>(seconds_.size());
  result_.median_s = median(seconds_);
  result_.median_low_s = interval.low;
  result_.median_high_s = interval.high;
  result_.min_s = quantile(seconds_, 0);
  result_.p95_s = quantile(seconds_, 0.95);
  result_.marks = std::move(steadiness.marks);
  result_.marks_cause = std::move(steadiness.cause);
  result_.marks_reason = std::move(steadiness.reason);
  constexpr double shortest_to_rate = 1e-7;
  if (result_.median_s < shortest_to_rate || problem_.nonzeros == 0) return;
  const int columns = run_.options.columns;
  const auto nonzeros = static_cast<double>(problem_.nonzeros),
             rows = static_cast<double>(problem_.rows.shape.rows);
  const auto cols =
      static_cast<double>(std::min(problem_.rows.shape.cols, problem_.nonzeros));  // read at most
  const double flops = columns * nonzeros * ValueTraits<T>::flops_per_nonzero;
  const double bytes =
      effective_bytes(rows, cols, nonzeros, sizeof(T)) + (columns - 1) * vector_bytes(rows, cols, sizeof(T));
  result_.gflops = flops / result_.median_s * 1e-9;
  result_.gbytes_per_s = bytes / result_.median_s * 1e-9;
}

template <class T>
void Series<T>::finish() {
  constexpr int timed_products = 11;
  const Communicator& communicator = run_.communicator;
  Product<T>& product = prepared_.product();
  keep_times();
  const auto waiting = prepared_.use(measurement_.needs_queued_exchange);
  place_threads(run_.place, result_.comm_thread);
  PhaseLog log(product.matrix().backend());
  PhaseSamples samples;
  std::vector<std::vector<Interval>> products;
  for (int i = 0; i < timed_products; ++i) {
    run_.watchdog.stage(stage_of(mode_.name), {.quiet = true});
    communicator.barrier();
    log.begin_product(product.matrix().compute_queue());
    product.run(mode_, static_cast<unsigned>(i), &log);
    products.push_back(log.intervals());
    samples.add(products.back());
  }
  result_.phases = samples.over_ranks(communicator);
  result_.timeline = gather_timeline(communicator, products[typical(communicator, products)]);

  // Without a halo an exchange takes some time, too, but no product needs it.
  if (communicator.any_of(product.matrix().ghosts() > 0))
    result_.halo_alone_s =
        median(time_together(run_, 0, timed_products, [&](unsigned) { product.exchange_only(); }));
  const double one_after_the_other = result_.halo_alone_s + communicator.max(samples.other_seconds());
  if (result_.halo_alone_s > 0)
    result_.hidden_share =
        std::clamp((one_after_the_other - result_.median_s) / result_.halo_alone_s, 0.0, 1.0);
  result_.overlap = find_overlap(result_.timeline,
                                 result_.comm_thread           ? MpiDriver::communication_thread
                                 : mode_.needs_queued_exchange ? MpiDriver::device
                                                               : MpiDriver::nobody,
                                 mpi_alone(result_));
  verify_products(OldData::kept);
}

template <class T>
void Series<T>::write_product() const {
  const auto waiting = prepared_.use(measurement_.needs_queued_exchange);
  place_threads(run_.place, result_.comm_thread);
  write_y(run_, prepared_.product(), mode_, problem_, result_);
}

SPMV_INSTANTIATE_CLASS(Series);

}  // namespace spmv
