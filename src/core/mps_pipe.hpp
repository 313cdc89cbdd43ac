#pragma once

namespace spmv {

/// Whether NVIDIA's MPS control daemon has a pipe where CUDA programs of this process look for it: in
/// CUDA_MPS_PIPE_DIRECTORY, or in /tmp/nvidia-mps. Local.
bool finds_mps_pipe();

}  // namespace spmv
