// spmv_dist info: how much memory a run would need.
#pragma once

#include <string>
#include <vector>

#include "app/options/option_groups.hpp"

namespace spmv {

struct InfoOptions : MatrixOptions, PartitionOptions {
  std::vector<int> rank_counts = {1};
  std::string format = "auto";
  std::string backend = "auto";
  bool verify = true;
  double timeout = default_timeout;

  void declare(CLI::App& app);
  void check() const { check_matrix(*this); }
  NamedFiles files() const { return {{"the matrix", matrix_file, FileUse::read}}; }
};

}  // namespace spmv
