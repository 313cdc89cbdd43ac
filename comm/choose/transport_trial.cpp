#include "comm/choose/transport_trial.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "comm/choose/abandon.hpp"
#include "core/buffer.hpp"
#include "core/statistics.hpp"

namespace spmv {
namespace {

/// What one rank sends another in a round: known to both, different for every pair, round and eight bytes.
class KnownBytes {
 public:
  KnownBytes(int source, int target, unsigned round)
      : salt_((static_cast<std::uint64_t>(source) << 40) ^ (static_cast<std::uint64_t>(target) << 20) ^
              (static_cast<std::uint64_t>(round) << 60)) {}

  void fill(std::byte* bytes, std::size_t count) const {
    for (std::size_t at = 0; at < count; at += word_bytes) {
      const std::uint64_t word = word_at(at);
      std::memcpy(bytes + at, &word, std::min(word_bytes, count - at));
    }
  }
  /// The first byte that is another; `count` if there is none.
  std::size_t first_difference(const std::byte* bytes, std::size_t count) const {
    for (std::size_t at = 0; at < count; at += word_bytes) {
      const std::uint64_t word = word_at(at);
      const std::size_t here = std::min(word_bytes, count - at);
      if (std::memcmp(bytes + at, &word, here) == 0) continue;
      std::byte expected[word_bytes];
      std::memcpy(expected, &word, word_bytes);
      return at +
             static_cast<std::size_t>(std::mismatch(expected, expected + here, bytes + at).first - expected);
    }
    return count;
  }

 private:
  static constexpr std::size_t word_bytes = sizeof(std::uint64_t);

  std::uint64_t word_at(std::size_t at) const {
    std::uint64_t mix = salt_ ^ at;
    mix = (mix ^ (mix >> 29)) * 0xbf58476d1ce4e5b9U;
    mix = (mix ^ (mix >> 32)) * 0x94d049bb133111ebU;
    return mix ^ (mix >> 31);
  }

  std::uint64_t salt_;
};

/// The same neighbours with at most one element each way.
HaloPlan smallest(const HaloPlan& plan) {
  HaloPlan small;
  for (Neighbour n : plan.neighbours) {
    n.send_count = std::min<lidx>(n.send_count, 1);
    n.receive_count = std::min<lidx>(n.receive_count, 1);
    n.send_offset = small.send_total();
    n.receive_offset = small.ghosts;
    small.send_index.resize(small.send_index.size() + static_cast<std::size_t>(n.send_count), 0);
    small.ghosts += n.receive_count;
    small.neighbours.push_back(n);
  }
  small.owned = plan.owned;
  return small;
}

/// Drives one exchange with known data.
class Rounds {
 public:
  Rounds(const ExchangeSetup& setup, HaloExchange& exchange)
      : setup_(setup),
        exchange_(exchange),
        send_buffer_(setup.backend, bytes(setup.plan->send_total()), Memory::device),
        halo_(setup.backend, bytes(setup.plan->ghosts), Memory::device),
        sent_(setup.backend, send_buffer_.bytes(), Memory::staging),
        seen_(setup.backend, halo_.bytes(), Memory::staging),
        queue_(setup.backend->make_queue(Priority::normal)),
        ready_(setup.backend->make_event()),
        arrived_(setup.backend->make_event()) {}

  /// One exchange, NaN in place of everything old; empty where every byte arrived, else which did not. Local.
  std::string check(unsigned round) {
    // A queued exchange polls nowhere. Once it was abandoned its waits have been ended, so it comes back as if
    // the halo had arrived, and the thread must stop here.
    LimitedWork::stop_if_abandoned();
    queue_->fill(send_buffer_.data(), 0xff, send_buffer_.bytes());
    queue_->fill(halo_.data(), 0xff, halo_.bytes());
    queue_->synchronize();
    exchange_.poison();
    const int me = setup_.communicator.rank();
    for (const Neighbour& n : setup_.plan->neighbours)
      KnownBytes(me, n.rank, round).fill(sent_.data() + bytes(n.send_offset), bytes(n.send_count));
    queue_->copy(send_buffer_.data(), sent_.data(), send_buffer_.bytes(), Copy::to_device);
    queue_->record(*ready_);
    exchange_.start(send_buffer_.data(), *ready_, nullptr);
    exchange_.finish(halo_.data(), *arrived_, nullptr);
    queue_->wait(*arrived_);  // what waits for `arrived` sees the whole halo
    queue_->copy(seen_.data(), halo_.data(), halo_.bytes(), Copy::to_host);
    queue_->synchronize();
    for (const Neighbour& n : setup_.plan->neighbours) {
      const std::size_t count = bytes(n.receive_count);
      const std::size_t wrong =
          KnownBytes(n.rank, me, round).first_difference(seen_.data() + bytes(n.receive_offset), count);
      if (wrong < count)
        return fmt::format("brought wrong data to rank {}: byte {} of {} from rank {}", me, wrong, count,
                           n.rank);
    }
    return {};
  }

