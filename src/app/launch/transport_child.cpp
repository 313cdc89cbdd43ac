#include "app/launch/transport_child.hpp"

#include <cstring>

#include "comm/choose/transport_trial.hpp"
#include "core/backend.hpp"
#include "core/pick.hpp"

namespace spmv {

bool is_transport_child(int argc, char** argv) {
  return argc == 4 && std::strcmp(argv[1], transport_child_command) == 0;
}

ExitCode run_transport_child(const Communicator& communicator, char** argv) {
  // An AgreedError lets the process end in order, with its exit code.
  communicator.together([&] {
    const Transport& transport = pick(transports(), argv[2], "transport");
    try_alone(transport, communicator, pick(backends(), argv[3], "backend").make({}));
  });
  return ExitCode::ok;
}

}  // namespace spmv
