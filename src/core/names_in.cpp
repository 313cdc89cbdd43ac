#include "core/names_in.hpp"

#include <memory>
#include <utility>

#include <dirent.h>

namespace spmv {

std::vector<std::string> names_in(const std::string& folder) {
  struct Close {
    void operator()(DIR* open) const { closedir(open); }
  };
  std::vector<std::string> names;
  const std::unique_ptr<DIR, Close> open(opendir(folder.c_str()));
  if (open == nullptr) return names;
  while (const dirent* const entry = readdir(open.get())) {
    std::string name(static_cast<const char*>(entry->d_name));
    if (name != "." && name != "..") names.push_back(std::move(name));
  }
  return names;
}

}  // namespace spmv