  /// Median seconds of an exchange, each as long as its slowest rank's. Collective.
  double measure(const TransportTrialLimits& limits) {
    const double once = setup_.communicator.max(seconds());
    const double affordable = limits.measure_s / std::max(once, 1e-9);
    const int count = static_cast<int>(std::clamp(affordable, 1.0, double(limits.most_exchanges)));
    std::vector<double> times;
    times.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) times.push_back(seconds());
    return median(setup_.communicator.max(std::move(times)));
  }

 private:
  std::size_t bytes(lidx elements) const { return static_cast<std::size_t>(elements) * setup_.element_bytes; }

  double seconds() {
    setup_.communicator.barrier();
    LimitedWork::stop_if_abandoned();
    const auto begin = std::chrono::steady_clock::now();
    exchange_.start(send_buffer_.data(), *ready_, nullptr);
    exchange_.finish(halo_.data(), *arrived_, nullptr);
    arrived_->synchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  const ExchangeSetup& setup_;
  HaloExchange& exchange_;
  Buffer<std::byte> send_buffer_, halo_, sent_, seen_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Event> ready_, arrived_;
};

/// A trial and all that it uses, so that it can be abandoned whole.
class TransportTrial {
 public:
  TransportTrial(const Transport& transport, ExchangeSetup setup, const TransportTrialLimits& limits)
      : transport_(transport), setup_(std::move(setup)), limits_(limits) {
    report_.name = transport.name;
    report_.tried = true;
  }

  /// Fills the report. Collective on the trial's own communicators; called once, in any thread.
  void run() {
    setup_.backend->use_in_this_thread();
    const Communicator& all = setup_.communicator;
    make();
    report_.queued_exchange = all.all_of(exchange_->is_queued());
    const bool reaches = exchange_->peers() != nullptr || setup_.plan->neighbours.empty();
    report_.peers = all.all_of(reaches);
    all.together([&] { rounds_.emplace(setup_, *exchange_); });
    constexpr unsigned checks = 3;
    std::string wrong;
    for (unsigned round = 0; round < checks; ++round) {
      const std::string found = rounds_->check(round);
      if (wrong.empty()) wrong = found;
    }
    report_.refused = all.first_text(wrong);
    if (!report_.works()) return;
    report_.exchange_s = rounds_->measure(limits_);
    const HaloPlan& plan = *setup_.plan;
    const double fullest = static_cast<double>(setup_.element_bytes) *
                           static_cast<double>(all.max(gidx{std::max(plan.send_total(), plan.ghosts)}));
    take_apart();
    setup_.plan = std::make_shared<const HaloPlan>(smallest(plan));
    make();
    all.together([&] { rounds_.emplace(setup_, *exchange_); });
    report_.latency_s = rounds_->measure(limits_);
    if (report_.exchange_s > report_.latency_s)
      report_.bandwidth = fullest / (report_.exchange_s - report_.latency_s);
  }

  /// What the exchange under way waits for. Local, any thread.
  std::string waiting_for() const {
    const std::lock_guard lock(mutex_);
    return current_ == nullptr ? std::string() : current_->waiting_for();
  }
  const TransportReport& report() const { return report_; }
  /// Whether there is an exchange to take apart. Call it only when run() has ended.
  bool made() const { return exchange_ != nullptr; }

 private:
  void make() {
    setup_.communicator.together([&] { exchange_ = transport_.make(setup_); });
    show(exchange_.get());
  }
  void take_apart() {
    rounds_.reset();
    show(nullptr);
    exchange_.reset();
  }
  /// Lets waiting_for() look at this exchange.
  void show(const HaloExchange* exchange) {
    const std::lock_guard lock(mutex_);
    current_ = exchange;
  }

