#include "app/report/version.hpp"

#include <CLI/Version.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "app/build_commit.hpp"
#include "app/build_info.hpp"
#include "comm/communicator.hpp"

namespace spmv {

std::string program_version() {
  return build_info::version;
}

std::string version_text() {
  return fmt::format(
      "spmv_dist {}, commit {}\n"
      "compiler   {}, {} build, flags '{}'\n"
      "MPI        {}\n"
      "CUDA       {}\n"
      "METIS      {}\n"
      "PT-Scotch  {}\n"
      "CLI11      {}\n"
      "fmt        {}.{}.{}\n"
      "json       {}.{}.{}\n"
      "zlib       {}\n",
      build_info::version, build_info::commit, build_info::compiler, build_info::build_type,
      build_info::flags, MpiSession::library(), build_info::cuda, build_info::metis, build_info::scotch,
      CLI11_VERSION, FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100,
      NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH, zlibVersion());
}

}  // namespace spmv
