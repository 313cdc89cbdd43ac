#include "core/write_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "core/error.hpp"

namespace spmv {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw Error(ExitCode::environment,
              fmt::format("cannot write {}: {}; check the folder and its rights", path, reason));
}

}  // namespace

void require_writable(const std::string& path) {
  const std::string beside = path + ".part";
  const bool writable = static_cast<bool>(std::ofstream(beside, std::ios::binary));
  const std::string reason = std::strerror(errno);
  std::remove(beside.c_str());
  if (!writable) refuse(path, reason);
}

void write_file(const std::string& path, const std::string& text) {
  const std::string beside = path + ".part";
  std::ofstream file(beside, std::ios::binary);
  file << text;
  file.close();
  if (!file || std::rename(beside.c_str(), path.c_str()) != 0) {
    const std::string reason = std::strerror(errno);
    std::remove(beside.c_str());
    refuse(path, reason);
  }
}

}  // namespace spmv
