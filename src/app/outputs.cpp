#include "app/outputs.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>

#include "app/report/paint.hpp"
#include "app/say.hpp"
#include "core/error.hpp"
#include "core/printable.hpp"

namespace spmv {
namespace {

/// Refuses two names of one file. An empty path names none.
void require_apart(const char* option, const std::string& path, const char* other,
                   const std::string& other_path) {
  if (path.empty() || other_path.empty() || !same_file(path, other_path)) return;
  throw Error(ExitCode::usage,
              fmt::format("{} {} is the same file as {} {}: one would destroy the other, name another file",
                          option, printable(path), other, printable(other_path)));
}

void require_a_cache(const std::string& path) {
  if (path.empty() || !is_special_file(path) || is_null_device(path)) return;
  throw Error(ExitCode::usage,
              fmt::format("--tune-cache {} is not a regular file: name a file, or say off", printable(path)));
}

}  // namespace

Outputs::Outputs(const Options& options) {
  require_a_cache(options.tune_cache);
  const std::pair<const char*, const std::string*> named[] = {
      {"the matrix", &options.matrix_file},  {"--read-x", &options.read_x},
      {"--tune-cache", &options.tune_cache}, {"the file to write", &options.output_file},
      {"--write-y", &options.write_y},       {"--json", &options.json_file},
      {"--csv", &options.csv_file},          {"--trace", &options.trace_file}};
  constexpr std::size_t first_written = 2;
  for (std::size_t i = first_written; i < std::size(named); ++i)
    for (std::size_t earlier = 0; earlier < i; ++earlier)
      require_apart(named[i].first, *named[i].second, named[earlier].first, *named[earlier].second);
  // What several ranks write, each its part, is no stream.
  for (const std::string& path :
       {options.write_y, options.command == Command::convert ? options.output_file : std::string()})
    if (!path.empty()) const NewFile tried(path);
  if (options.command == Command::generate) const OutputFile tried(options.output_file);
  constexpr std::size_t first_output = 5;
  for (std::size_t i = first_output; i < std::size(named); ++i)
    if (!named[i].second->empty()) files_.emplace_back(named[i].first, OutputFile(*named[i].second));
}

void Outputs::write(const char* option, const std::function<std::string()>& text) {
  for (const auto& [name, file] : files_) {
    if (std::string(name) != option) continue;
    try {
      file.write(text());
    } catch (const Error& error) {
      failures_ += (failures_.empty() ? "" : "\n") + std::string(error.what());
    }
  }
}

void Outputs::print(const std::string& text) {
  try {
    const std::string shown = printable_lines(text);
    const bool taken = std::any_of(files_.begin(), files_.end(),
                                   [](const auto& file) { return is_stdout(file.second.path()); });
    show_table(prints_in_colour() && !taken ? painted(shown) : shown, taken);
  } catch (const Error& error) {
    failures_ += (failures_.empty() ? "" : "\n") + std::string(error.what());
  }
}

}  // namespace spmv
