// spmv_dist doctor: what is wrong with a launch.
#include <algorithm>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/commands/doctor_checks.hpp"
#include "app/launch/machine.hpp"
#include "app/launch/transport_child.hpp"
#include "app/options/option_groups.hpp"
#include "app/report/report_parts.hpp"
#include "app/report/version.hpp"
#include "app/run/environment.hpp"
#include "core/output_file.hpp"
#include "core/printable.hpp"
#include "dist/machine/bandwidth.hpp"
#include "dist/machine/tuning_cache.hpp"

namespace spmv {
namespace {

struct DoctorOptions {
  std::string backend = "auto";
  double timeout = default_timeout;

  void declare(CLI::App& app) { declare_backend(app, backend); }
};

/// The plan of an exchange on a ring of all ranks: `count` elements to and from each of both neighbours.
HaloPlan ring(int me, int ranks, lidx count) {
  HaloPlan plan;
  plan.owned = count;
  for (int rank = 0; rank < ranks; ++rank) {
    const bool beside = rank == (me + 1) % ranks || me == (rank + 1) % ranks;
    if (rank == me || !beside) continue;
    plan.neighbours.push_back({rank, plan.send_total(), count, plan.ghosts, count});
    plan.ghosts += count;
    plan.send_index.resize(static_cast<std::size_t>(plan.ghosts), 0);
  }
  return plan;
}

/// Every rank's facts, on rank 0. Collective.
std::vector<RankFacts> gather_facts(const Communicator& communicator, const Place& place) {
  const Communicator node = communicator.node();
  const Backend& backend = *place.backend;
  const std::vector<std::string> devices = node.all_gather(backend.device_id());
  Json mine = communicator.together([&] {
    std::vector<std::string> unreachable;
    for (const std::string& device : devices)
      if (!device.empty() && !backend.device_id().empty())
        if (const std::string reason = backend.why_no_peer(device); !reason.empty())
          unreachable.push_back(reason);
    return Json{{"machine_cores", std::max(1U, std::thread::hardware_concurrency())},
                {"cores", place.cores.all.size()},
                {"sharing", place.cores.sharing},
                {"far", place.cores.far},
                {"device", backend.device_id()},
                {"visible", visible_gpus()},
                {"unreachable", unreachable}};
  });
  const std::vector<RankPlace> places = gather_places(communicator, place);
  std::vector<RankFacts> ranks;
  for (const std::string& text : communicator.gather(mine.dump())) {
    const Json told = Json::parse(text);
    ranks.push_back({places[ranks.size()], told["machine_cores"], told["cores"], told["sharing"], told["far"],
                     told["device"], told["visible"], told["unreachable"]});
  }
  return ranks;
}

/// Collective.
std::vector<Finding> ask_mpi_for_nodes(const Communicator& communicator,
                                       const std::vector<RankFacts>& ranks) {
  std::vector<std::vector<int>> by_mpi;
  for (const std::string& text : communicator.gather(Json(communicator.ranks_of_node_by_mpi()).dump()))
    by_mpi.push_back(Json::parse(text));
  return check_nodes_of_mpi(ranks, by_mpi);
}

/// Tries every transport; the findings are the same on every rank. Collective.
std::vector<Finding> try_transports(const Communicator& communicator, const Place& place,
                                    Watchdog& watchdog) {
  if (communicator.size() == 1)
    return {{Verdict::note, "transports",
             "one rank has no neighbours: start the doctor on the ranks that you will use", ""}};
  constexpr lidx mebibyte = (1 << 20) / sizeof(double);
  TransportRequest request;
  request.child_command = {"/proc/self/exe", transport_child_command};
  request.announce = [&](const std::string& stage, double at_most_s) {
    watchdog.stage(stage, {.beyond_timeout = at_most_s, .quiet = true});
  };
  const ExchangeSetup setup{
      communicator, communicator.node(),
      std::make_shared<const HaloPlan>(ring(communicator.rank(), communicator.size(), mebibyte)),
      place.backend, sizeof(double)};
  try {
    return check_transports(choose_transport(setup, request, false).reports);
  } catch (const AgreedError& error) {
    return {{Verdict::problem, "transports", error.what(), ""}};
  }
}

Finding speeds(const Communicator& communicator, const Place& place) {
  constexpr double working_set = 64 << 20;
  const Bandwidth mine = measure_bandwidth(communicator, *place.backend, working_set);
  const double ranks = communicator.size();
  return {
      Verdict::ok, "bandwidth",
      fmt::format("a rank, all at once: copy {:.1f} GB/s, to device {:.1f} GB/s, to host {:.1f} GB/s",
                  communicator.sum(mine.copy) / ranks * 1e-9, communicator.sum(mine.to_device) / ranks * 1e-9,
                  communicator.sum(mine.to_host) / ranks * 1e-9),
      ""};
}

/// Collective.
Finding calibration(const Communicator& communicator, const Place& place) {
  const std::string file = default_tuning_cache();
  const TuningCache cache(file, cache_device(*place.backend, place.threads, program_version()), {});
  const RememberedTuning tuning = cache.remembered(communicator);
  const bool fits = communicator.all_of(tuning.calibration != nullptr);
  return check_calibration(fits, tuning.calibrations_of_others, file);
}

/// Prints each finding at once, so that it is there if something later ends the process.
class Protocol {
 public:
  explicit Protocol(const Communicator& communicator) : communicator_(communicator) {}
  /// Prints and counts the findings of rank 0; those of other ranks are left aside.
  void add(const std::vector<Finding>& findings) {
    if (communicator_.rank() != 0) return;
    for (const Finding& finding : findings) {
      print(to_text(finding));
      ++count_[static_cast<std::size_t>(finding.verdict)];
    }
  }
  /// Prints the last line; what the program ends with, the same on every rank. Collective.
  ExitCode end() {
    const gidx problems = count_[static_cast<std::size_t>(Verdict::problem)];
    if (communicator_.rank() == 0)
      print(fmt::format("{} problems, {} warnings\n", problems,
                        count_[static_cast<std::size_t>(Verdict::warning)]));
    communicator_.agree(unprinted_);
    const bool any = communicator_.any_of(communicator_.rank() == 0 && problems > 0);
    return any ? ExitCode::environment : ExitCode::ok;
  }

