// The one exception type of the project and the exit codes of the program.
#pragma once

#include <stdexcept>
#include <string>

namespace spmv {

/// Exit codes of spmv_dist, the same on every rank. Documented in src/app/README.md; jobs rely on them.
enum class ExitCode : int {
  ok = 0,
  internal = 1,      // a bug in the program or a failed library call
  usage = 2,         // unknown option or value
  wrong_result = 3,  // a product differs from the reference
  input = 4,         // a file that is not what it says it is
  environment = 5,   // no usable GPU, MPI thread level too low, a library too narrow
  slower = 6,        // a comparison is below --min-ratio
  timeout = 7,       // no progress within --timeout
  memory = 8,        // does not fit on the host or on the GPU
  unsolved = 9,      // a solver stopped without a solution
};

/// What went wrong and how the user can fix it. The message is complete: it names the file and line, option
/// or number involved. Thrown by one rank or by all; Communicator::agree() makes a local failure everyone's.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace spmv
