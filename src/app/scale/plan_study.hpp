// What a study measures, decided before anything is run.
#pragma once

#include <string>
#include <vector>

#include "app/options.hpp"
#include "app/scale/point.hpp"

namespace spmv {

/// Brings the options of a study into order: takes the matrix out of the words behind the options.
/// Throws Error(usage) for names that no table has and for options that contradict each other. Local.
void order_study(Options& options);

/// The file that this process runs. Local.
std::string this_program();

/// The same, and expands what stands for several, and fills in the program and, by what there is here, the ranks. Throws Error(environment) as
/// find_run_launcher(). Local.
void complete_study(Options& options);

/// Every run of the study: one for each number of ranks, the largest first, each partition and each format; modes and transports are measured in one
/// run. `options`: completed. Pure.
std::vector<PlannedRun> plan_study(const Options& options);

/// The words of a run behind the program's name. Pure.
std::vector<std::string> run_words(const Options& options, const PlannedRun& run);

}  // namespace spmv
