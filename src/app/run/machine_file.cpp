#include "app/run/machine_file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/printable.hpp"

namespace spmv {
namespace {

/// A number of the file that is larger than 0, or, if it may be, 0.
double number(const nlohmann::json& json, const std::string& file, const char* field, bool may_be_zero) {
  const auto found = json.find(field);
  if (found == json.end())
    throw Error(ExitCode::input, fmt::format("{}: there is no \"{}\"", printable(file), field));
  const bool good =
      found->is_number() && (found->get<double>() > 0 || (may_be_zero && found->get<double>() == 0));
  if (!good)
    throw Error(ExitCode::input, fmt::format("{}: \"{}\" is no number {}", printable(file), field,
                                             may_be_zero ? "from 0 on" : "larger than 0"));
  return found->get<double>();
}

Machine machine_of(const nlohmann::json& json, const std::string& file) {
  if (!json.is_object())
    throw Error(ExitCode::input,
                printable(file) + ": it describes no machine: {\"name\": ..., ...} is expected");
  Machine m;
  m.name = json.value("name", file);
  m.description = json.value("description", "");
  const double per_node = number(json, file, "ranks_per_node", false);
  constexpr double most = 1 << 20;
  if (per_node > most || per_node != static_cast<int>(per_node))
    throw Error(ExitCode::input, printable(file) + ": \"ranks_per_node\" is no number of ranks");
  m.ranks_per_node = static_cast<int>(per_node);
  m.memory = number(json, file, "memory_bytes_per_s", false);
  m.near_exchange = number(json, file, "near_bytes_per_s", false);
  m.near_message_s = number(json, file, "near_message_s", true);
  m.far_exchange = number(json, file, "far_bytes_per_s", false);
  m.far_message_s = number(json, file, "far_message_s", true);
  m.product_s = number(json, file, "product_s", true);
  m.thread_s = number(json, file, "thread_s", true);
  return m;
}

}  // namespace

Machine parse_machine(const std::string& text, const std::string& file) {
  try {
    return machine_of(nlohmann::json::parse(text), file);
  } catch (const nlohmann::json::exception& error) {
    throw Error(ExitCode::input,
                fmt::format("{}: it is no JSON of a machine: {}", printable(file), error.what()));
  }
}

std::string file_of_machine(const std::string& name_or_file) {
  const auto& known = machines();
  const bool in_table = std::any_of(known.begin(), known.end(),
                                    [&](const Machine& machine) { return machine.name == name_or_file; });
  return in_table ? "" : name_or_file;
}

Machine find_described_machine(const std::string& name_or_file) {
  std::string known;
  for (const Machine& machine : machines()) {
    if (machine.name == name_or_file) return machine;
    known += (known.empty() ? "" : ", ") + machine.name;
  }
  std::ifstream in(name_or_file);
  if (!in)
    throw Error(ExitCode::usage,
                fmt::format("--machine {}: there is no such file, and no such machine; known: {}",
                            printable(name_or_file), known));
  return parse_machine({std::istreambuf_iterator<char>(in), {}}, name_or_file);
}

}  // namespace spmv
