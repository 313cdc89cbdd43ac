// The options of the program, declared for CLI11: those of a run, and those that several commands have.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/options.hpp"

namespace spmv {

/// The words between commas. Pure.
std::vector<std::string> split_list(const std::string& list);

/// An option for a finite number from `least` to `most`. CLI11's own way to a number goes by the locale.
CLI::Option* declare_number(CLI::App& app, const char* name, double& number, const char* summary,
                            double least, double most);

/// The names of all generators with their parameters, each behind a line end. Pure.
std::string generator_names();

// Each declares options that `options` gets when `app` parses; it must stay where it is until then. Local.
void declare_timeout(CLI::App& app, Options& options);
void declare_value(CLI::App& app, Options& options);
/// What says which matrix, but for the file.
void declare_source(CLI::App& app, Options& options);
void declare_input(CLI::App& app, Options& options);
void declare_device(CLI::App& app, Options& options);
void declare_format(CLI::App& app, Options& options);
void declare_verify(CLI::App& app, Options& options);
void declare_seed(CLI::App& app, Options& options);
void declare_partition(CLI::App& app, Options& options);
void declare_max_seconds(CLI::App& app, Options& options);
/// Number of products that formats and partitions are chosen for.
void declare_products(CLI::App& app, Options& options);
/// Options that say what format auto is for, and those that fix fields which it then leaves as they are.
void declare_choice(CLI::App& app, Options& options);
/// The file that format auto remembers in.
void declare_tune_cache(CLI::App& app, Options& options);
void declare_json(CLI::App& app, Options& options, const char* summary);
/// All options of a run without a command.
void declare_run(CLI::App& app, Options& options);

}  // namespace spmv
