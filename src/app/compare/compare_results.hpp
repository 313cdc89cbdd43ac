// Command compare: how fast one set of results is beside another.
#pragma once

#include "app/options.hpp"
#include "core/error.hpp"

namespace spmv {

/// Reads both files, writes the comparison to stdout and, if asked for, as JSON. Returns slower where a mode is below --min-ratio. Throws
/// Error(usage) where the JSON would replace a file that is read, Error(input), Error(wrong_result) and Error(environment). Local.
ExitCode compare_results(const Options& options);

}  // namespace spmv
