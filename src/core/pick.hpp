#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace spmv {

/// The row of a table whose `name` equals `name`. Local.
/// Throws Error(usage) that names what was looked for and every known name.
template <class Row>
const Row& pick(const std::vector<Row>& table, std::string_view name, std::string_view what) {
  std::string known;
  for (const Row& row : table) {
    if (name == row.name) return row;
    known += known.empty() ? "" : ", ";
    known += row.name;
  }
  throw Error(ExitCode::usage,
              "unknown " + std::string(what) + " '" + std::string(name) + "'; known are: " + known);
}

}  // namespace spmv
