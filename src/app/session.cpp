#include "app/session.hpp"

#include "app/say.hpp"
#include "core/output_file.hpp"
#include "core/printable.hpp"

namespace spmv {

void Session::write(const std::function<void(Results&)>& write) const {
  watchdog.stage("writing the results", {.quiet = true});
  communicator.together([&] { write(results); });
}

ExitCode Session::end(ExitCode code) const {
  const std::string failures = communicator.broadcast(results.failures());
  if (failures.empty()) return code;
  if (code == ExitCode::ok) throw AgreedError(ExitCode::environment, failures);
  if (first_rank()) say("spmv_dist: " + failures);
  return code;
}

void Session::print(const std::string& text) const {
  watchdog.stage("writing the results", {.quiet = true});
  communicator.together([&] {
    if (first_rank()) write_stdout(printable_lines(text));
  });
}

StageListener stage_listener(Watchdog& watchdog) {
  return [&watchdog](const std::string& stage, double share) { watchdog.stage(stage, {.share = share}); };
}

}  // namespace spmv
