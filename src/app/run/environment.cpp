#include "app/run/environment.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <vector>

#include "app/launch/launcher.hpp"
#include "app/report/report_json.hpp"
#include "app/report/version.hpp"

namespace spmv {
namespace {

std::string text_of_file(const char* path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
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
  const std::vector<std::string> hosts = communicator.gather(place.host);
  const std::vector<std::string> names = communicator.gather(place.backend->gpu_name());
  const std::vector<std::string> ids = communicator.gather(place.backend->device_id());
  const std::vector<std::string> uuids = communicator.gather(place.backend->device_uuid());
  const std::vector<double> clocks = communicator.all_gather(place.backend->gpu_clock_mhz());
  std::vector<Environment::Gpu> gpus;
  if (communicator.rank() != 0) return gpus;
  for (std::size_t rank = 0; rank < names.size(); ++rank) {
    const Environment::Gpu gpu{names[rank], clocks[rank], hosts[rank], ids[rank], uuids[rank]};
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
  environment.commit = program_commit();
  environment.compiler = compiler_version();
  environment.cuda = cuda_version();
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

std::string driver_version(std::string_view text) {
  // The first word of digits with points between them, such as 535.104.05.
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    if (!is_digit(text[begin]) || (begin > 0 && text[begin - 1] != ' ')) continue;
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    if (word.find('.') != std::string_view::npos &&
        std::all_of(word.begin(), word.end(), [](char c) { return is_digit(c) || c == '.'; }))
      return std::string(word);
  }
  return {};
}

}  // namespace spmv
