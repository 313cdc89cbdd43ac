#include "app/run/measure.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>

#include <fmt/format.h>

#include "app/run/core_waiting.hpp"
#include "core/statistics.hpp"
#include "core/value_types.hpp"

namespace spmv {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
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

/// Decides from the same numbers on every rank whether more products would change the median.
class Settling {
 public:
  bool settled(double median) {
    const bool close = std::abs(median - last_) <= tolerance_ * median;
    last_ = median;
    close_ = close ? close_ + 1 : 0;
    return close_ >= 2;
  }

 private:
  static constexpr double tolerance_ = 0.005;
  double last_ = -1;
  int close_ = 0;
};

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
      if (communicator.max(gidx{!samples_[p].empty()}) == 0) continue;
      stats.push_back({static_cast<Phase>(p), quantile(all, 0), quantile(all, 0.5), quantile(all, 1)});
    }
    return stats;
  }
  /// Sum of the medians of this rank's phases that are no part of the halo's way.
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

/// Which of these products of this rank, timed together with the others', is the one of median length: the
/// same on every rank. Collective.
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

/// How long MPI takes to move the halo with nothing beside it: the measured time of an exchange alone, less
/// its other phases.
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

}  // namespace

template <class T>
void measure(const Run& run, Product<T>& product, const Mode<T>& mode, ModeResult& result) {
  const Communicator& communicator = run.communicator;
  const Options& options = run.options;
  const std::string stage = fmt::format("measuring mode {}", mode.name);
  run.watchdog.stage(stage, {.quiet = true});
  const auto single = time_together(run, 0, std::max(1, options.warmup),
                                    [&](unsigned number) { product.run(mode, number, nullptr); });
  result.products_in_a_row = products_in_a_row(median(single));
  // As in an iterative method, the next product is queued while the one before it runs.
  const auto run_in_a_row = [&](unsigned number) {
    for (int i = 0; i < result.products_in_a_row; ++i)
      product.queue(mode, number + static_cast<unsigned>(i), nullptr);
    product.synchronize();
  };

  constexpr int batch = 10;
  std::vector<double> times;
  Settling settling;
  const auto start = Clock::now();
  const CoreWaiting waiting;
  while (static_cast<int>(times.size()) < options.max_repetitions) {
    run.watchdog.stage(stage, {.quiet = true});
    const int count = std::min(batch, options.max_repetitions - static_cast<int>(times.size()));
    const auto more = time_together(run, static_cast<int>(times.size()), count, run_in_a_row);
    for (const double seconds : more) times.push_back(seconds / result.products_in_a_row);
    result.settled = settling.settled(median(times));
    const bool enough = static_cast<int>(times.size()) >= options.min_repetitions;
    if (enough && (result.settled || communicator.max(seconds_since(start)) > options.max_seconds)) break;
  }
  result.waited_for_core = communicator.max(waiting.share());
  result.repetitions = static_cast<int>(times.size());
  result.median_s = median(times);
  result.min_s = quantile(times, 0);
  result.p95_s = quantile(times, 0.95);

  constexpr int timed_products = 11;
  PhaseLog log(product.matrix().backend());
  PhaseSamples samples;
  std::vector<std::vector<Interval>> products;
  for (int i = 0; i < timed_products; ++i) {
    run.watchdog.stage(stage, {.quiet = true});
    communicator.barrier();
    log.begin_product(product.matrix().compute_queue());
    product.run(mode, static_cast<unsigned>(i), &log);
    products.push_back(log.intervals());
    samples.add(products.back());
  }
  result.phases = samples.over_ranks(communicator);
  result.timeline = gather_timeline(communicator, products[typical(communicator, products)]);

  result.halo_alone_s =
      median(time_together(run, 0, timed_products, [&](unsigned) { product.exchange_only(); }));
  const double one_after_the_other = result.halo_alone_s + communicator.max(samples.other_seconds());
  if (result.halo_alone_s > 0)
    result.hidden_share = std::clamp((one_after_the_other - result.median_s) / result.halo_alone_s, 0.0, 1.0);
  result.overlap = find_overlap(result.timeline,
                                result.comm_thread           ? MpiDriver::communication_thread
                                : mode.needs_queued_exchange ? MpiDriver::device
                                                             : MpiDriver::nobody,
                                mpi_alone(result));
}

SPMV_INSTANTIATE(measure);

}  // namespace spmv
