#pragma once

#include "app/options.hpp"

namespace spmv::html {

/// Command report: the page of the results in options.files goes to options.output_file. Needs neither MPI nor a machine. Throws Error(input) where a file is no run's result, Error(usage) where the page
/// would destroy one, Error(environment) where it cannot be written. Local.
ExitCode make_page(const Options& options);

}  // namespace spmv::html
