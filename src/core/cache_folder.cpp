#include "core/cache_folder.hpp"

#include <cstdlib>

namespace spmv {

std::string cache_folder() {
  const auto folder = [](const char* name) {
    const char* const value = std::getenv(name);
    const std::string path = value != nullptr ? value : "";
    return path.starts_with('/') ? path : std::string();  // the specification says to ignore a relative one
  };
  if (const std::string cache = folder("XDG_CACHE_HOME"); !cache.empty()) return cache + "/spmv_dist";
  const std::string home = folder("HOME");
  return home.empty() ? std::string() : home + "/.cache/spmv_dist";
}

}  // namespace spmv
