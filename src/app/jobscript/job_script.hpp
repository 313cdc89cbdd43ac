// Command jobscript: a script that a batch system takes, and that carries a scaling study out.
#pragma once

#include <string>

#include "app/options.hpp"
#include "core/error.hpp"

namespace spmv {

/// The script. One allocation as large as the largest run, in which command scale starts the runs, the largest first; its exit code is the job's.
/// Whatever is in a name is a word for the shell, on one line, and for the batch system only what needs no quoting. Throws Error(usage) where a text
/// that the batch system reads is none of those, and where the ranks do not fit the nodes. `options`: put in order by order_study(); `program`: that
/// carries the study out.
/// Pure.
std::string job_script(const Options& options, const std::string& program);

/// Writes the script to the file named or to stdout. Throws as job_script(), and Error(environment). Local.
ExitCode write_job_script(const Options& options);

}  // namespace spmv
