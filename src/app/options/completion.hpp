// What a shell offers after a word that is not finished.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace spmv {

/// A script for bash that completes commands, options and the words they take, from the declared options and the
/// product's tables. Pure.
std::string bash_completion(const CLI::App& app);

}  // namespace spmv
