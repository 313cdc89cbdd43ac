// spmv_dist generate: a matrix from a formula becomes a Matrix Market file.
#pragma once

#include <string>

#include "app/options/option_groups.hpp"

namespace spmv {

struct GenerateOptions : MatrixOptions {
  std::string output_file;
  double timeout = default_timeout;

  void declare(CLI::App& app);
  void check() const { check_matrix(*this); }
  NamedFiles files() const { return {{"the file to write", output_file}}; }
};

}  // namespace spmv
