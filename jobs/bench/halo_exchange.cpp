// Compares all transports that can work here: one halo exchange around a ring of ranks.
//   mpirun -np 4 halo_exchange --backend cuda --bytes 8,4096,320000 --transport p2p,nccl --csv exchange.csv
// Every rank exchanges this many bytes with each of its two neighbours (with two ranks: with the other one),
// in both directions at once. Two times:
//   alone_us     seen by the host: from start to the arrival of the halo, each after a barrier
//   in_graph_us  of one exchange in a capture of many, if the transport only queues work
// Median and minimum over rounds in which transports take turns; a round's time is that of its slowest rank.
// GB/s: bytes that a rank sends, divided by the shorter of the two times. First the received data are
// compared with what was sent.
#include "comm/halo_exchange.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <omp.h>

#include "comm/choose/transport_trial.hpp"
#include "core/buffer.hpp"
#include "core/number.hpp"
#include "core/pick.hpp"
#include "core/statistics.hpp"
#include "dist/machine/place.hpp"

namespace spmv {
namespace {

using Clock = std::chrono::steady_clock;

struct Settings {
  std::string bytes = "8,4096,65536,320000,1048576,8388608";
  std::string transport = "all";
  std::string backend = "auto";
  std::string csv_file;
  unsigned rounds = 50;
  unsigned recorded = 20;
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  return words;
}

/// Numbers of elements for the requested bytes. Throws Error(usage).
std::vector<lidx> parse_sizes(const std::string& list) {
  std::vector<lidx> sizes;
  for (const std::string& word : split(list)) {
    constexpr std::size_t most_digits = 9;
    const std::size_t bytes = word.size() <= most_digits ? number_in<std::size_t>(word).value_or(0) : 0;
    if (bytes == 0 || bytes % sizeof(double) != 0)
      throw Error(ExitCode::usage, fmt::format("--bytes: '{}' is not a positive multiple of {} below 10^{}",
                                               word, sizeof(double), most_digits));
    sizes.push_back(static_cast<lidx>(bytes / sizeof(double)));
  }
  return sizes;
}

/// The plan of `me`, which exchanges with the ranks on both sides.
HaloPlan ring_plan(int me, int ranks, lidx elements) {
  HaloPlan plan;
  for (const int rank : std::set<int>{(me + 1) % ranks, (me + ranks - 1) % ranks}) {
    plan.neighbours.push_back({rank, plan.ghosts, elements, plan.ghosts, elements});
    plan.ghosts += elements;
  }
  plan.send_index.assign(static_cast<std::size_t>(plan.ghosts), 0);
  plan.owned = plan.ghosts;
  return plan;
}

/// One transport with its own buffers. All methods are Collective.
class TimedTransport {
 public:
  TimedTransport(const Transport& transport, const ExchangeSetup& setup, unsigned recorded)
      : name_(transport.name), setup_(setup), captured_(recorded) {
    const std::size_t bytes = setup.element_bytes * static_cast<std::size_t>(setup.plan->ghosts);
    setup.communicator.together([&] {
      send_buffer_ = Buffer<std::byte>(setup.backend, bytes, Memory::device);
      halo_ = Buffer<std::byte>(setup.backend, bytes, Memory::device);
      ready_ = setup.backend->make_event();
      arrived_ = setup.backend->make_event();
      queue_ = setup.backend->make_queue(Priority::normal);
      queue_->fill(send_buffer_.data(), 0, bytes);
      queue_->synchronize();
    });
    exchange_ = transport.make(setup);
    time_alone();  // the first use sets things up, and is not measured
    alone_.clear();
    if (!setup.communicator.all_of(exchange_->is_queued())) return;
    setup.communicator.together([&] {
      capture_ = queue_->capture_work([this] {
        for (unsigned i = 0; i < captured_; ++i) {
          exchange_once();
          queue_->wait(*arrived_);
        }
      });
    });
    time_in_graph();
    in_graph_.clear();
  }

  void time_alone() {
    alone_.push_back(seconds([this] {
      exchange_once();
      arrived_->synchronize();
    }));
  }
  void time_in_graph() {
    if (!capture_) return;
    in_graph_.push_back(seconds([this] {
                          queue_->replay(*capture_);
                          queue_->synchronize();
                        }) /
                        captured_);
  }