 private:
  /// A reader that has left is reported at the end.
  void print(const std::string& text) {
    try {
      if (!unprinted_) write_stdout(printable_lines(text));
    } catch (const Error& error) {
      unprinted_ = error;
    }
  }

  const Communicator& communicator_;
  gidx count_[4] = {};
  std::optional<Error> unprinted_;
};

/// Examines its own launch: launcher, MPI, cores, GPUs, and every transport by a real exchange
/// around a ring of all ranks. Prints a verdict for each on rank 0, with the fix. Returns ok where nothing
/// is a problem, else environment; the same on every rank. Collective; throws AgreedError.
ExitCode run_doctor(const Session& session, const DoctorOptions& options) {
  const Communicator& communicator = session.communicator;
  Watchdog& watchdog = session.watchdog;
  Protocol protocol(communicator);
  watchdog.stage("looking at the launch", {.quiet = true});
  protocol.add({check_launcher(find_launcher(), communicator.size(), why_singleton(communicator)),
                check_threads(MpiSession::thread_level(), MpiSession::library())});
  const Place place = find_machine(communicator, options.backend);
  const std::vector<RankFacts> ranks = gather_facts(communicator, place);
  if (communicator.rank() == 0) {
    protocol.add({check_nodes(ranks)});
    protocol.add(check_binding(ranks, find_launcher()));
    protocol.add(check_shared_cores(ranks));
    protocol.add(check_gpus(ranks, why_no_cuda()));
  }
  watchdog.stage("measuring bandwidths", {.quiet = true});
  protocol.add({speeds(communicator, place)});
  protocol.add({calibration(communicator, place)});
  watchdog.stage("trying the transports", {.quiet = true});
  protocol.add(try_transports(communicator, place, watchdog));
  watchdog.stage("asking MPI for the ranks of a node", {.quiet = true});
  protocol.add(ask_mpi_for_nodes(communicator, ranks));  // last: an MPI that errs may hang
  return protocol.end();
}

}  // namespace

std::unique_ptr<Command> declare_doctor(CLI::App& app) {
  return command<DoctorOptions, run_doctor>(app);
}

}  // namespace spmv
