// A file that is being written and is of no use before it is complete.
#pragma once

#include <string>

#include "app/session.hpp"
#include "load/save_matrix.hpp"

namespace spmv {

/// At an early end the program says that the file for `path` is not written, instead of writing results, and removes
/// `temporary`, the name under which it is being written; empty: it has none yet. Local.
void discard_at_early_end(Results& results, const std::string& path, const std::string& temporary);

/// For a file that is written as `path`: the watchdog is told how far it is, and an early end removes what is there. The
/// session must outlive it. Local.
SaveOptions save_options(const Session& session, const std::string& path);

}  // namespace spmv
