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

template <class Function>
void find(const MetisLibrary& library, const char* symbol, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library.loaded.get(), symbol));
  if (function == nullptr)
    throw Error(ExitCode::environment,
                fmt::format("{} is no METIS 5: it has no {}; build again with -DMETIS_LIBRARY=FILE",
                            library.name, symbol));
}

std::string file_of(void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

/// A METIS that the program has loaded already is bound as the program has it: where another one stands before it, its
/// functions call those of the other.
void require_own_functions(const MetisLibrary& library, bool own_scope) {
  void* const first = dlsym(RTLD_DEFAULT, "METIS_PartGraphKway");
  if (own_scope || first == nullptr || file_of(first) == library.name) return;
  throw Error(
      ExitCode::environment,
      fmt::format(
          "the functions of {} are replaced by those of another METIS, in {}: link the program with one "
          "of them only",
          library.name, file_of(first)));
}

}  // namespace

MetisLibrary find_metis() {
  const Opened opened = load();
  MetisLibrary library;
  library.loaded = opened.library;
  library.name = metis_file::name;
  find(library, "METIS_PartGraphKway", library.part_kway);
  find(library, "METIS_PartGraphRecursive", library.part_recursive);
  find(library, "METIS_SetDefaultOptions", library.set_default_options);
  library.name = file_of(reinterpret_cast<void*>(library.part_kway));
  require_own_functions(library, opened.own_scope);
  return library;
}

}  // namespace spmv
