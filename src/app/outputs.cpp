#include "app/outputs.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "app/say.hpp"
#include "core/error.hpp"
#include "core/printable.hpp"
#include "load/text_pieces.hpp"

namespace spmv {
namespace {

/// Refuses two names of one file that would be written by one of them.
void require_apart(const NamedFile& file, const NamedFile& other) {
  if (file.path.empty() || other.path.empty()) return;
  if (file.use == FileUse::read && other.use == FileUse::read) return;
  if (std::string_view(file.name) == other.name)
    return;  // an option for several files gives them different names
  if (same_file(file.path, other.path))
    throw Error(ExitCode::usage,
                fmt::format("{} {} is the same file as {} {}: one would destroy the other, name another file",
                            file.name, printable(file.path), other.name, printable(other.path)));
}

void require_a_cache(const std::string& path) {
  if (path.empty() || !is_special_file(path) || is_null_device(path)) return;
  throw Error(ExitCode::usage,
              fmt::format("--tune-cache {} is not a regular file: name a file, or say off", printable(path)));
}

/// Refuses the name of a packed file for one that is never packed.
void require_unpacked_name(const NamedFile& file) {
  const bool never_packed = file.use == FileUse::cache || file.use == FileUse::binary ||
                            (file.use == FileUse::by_ranks && file.path.ends_with(".spmv.gz"));
  if (!never_packed || !is_packed_name(file.path)) return;
  throw Error(ExitCode::usage,
              fmt::format("{} {} would not be packed, and the name says that it is: leave .gz out", file.name,
                          printable(file.path)));
}

}  // namespace

Outputs::Outputs(const NamedFiles& files) {
  for (const NamedFile& file : files)
    if (file.use == FileUse::cache) require_a_cache(file.path);
  for (auto file = files.begin(); file != files.end(); ++file)
    for (auto earlier = files.begin(); earlier != file; ++earlier) require_apart(*file, *earlier);
  for (const NamedFile& file : files) {
    if (file.path.empty()) continue;
    require_unpacked_name(file);
    if (file.use == FileUse::by_ranks || file.use == FileUse::binary) const NewFile tried(file.path);
    if (file.use == FileUse::output) files_.emplace_back(file.name, OutputFile(file.path));
  }
}

void Outputs::write(const char* name, const std::function<std::string()>& text) {
  for (const auto& [known, file] : files_) {
    if (std::string(known) != name) continue;
    try {
      file.write(file_bytes(file.path(), text()));
    } catch (const Error& error) {
      failures_ += (failures_.empty() ? "" : "\n") + std::string(error.what());
    }
  }
}

void Outputs::print(const std::string& text) {
  try {
    const bool taken = std::any_of(files_.begin(), files_.end(),
                                   [](const auto& file) { return is_stdout(file.second.path()); });
    show_table(printable_lines(text), taken);
  } catch (const Error& error) {
    failures_ += (failures_.empty() ? "" : "\n") + std::string(error.what());
  }
}

}  // namespace spmv
