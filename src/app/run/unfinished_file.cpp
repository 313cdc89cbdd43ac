#include "app/run/unfinished_file.hpp"

#include <filesystem>
#include <system_error>

#include "core/printable.hpp"

namespace spmv {

void discard_at_early_end(Results& results, const std::string& path, const std::string& temporary) {
  results.on_early_end([path, temporary] {
    std::error_code ignored;
    if (!temporary.empty()) std::filesystem::remove(temporary, ignored);
    return printable(path) + " is not written";
  });
}

SaveOptions save_options(const Session& session, const std::string& path) {
  SaveOptions options;
  options.stage = stage_listener(session.watchdog);
  options.drafted = [&results = session.results, path](const std::string& temporary) {
    if (temporary.empty()) return results.on_early_end({});  // it is complete
    discard_at_early_end(results, path, temporary);
  };
  return options;
}

}  // namespace spmv
