#include "kernels/tune/paces.hpp"

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "paces_data.hpp"

namespace spmv {
namespace {

using Json = nlohmann::json;

Pace pace(const Json& format, const Json& usual) {
  const auto number = [&](const char* name) {
    return format.contains(name) ? format.at(name).get<double>() : usual.at(name).get<double>();
  };
  const auto iteration_ns = format.at("iteration_ns").get<double>();
  return {iteration_ns,          format.value("fast_ns", iteration_ns),
          number("chain_ns"),    number("build_ns"),
          number("sort_ns"),     number("start_ms"),
          number("cached_speed")};
}

DevicePaces paces_of(const Json& device) {
  const auto number = [&](const char* name) { return device.at(name).get<double>(); };
  DevicePaces paces{number("launch_s"),
                    number("cache_bytes"),
                    number("cache_speed"),
                    number("reach"),
                    number("build_threads"),
                    number("foreseen_changes"),
                    number("saved_by_row_before"),
                    number("column_ns")};
  for (const auto& [name, format] : device.at("formats").items())
    paces.formats[name] = pace(format, device.at("usual"));
  return paces;
}

}  // namespace

const DevicePaces& device_paces(bool runs_host_code) {
  static const Json file = Json::parse(built_in_paces);
  static const DevicePaces host = paces_of(file.at("host")), cuda = paces_of(file.at("cuda"));
  return runs_host_code ? host : cuda;
}

const Pace& pace_of(const std::string& format, bool runs_host_code) {
  const auto& formats = device_paces(runs_host_code).formats;
  const auto found = formats.find(format);
  if (found == formats.end())
    throw Error(ExitCode::internal, "kernels/tune/paces.json has no format " + format);
  return found->second;
}

}  // namespace spmv