  // Local, the same on every rank:
  const char* name() const { return name_; }
  const std::vector<double>& alone() const { return alone_; }
  const std::vector<double>& in_graph() const { return in_graph_; }  // empty: the host has to wait

 private:
  void exchange_once() {
    queue_->record(*ready_);
    exchange_->start(send_buffer_.data(), *ready_, nullptr);
    exchange_->finish(halo_.data(), *arrived_, nullptr);
  }
  template <class Work>
  double seconds(const Work& work) const {
    setup_.communicator.barrier();
    const auto begin = Clock::now();
    work();
    return setup_.communicator.max(std::chrono::duration<double>(Clock::now() - begin).count());
  }

  const char* name_;
  ExchangeSetup setup_;
  unsigned captured_;
  Buffer<std::byte> send_buffer_, halo_;
  std::unique_ptr<Event> ready_, arrived_;
  std::unique_ptr<HaloExchange> exchange_;
  std::unique_ptr<Capture> capture_;
  std::unique_ptr<Queue> queue_;  // last: ends its work before anything that it uses is destroyed
  std::vector<double> alone_, in_graph_;
};

/// Why a transport is skipped; empty if it delivers correct data. A library that may crash is only tried if
/// its transport is `named`. Collective.
std::string why_left_out(const Transport& transport, const ExchangeSetup& setup, bool named) {
  if (std::string reason = transport.why_unusable(setup); !reason.empty()) return reason;
  const bool on_device = !setup.backend->runs_host_code();
  const bool itself = transport.may_fault != nullptr && transport.may_fault == std::string(transport.name);
  if (setup.communicator.any_of(on_device) && itself && !named)
    return fmt::format("may crash inside a library: measured with --transport {} only", transport.name);
  TransportTrialLimits limits;
  limits.measure_s = 0.01;
  return try_transport(transport, setup, limits).refused;
}

/// Rank 0's table and CSV file; writes each line as soon as it is measured.
class Output {
 public:
  /// Collective.
  Output(const Communicator& communicator, const Settings& settings) : writes_(communicator.rank() == 0) {
    communicator.together([&] {
      if (!writes_ || settings.csv_file.empty()) return;
      csv_.open(settings.csv_file);
      csv_ << "transport,ranks,bytes,alone_us,alone_least_us,in_graph_us,in_graph_least_us,gb_per_s"
           << std::endl;
      if (!csv_) throw Error(ExitCode::usage, "--csv: cannot write " + settings.csv_file);
    });
    print("{:<12}{:>10}{:>12}{:>10}{:>14}{:>10}{:>9}\n", "transport", "bytes", "alone_us", "least",
          "in_graph_us", "least", "GB/s");
  }
  template <class... Values>
  void print(fmt::format_string<Values...> format, Values&&... values) const {
    if (writes_) fmt::print(format, std::forward<Values>(values)...);
  }
  void add(const TimedTransport& transport, int ranks, std::size_t bytes) {
    const double alone = median(transport.alone());
    const bool queued = !transport.in_graph().empty();
    const double shorter = queued ? std::min(alone, median(transport.in_graph())) : alone;
    const int neighbours = ranks > 2 ? 2 : 1;
    const double rate = neighbours * static_cast<double>(bytes) / shorter * 1e-9;
    const auto us = [&](const std::vector<double>& times, double share) {
      return times.empty() ? std::string() : fmt::format("{:.2f}", quantile(times, share) * 1e6);
    };
    const std::string alone_us = us(transport.alone(), 0.5), alone_least = us(transport.alone(), 0);
    const std::string graph_us = us(transport.in_graph(), 0.5), graph_least = us(transport.in_graph(), 0);
    print("{:<12}{:>10}{:>12}{:>10}{:>14}{:>10}{:>9.3f}\n", transport.name(), bytes, alone_us, alone_least,
          queued ? graph_us : "-", queued ? graph_least : "-", rate);
    if (writes_) std::fflush(stdout);
    if (csv_.is_open())
      csv_ << fmt::format("{},{},{},{},{},{},{},{:.4f}", transport.name(), ranks, bytes, alone_us,
                          alone_least, graph_us, graph_least, rate)
           << std::endl;
  }

