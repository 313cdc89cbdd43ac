// A file that is being written and is of no use before it is through.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include "app/results.hpp"
#include "core/printable.hpp"

namespace spmv {

/// Makes an early end remove `temporary`, under which name the file for `path` is being written, instead of writing
/// results. An empty name: there is nothing to remove any more. Local.
inline void remove_at_early_end(Results& results, const std::string& path, const std::string& temporary) {
  if (temporary.empty()) return results.on_early_end({});
  results.on_early_end([path, temporary] {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    return printable(path) + " is not written";
  });
}

}  // namespace spmv
