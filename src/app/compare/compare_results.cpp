#include "app/compare/compare_results.hpp"

#include <optional>
#include <string>

#include <fmt/format.h>

#include "app/compare/comparison.hpp"
#include "app/say.hpp"
#include "core/output_file.hpp"
#include "core/printable.hpp"

namespace spmv {
namespace {

/// Where the JSON goes, looked at before anything is read.
std::optional<OutputFile> json_output(const Options& options) {
  if (options.json_file.empty()) return std::nullopt;
  for (const std::string& read : {options.compare.before, options.compare.after})
    if (same_file(options.json_file, read))
      throw Error(ExitCode::usage,
                  fmt::format("--json {} is the same file as {}, which is read: name another file",
                              printable(options.json_file), printable(read)));
  return OutputFile(options.json_file);
}

}  // namespace

ExitCode compare_results(const Options& options) {
  const std::optional<OutputFile> json = json_output(options);
  const CompareOptions& asked = options.compare;
  const Comparison comparison =
      compare(read_results(asked.before), read_results(asked.after), asked.min_ratio);
  if (json) json->write(to_json(comparison));
  show_table(to_text(comparison), json && is_stdout(json->path()));
  return comparison.fails() ? ExitCode::slower : ExitCode::ok;
}

}  // namespace spmv
