// FormatOptions by the names of their fields: what users fix, what is tuned, what is written down.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/local_operator.hpp"

namespace spmv {

/// Table row: one field of FormatOptions.
struct OptionField {
  const char* name;  // as the field; as the command line's option with _ for -
  int (*get)(const FormatOptions&);
  void (*set)(FormatOptions&, int);
};

const std::vector<OptionField>& option_fields();

/// Names of some fields, each once.
using OptionNames = std::vector<std::string>;

inline bool contains(const OptionNames& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "sigma 1024, threads_per_row 4": the fields that differ from the defaults. Often empty. Pure.
std::string describe(const FormatOptions& options);

bool same(const FormatOptions& a, const FormatOptions& b);

}  // namespace spmv
