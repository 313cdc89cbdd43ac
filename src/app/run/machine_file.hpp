#pragma once

#include <string>

#include "dist/machine_model.hpp"

namespace spmv {

/// The machine of this name in the table, or the one that the JSON file of this name describes (jobs/machines has an
/// example). Throws Error(usage) where there is neither, Error(input) that names the field where the file is wrong.
/// Local.
Machine find_described_machine(const std::string& name_or_file);

}  // namespace spmv
