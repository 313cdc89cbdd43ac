// spmv_dist without a command: products in all modes, checked and measured.
#pragma once

#include <string>

#include "app/run/run.hpp"

namespace spmv {

struct MultiplyOptions : RunOptions {
  bool verbose = false;  // the whole report, in wide lines
  std::string json_file;
  std::string csv_file;
  std::string trace_file;

  void declare(CLI::App& app);
  NamedFiles files() const;
};

}  // namespace spmv
