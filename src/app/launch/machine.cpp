#include "app/launch/machine.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include "app/launch/launcher.hpp"
#include "app/say.hpp"
#include "core/pick.hpp"
#include "dist/modes.hpp"

namespace spmv {
namespace {

/// Thread levels and the use of a communication thread are the same for every value type.
const Mode<double>& mode_named(const std::string& name) {
  return pick(modes<double>(), name, "mode");
}

/// The first part of a reason, without details: " (no usable GPU; spmv_dist doctor says more)".
std::string why_in_short(const std::string& reason) {
  const std::string begin = reason.substr(0, reason.find_first_of(":;"));
  return begin.empty() ? "" : fmt::format(" ({}; spmv_dist doctor says more)", begin);
}

/// Whether some machine has two cores for each of its ranks, so that other flags would give a rank more than one. Collective.
bool has_more_cores(const Communicator& communicator, const Place& place) {
  const gidx cores = sysconf(_SC_NPROCESSORS_ONLN);
  return communicator.any_of(cores >= gidx{2} * place.on_machine);
}

/// What makes this launch slow, each a whole sentence with the fix; the same on every rank. Collective.
std::vector<std::string> launch_warnings(const Communicator& communicator,
                                         const std::vector<std::string>& modes, const Place& place) {
  std::vector<std::string> warnings;
  const bool comm_thread = std::any_of(
      modes.begin(), modes.end(), [](const std::string& name) { return mode_named(name).uses_comm_thread; });
  const gidx without_core = communicator.sum(gidx{place.cores.comm_core < 0});
  // Where there are no more cores, or the ranks may use all of them, there is nothing to fix.
  if (comm_thread && communicator.size() > 1 && without_core > 0 && has_more_cores(communicator, place))
    warnings.push_back(fmt::format(
        "{} of {} ranks have one core only: task mode's communication thread shares it with the computation. "
        "Fix it by '{}' or '{}'.",
        without_core, communicator.size(), find_launcher().no_binding, find_launcher().several_cores));
  if (const gidx far = communicator.sum(gidx{place.cores.far}); far > 0)
    warnings.push_back(fmt::format(
        "{} of {} ranks have no core near their GPU: what they send crosses from one processor to another. "
        "Fix it by '{}'.",
        far, communicator.size(), find_launcher().no_binding));
  if (communicator.any_of(place.threads > place.cores.per_rank))
    warnings.push_back(fmt::format(
        "OMP_NUM_THREADS={} is more than the {} cores a rank may count on: products will be slow.",
        place.threads, place.cores.per_rank));
  return warnings;
}

}  // namespace

void require_fit_launch(const Communicator& communicator, const std::vector<std::string>& modes) {
  if (const std::string reason = why_singleton(communicator); !reason.empty())
    throw AgreedError(ExitCode::environment, reason);
  for (const std::string& name : modes)
    if (MpiSession::thread_level() < mode_named(name).thread_level)
      throw AgreedError(
          ExitCode::environment,
          fmt::format("mode {} needs MPI_THREAD_SERIALIZED, which this MPI ({}) does not provide: use an MPI "
                      "built with thread support, or --mode vector,naive",
                      name, MpiSession::library()));
}

Place find_machine(const Communicator& communicator, const std::string& backend) {
  Place place = find_place(communicator, {backend});
  if (backend == auto_backend && communicator.rank() == 0)
    say(fmt::format("backend: {}{}", place.backend->name(), why_in_short(place.why_no_gpu)));
  omp_set_num_threads(place.threads);
  return place;
}

Place prepare_machine(const Communicator& communicator, const std::string& backend,
                      const std::vector<std::string>& modes) {
  require_fit_launch(communicator, modes);
  Place place = find_machine(communicator, backend);
  for (const std::string& warning : launch_warnings(communicator, modes, place))
    if (communicator.rank() == 0) say("warning: " + warning);
  return place;
}

Place prepare_host(const Communicator& communicator) {
  return prepare_machine(communicator, "host");
}

}  // namespace spmv
