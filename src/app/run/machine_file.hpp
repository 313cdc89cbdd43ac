#pragma once

#include <string>

#include "dist/machine/product_time.hpp"

namespace spmv {

/// The machine that a JSON text describes; `file`: its name, for messages. Throws Error(input) that names the field where
/// it is wrong. Pure.
Machine parse_machine(const std::string& text, const std::string& file);

/// The file that --machine names; empty for a name in the table. Pure.
std::string file_of_machine(const std::string& name_or_file);

/// The machine of this name in the table, or the one that the JSON file of this name describes (jobs/machines has an
/// example). Throws Error(usage) where there is neither, and as parse_machine(). Local.
Machine find_described_machine(const std::string& name_or_file);

}  // namespace spmv