 private:
  bool writes_;
  std::ofstream csv_;
};

std::vector<const Transport*> wanted_transports(const std::string& list) {
  std::vector<const Transport*> wanted;
  if (list == "all")
    for (const Transport& transport : transports()) wanted.push_back(&transport);
  else
    for (const std::string& name : split(list)) wanted.push_back(&pick(transports(), name, "transport"));
  return wanted;
}

/// Collective; throws AgreedError.
ExitCode run(const Communicator& communicator, const Settings& settings) {
  const std::vector<lidx> sizes = communicator.together([&] { return parse_sizes(settings.bytes); });
  const auto wanted = communicator.together([&] { return wanted_transports(settings.transport); });
  if (communicator.size() < 2)
    throw AgreedError(ExitCode::usage, "an exchange needs two ranks: start it with mpirun -np 2");
  const Place place = find_place(communicator, {settings.backend});
  omp_set_num_threads(place.threads);
  if (communicator.rank() == 0 && !place.why_no_gpu.empty())
    fmt::print(stderr, "backend: {} ({})\n", place.backend->name(), place.why_no_gpu);
  const std::shared_ptr<Backend>& backend = place.backend;
  const Communicator node = communicator.node();
  Output output(communicator, settings);
  std::set<std::string> told;  // reasons: they rarely depend on the size
  for (const lidx elements : sizes) {
    const HaloPlan plan = ring_plan(communicator.rank(), communicator.size(), elements);
    const ExchangeSetup setup{communicator, node, std::make_shared<const HaloPlan>(plan), backend,
                              sizeof(double)};
    const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(elements);
    std::vector<std::unique_ptr<TimedTransport>> timed;
    for (const Transport* transport : wanted) {
      const std::string reason = why_left_out(*transport, setup, settings.transport != "all");
      if (reason.empty())
        timed.push_back(std::make_unique<TimedTransport>(*transport, setup, settings.recorded));
      else if (told.insert(reason).second)
        output.print("{:<12}{:>10}  {}\n", transport->name, bytes, reason);
    }
    for (unsigned round = 0; round < settings.rounds; ++round)
      for (const auto& transport : timed) {
        transport->time_alone();
        transport->time_in_graph();
      }
    for (const auto& transport : timed) output.add(*transport, communicator.size(), bytes);
  }
  return ExitCode::ok;
}

void declare(CLI::App& app, Settings& s) {
  app.add_option("--bytes", s.bytes, "for each neighbour, comma-separated")->capture_default_str();
  app.add_option("--transport", s.transport, "comma-separated, or all")->capture_default_str();
  app.add_option("--backend", s.backend, "device: auto, cuda, host, debug")->capture_default_str();
  app.add_option("--csv", s.csv_file, "one line for every transport and size");
  app.add_option("--rounds", s.rounds, "measurements of each transport")
      ->check(CLI::Range(1u, 100'000u))
      ->capture_default_str();
  app.add_option("--recorded", s.recorded, "exchanges in a capture")
      ->check(CLI::Range(1u, 10'000u))
      ->capture_default_str();
}

}  // namespace
}  // namespace spmv

int main(int argc, char** argv) {
  using namespace spmv;
  const MpiSession session(argc, argv);
  const Communicator communicator = Communicator::world();
  const bool speaks = communicator.rank() == 0;
  try {
    Settings settings;
    CLI::App app("One halo exchange by every transport", "halo_exchange");
    declare(app, settings);
    try {
      app.parse(argc, argv);
    } catch (const CLI::CallForHelp& help) {
      return speaks ? app.exit(help) : 0;
    } catch (const CLI::ParseError& error) {
      throw AgreedError(ExitCode::usage, error.what());
    }
    return static_cast<int>(run(communicator, settings));
  } catch (const AgreedError& error) {
    if (speaks) fmt::print(stderr, "halo_exchange: {}\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "halo_exchange: rank {}: {}\n", communicator.rank(), error.what());
    communicator.abort(ExitCode::internal);
  }
}
