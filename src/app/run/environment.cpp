#include "app/run/environment.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <vector>

#include "app/build_commit.hpp"
#include "app/build_info.hpp"
#include "app/launch/launcher.hpp"
#include "app/report/report_parts.hpp"
#include "core/this_machine.hpp"

namespace spmv {
namespace {

std::string text_of_file(const char* path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<RankPlace> places_in(const std::vector<std::string>& texts) {
  std::vector<RankPlace> places;
  for (const std::string& text : texts) {
    const Json told = Json::parse(text);
    places.push_back({told["host"], told["boot_id"], told["cores"], told["gpu"], told["mps"]});
  }
  return places;
}

/// The GPUs of all ranks, each once, on rank 0. Collective.
std::vector<Environment::Gpu> find_gpus(const Communicator& communicator, const Place& place) {
  const Backend& backend = *place.backend;
  const Json mine = communicator.together([&] {
    return Json{backend.gpu_name(), backend.gpu_clock_mhz(), place.host, backend.device_id(),
                backend.device_uuid()};
  });
  std::vector<Environment::Gpu> gpus;
  for (const std::string& text : communicator.gather(mine.dump())) {
    const Json told = Json::parse(text);
    const Environment::Gpu gpu{told[0], told[1], told[2], told[3], told[4]};
    if (!gpu.name.empty() && std::find(gpus.begin(), gpus.end(), gpu) == gpus.end()) gpus.push_back(gpu);
  }
  return gpus;
}

}  // namespace

std::vector<RankPlace> gather_places(const Communicator& communicator, const Place& place) {
  const Json mine = communicator.together([&] {
    return Json{{"host", place.host},
                {"boot_id", boot_id()},
                {"cores", place.cores.all},
                {"gpu", place.backend->device_uuid()},
                {"mps", place.backend->runs_beside_others()}};
  });
  return places_in(communicator.gather(mine.dump()));
}

Environment find_environment(const Communicator& communicator, const Place& place) {
  Environment environment;
  environment.commit = build_info::commit;
  environment.compiler = build_info::compiler;
  environment.cuda = build_info::cuda;
  environment.driver = driver_version(text_of_file("/proc/driver/nvidia/version"));
  environment.mpi = MpiSession::library();
  environment.launcher = find_launcher().name;
  environment.hosts = communicator.gather(place.host);
  environment.binding = communicator.gather(core_ranges(place.cores.all));
  environment.gpus = find_gpus(communicator, place);
  const std::vector<RankPlace> places = gather_places(communicator, place);
  environment.shared_gpus = shared_gpus(places);
  environment.shared_cores = cores_of_several_hosts(places);
  return environment;
}

std::string driver_version(const std::string& text) {
  // The first word of digits with points between them, such as 535.104.05.
  static const std::regex version(R"((?:^| )([0-9.]*[0-9]\.[0-9.]*)(?=[ \n]|$))");
  std::smatch found;
  return std::regex_search(text, found, version) ? found[1].str() : std::string();
}

}  // namespace spmv
