// spmv_dist analyze: what a matrix looks like to storage formats.
#pragma once

#include <string>

#include "app/options/option_groups.hpp"

namespace spmv {

struct AnalyzeOptions : ReportOptions, ChoiceOptions {
  std::string backend = "auto";

  void declare(CLI::App& app);
  void check() const { check_matrix(*this); }
};

}  // namespace spmv
