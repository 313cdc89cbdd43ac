// spmv_dist model: whether a matrix is worth a GPU, without a product.
#pragma once

#include <string>

#include "app/options/option_groups.hpp"
#include "app/outputs.hpp"
#include "app/session.hpp"

namespace spmv {

struct ModelOptions : MatrixOptions {
  std::string machine = default_machine;  // its memory is the GPU's
  double pcie_gbytes = 50;                // to the GPU and back, GB/s
  double gpu_cache_mbytes = 50;
  std::string json_file;
  double timeout = default_timeout;

  void declare(CLI::App& app);
  void check() const { check_matrix(*this); }
  NamedFiles files() const;
};

/// Loads the pattern of the whole matrix and walks it through the caches of this host and of a GPU; measures the host's
/// bandwidth. On one rank. Collective; throws AgreedError.
ExitCode run_model(const Session& session, const ModelOptions& options);

}  // namespace spmv
