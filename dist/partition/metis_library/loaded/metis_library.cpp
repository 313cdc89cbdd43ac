// Programs have a METIS of their own, with another width of idx_t, another version, or Scotch's functions under METIS's
// names. A METIS that was linked would have its functions replaced by theirs, the ones it calls itself as well. So it is
// loaded by its path, in a scope of its own, and unloaded after the call: what the program loads later finds its own.
#include "dist/partition/metis_library/metis_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/error.hpp"
#include "metis_file.hpp"

namespace spmv {
namespace {

std::string last_failure() {
  const char* const text = dlerror();
  return text == nullptr ? "no reason given" : text;
}

/// Sanitizers end a process that asks for RTLD_DEEPBIND, as their own functions would not be called.
bool under_sanitizer() {
  return dlsym(RTLD_DEFAULT, "__sanitizer_report_error_summary") != nullptr;
}

/// The library, and whether it is bound in a scope of its own.
struct Opened {
  std::shared_ptr<void> library;
  bool own_scope = false;
};

Opened open(const char* file) {
  const auto opened = [&](int how) {
    void* const handle = dlopen(file, how);
    return handle == nullptr ? std::shared_ptr<void>() : std::shared_ptr<void>(handle, dlclose);
  };
  const bool deep = !under_sanitizer();
  const bool was_there = opened(RTLD_LAZY | RTLD_NOLOAD) != nullptr;
  return {opened(RTLD_NOW | RTLD_LOCAL | (deep ? RTLD_DEEPBIND : 0)), deep && !was_there};
}

Opened load() {
  Opened found = open(metis_file::path);
  if (found.library != nullptr) return found;
  const std::string reason = last_failure();
  found = open(metis_file::name);
  if (found.library != nullptr) return found;
  throw Error(
      ExitCode::environment,
      fmt::format("METIS cannot be loaded ({}); name the folder of {} in LD_LIBRARY_PATH, build again with "
                  "-DMETIS_LIBRARY=FILE",
                  reason, metis_file::name));
}

std::string file_of(void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

/// A METIS that has no scope of its own is bound as the program has it: its functions call those of the first METIS there,
/// so that is the one to call.
template <class Function>
void find(MetisLibrary& library, const Opened& opened, const char* symbol, Function*& function) {
  void* found = opened.own_scope ? nullptr : dlsym(RTLD_DEFAULT, symbol);
  if (found == nullptr) found = dlsym(opened.library.get(), symbol);
  if (found == nullptr)
    throw Error(ExitCode::environment,
                fmt::format("{} is no METIS 5, as it has no {}; build again with -DMETIS_LIBRARY=FILE",
                            metis_file::name, symbol));
  function = reinterpret_cast<Function*>(found);
  library.name = "METIS in " + file_of(found);
}

}  // namespace

MetisLibrary find_metis() {
  const Opened opened = load();
  MetisLibrary library;
  library.loaded = opened.library;
  find(library, opened, "METIS_SetDefaultOptions", library.set_default_options);
  find(library, opened, "METIS_PartGraphKway", library.part_kway);
  find(library, opened, "METIS_PartGraphRecursive", library.part_recursive);
  return library;
}

}  // namespace spmv
