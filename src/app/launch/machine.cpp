#include "app/launch/machine.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include "app/launch/launcher.hpp"
#include "comm/place/near_cores.hpp"
#include "core/pick.hpp"
#include "dist/modes.hpp"

namespace spmv {
namespace {

int number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : 0;
}

void check_thread_level(const Options& options) {
  for (const std::string& name : options.modes) {
    const auto& mode = pick(modes<double>(), name, "mode");
    if (MpiSession::thread_level() < mode.thread_level)
      throw AgreedError(
          ExitCode::environment,
          fmt::format("mode {} needs MPI_THREAD_SERIALIZED, which this MPI ({}) does not provide: use an MPI "
                      "built with thread support, or --mode vector,naive",
                      name, MpiSession::library()));
  }
}

/// The same choice on every rank.
std::shared_ptr<Backend> choose_backend(const Communicator& communicator, const Options& options,
                                        const Communicator& node) {
  std::string name = options.backend;
  if (name == "auto") {
    const std::string reason = why_no_cuda();
    name = communicator.min(gidx{reason.empty()}) == 1 ? "cuda" : "host";
    const std::string why = name == "cuda"   ? ""
                            : reason.empty() ? " (another rank has no usable GPU)"
                                             : " (" + reason + ")";
    if (communicator.rank() == 0) fmt::print(stderr, "backend: {}{}\n", name, why);
  }
  return communicator.together([&] {
    return pick(backends(), name, "backend").make({node.rank(), node.size(), 0});
  });
}

/// How many ranks of the node use this rank's device. A launcher may show every rank one GPU only, under the
/// same number: their ids tell whether it is the same GPU. Collective on `node`.
int ranks_on_device(const Communicator& node, const std::string& device_id) {
  std::string all;
  for (const std::string& id : node.gather(device_id)) all += id + "\n";
  std::istringstream ids(node.broadcast(all));
  int ranks = 0;
  for (std::string id; std::getline(ids, id);) ranks += id == device_id;
  return ranks;
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  return name;
}

}  // namespace

Machine find_machine(const Communicator& communicator, const Options& options) {
  if (const std::string reason = why_singleton(communicator); !reason.empty())
    throw AgreedError(ExitCode::environment, reason);
  check_thread_level(options);
  return look_at_machine(communicator, options);
}

Machine look_at_machine(const Communicator& communicator, const Options& options) {
  Machine machine;
  const Communicator node = communicator.node();
  machine.nodes = static_cast<int>(communicator.sum(gidx{node.rank() == 0}));
  machine.backend = choose_backend(communicator, options, node);
  const std::string device = communicator.together([&] { return machine.backend->device_id(); });
  if (communicator.min(gidx{!device.empty()}) == 1)
    machine.backend->share_device(ranks_on_device(node, device));
  machine.cores = find_cores(node, cores_near(device));
  const int wanted = number_in_environment("OMP_NUM_THREADS");
  machine.threads = wanted > 0 ? wanted : machine.cores.per_rank;
  omp_set_num_threads(machine.threads);
  machine.place = fmt::format(
      "{}: {}, {} of {} usable cores, {} OpenMP threads, communication core {}", host_name(),
      machine.backend->describe(), machine.cores.per_rank, machine.cores.all.size(), machine.threads,
      machine.cores.comm_core < 0 ? "shared" : std::to_string(machine.cores.comm_core));
  const bool task = std::find(options.modes.begin(), options.modes.end(), "task") != options.modes.end();
  const gidx without_core = communicator.sum(gidx{machine.cores.comm_core < 0});
  if (task && communicator.size() > 1 && without_core > 0)
    machine.warnings.push_back(fmt::format(
        "{} of {} ranks have one core only: task mode's communication thread shares it with the computation. "
        "With more cores on the node, mend it by '{}' or '{}'.",
        without_core, communicator.size(), find_launcher().no_binding, find_launcher().several_cores));
  if (const gidx far = communicator.sum(gidx{machine.cores.far}); far > 0)
    machine.warnings.push_back(fmt::format(
        "{} of {} ranks have no core near their GPU: what they send crosses from one processor to "
        "another. Mend it by '{}'.",
        far, communicator.size(), find_launcher().no_binding));
  if (communicator.max(gidx{machine.threads > machine.cores.per_rank}) == 1)
    machine.warnings.push_back(fmt::format(
        "OMP_NUM_THREADS={} is more than the {} cores a rank may count on: products will be slow.",
        machine.threads, machine.cores.per_rank));
  return machine;
}

}  // namespace spmv
