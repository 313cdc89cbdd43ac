// METIS's functions, wherever they come from: a shared library that is loaded for the call, so that it is this METIS whatever
// others the process has, or an archive that was linked. CMake picks the file.
#pragma once

#include <memory>
#include <string>

#include <metis.h>

namespace spmv {

struct MetisLibrary {
  decltype(METIS_SetDefaultOptions)* set_default_options = nullptr;
  decltype(METIS_PartGraphKway)* part_kway = nullptr;
  decltype(METIS_PartGraphRecursive)* part_recursive = nullptr;
  std::string name;              // for messages
  std::shared_ptr<void> loaded;  // unloads it with the last copy
};

/// Throws Error(environment) with the reason where there is none. Local.
MetisLibrary find_metis();

}  // namespace spmv