  Transport transport_;
  ExchangeSetup setup_;
  TransportTrialLimits limits_;
  TransportReport report_;
  mutable std::mutex mutex_;
  const HaloExchange* current_ = nullptr;
  std::unique_ptr<HaloExchange> exchange_;
  // A member, because messages and neighbours write into its buffers: what was abandoned stays where it is.
  std::optional<Rounds> rounds_;
};

/// How this rank's part of a trial ended.
struct Ending {
  bool ended = true;
  bool agreed = true;   // all ranks ended in the same way: it threw nothing, or an AgreedError
  std::string failure;  // the text of what it threw; empty: nothing
};

Ending ending_of(const std::exception_ptr& thrown) {
  Ending ending;
  if (!thrown) return ending;
  try {
    std::rethrow_exception(thrown);
  } catch (const AgreedError& error) {
    ending.failure = error.what();
  } catch (const std::exception& error) {
    ending.failure = error.what();
    ending.agreed = false;
  }
  return ending;
}

/// Why nothing came of a trial that did not end on every rank, from this rank's view.
std::string why_silent(const TransportTrial& trial, int rank, double limit_s) {
  const std::string waiting = trial.waiting_for();
  return fmt::format("no answer within {:g} s: rank {} waits{}{}", limit_s, rank,
                     waiting.empty() ? "" : " for ", waiting);
}

/// Runs the trial in this thread. Where all ranks fail together nothing is under way, and the exception takes
/// the trial apart on its way, when nothing Collective is called: some ranks may have an exchange, others
/// none.
void run_here(std::shared_ptr<TransportTrial>& trial) {
  try {
    trial->run();
  } catch (const AgreedError&) {
    const auto apart = std::move(trial);
    throw;
  }
}

TransportReport refused(const Transport& transport, std::string reason) {
  TransportReport report;
  report.name = transport.name;
  report.tried = true;
  report.refused = std::move(reason);
  return report;
}

}  // namespace

TransportReport try_transport(const Transport& transport, const ExchangeSetup& setup,
                              const TransportTrialLimits& limits) {
  const Communicator& all = setup.communicator;
  ExchangeSetup own = setup;
  own.communicator = all.duplicate();
  own.node = setup.node.duplicate();
  auto trial = std::make_shared<TransportTrial>(transport, own, limits);

  const double limit_s = transport.start_s + limits.limit_s;
  Ending mine;
  std::shared_ptr<LimitedWork> work;
  if (limits.limit_s > 0 && MpiSession::thread_level() == ThreadLevel::multiple) {
    // The work keeps the trial alive: abandoned, it keeps the trial's communicators and buffers.
    work = std::make_shared<LimitedWork>([trial] { trial->run(); });
    mine.ended = work->ends_within(limit_s);
    if (mine.ended) mine = ending_of(work->failure());
  } else {
    try {
      run_here(trial);
    } catch (...) {
      mine = ending_of(std::current_exception());
    }
  }
  // Taking an exchange apart may be Collective: all ranks must have ended, and all have an exchange, or none.
  const bool all_ended = all.all_of(mine.ended && mine.agreed);
  const bool made = trial && trial->made();
  const bool together = all_ended && (all.all_of(made) || !all.any_of(made));
  // A failure says more than the silence of those who wait for the rank that failed.
  std::string reason = all.first_text(mine.failure);
  if (reason.empty())
    reason = all.first_text(mine.ended ? std::string() : why_silent(*trial, all.rank(), limit_s));
  if (!together && trial) {
    // Where the trial ran in this thread it has ended, and an empty work keeps it until the process ends.
    if (!work) work = std::make_shared<LimitedWork>([trial] {});
    abandon(work);
  }
  return reason.empty() && trial ? trial->report() : refused(transport, std::move(reason));
}

void try_alone(const Transport& transport, const Communicator& communicator,
               const std::shared_ptr<Backend>& backend) {
  for (const lidx count : {1, 1 << 17}) {
    HaloPlan plan;
    plan.owned = plan.ghosts = count;
    plan.neighbours = {{communicator.rank(), 0, count, 0, count}};
    plan.send_index.assign(static_cast<std::size_t>(count), 0);
    TransportTrial trial(transport,
                         {communicator, communicator.node(),
                          std::make_shared<const HaloPlan>(std::move(plan)), backend, sizeof(double)},
                         {});
    trial.run();
    if (!trial.report().works()) throw Error(ExitCode::wrong_result, trial.report().refused);
  }
}

}  // namespace spmv
