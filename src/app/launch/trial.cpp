#include "app/launch/trial.hpp"

#include <cstring>

#include "comm/choose/probe.hpp"
#include "core/backend.hpp"
#include "core/pick.hpp"

namespace spmv {

bool is_trial(int argc, char** argv) {
  return argc == 4 && std::strcmp(argv[1], trial_command) == 0;
}

ExitCode run_trial(const Communicator& communicator, char** argv) {
  communicator.together([&] {  // one rank's error is everyone's: the process ends in order
    const Transport& transport = pick(transports(), argv[2], "transport");
    probe_alone(transport, communicator, pick(backends(), argv[3], "backend").make({}));
  });
  return ExitCode::ok;
}

}  // namespace spmv
