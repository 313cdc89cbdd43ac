// A file that is being written and is of no use before it is through.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include "app/results.hpp"
#include "core/printable.hpp"

namespace spmv {

/// Makes an early end say that the file for `path` is not written, instead of writing results, and remove
/// `temporary`, under which name it is being written; empty where it has none yet. Local.
inline void give_up_at_early_end(Results& results, const std::string& path, const std::string& temporary) {
  results.on_early_end([path, temporary] {
    std::error_code ignored;
    if (!temporary.empty()) std::filesystem::remove(temporary, ignored);
    return printable(path) + " is not written";
  });
}

/// The same for a file that has a name as long as it is being written; an empty one says that it is through. Local.
inline void remove_at_early_end(Results& results, const std::string& path, const std::string& temporary) {
  if (temporary.empty()) return results.on_early_end({});
  give_up_at_early_end(results, path, temporary);
}

}  // namespace spmv
