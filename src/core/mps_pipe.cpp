#include "core/mps_pipe.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace spmv {

bool finds_mps_pipe() {
  const char* const folder = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  std::error_code unreadable;  // then there is none for this process
  return std::filesystem::exists(
      std::filesystem::path(folder != nullptr ? folder : "/tmp/nvidia-mps") / "control", unreadable);
}

}  // namespace spmv
