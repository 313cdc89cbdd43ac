#include "kernels/combine/nvrtc.hpp"

#include <array>

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/error.hpp"

namespace spmv {
namespace {

using Program = void*;

std::shared_ptr<void> open(const std::string& file) {
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  return handle == nullptr ? std::shared_ptr<void>() : std::shared_ptr<void>(handle, dlclose);
}

std::string folder_of(const void* function) {
  Dl_info info{};
  const std::string file = dladdr(function, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
  return file.substr(0, file.rfind('/') + 1);
}

}  // namespace

struct Nvrtc::Functions {
  std::shared_ptr<void> library;
  int (*version)(int*, int*);
  int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*);
  int (*compile)(Program, int, const char* const*);
  int (*log_size)(Program, std::size_t*);
  int (*log)(Program, char*);
  int (*code_size)(Program, std::size_t*);
  int (*code)(Program, char*);
  int (*destroy)(Program*);
  const char* (*error)(int);

  explicit Functions(std::shared_ptr<void> opened) : library(std::move(opened)) {
    find("nvrtcVersion", version);
    find("nvrtcCreateProgram", create);
    find("nvrtcCompileProgram", compile);
    find("nvrtcGetProgramLogSize", log_size);
    find("nvrtcGetProgramLog", log);
    find("nvrtcGetCUBINSize", code_size);
    find("nvrtcGetCUBIN", code);
    find("nvrtcDestroyProgram", destroy);
    find("nvrtcGetErrorString", error);
  }
  void check(int status, const std::string& what) const {
    if (status != 0)
      throw Error(ExitCode::internal,
                  fmt::format("NVRTC cannot compile a kernel: {}{}", error(status), what));
  }

 private:
  template <class Function>
  void find(const char* symbol, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library.get(), symbol));
    if (function == nullptr) throw Error(ExitCode::environment, fmt::format("libnvrtc has no {}", symbol));
  }
};

Nvrtc::Nvrtc(int major, const void* beside) {
  const std::string file = fmt::format("libnvrtc.so.{}", major);
  auto library = open(file);
  if (library == nullptr) library = open(folder_of(beside) + file);
  if (library == nullptr)
    throw Error(ExitCode::environment,
                fmt::format("{} was not found: name its folder in LD_LIBRARY_PATH", file));
  functions_ = std::make_shared<const Functions>(std::move(library));
  int own_major = 0, minor = 0;
  functions_->check(functions_->version(&own_major, &minor), "");
  version_ = fmt::format("{}.{}", own_major, minor);
}

std::string Nvrtc::compile(const std::string& text, int chip) const {
  const Functions& nvrtc = *functions_;
  Program program = nullptr;
  nvrtc.check(nvrtc.create(&program, text.c_str(), "combination.cu", 0, nullptr, nullptr), "");
  const auto destroy = [&](Program* made) { nvrtc.destroy(made); };
  const std::unique_ptr<Program, decltype(destroy)> guard(&program, destroy);
  const std::string architecture = fmt::format("--gpu-architecture=sm_{}", chip);
  const std::array options = {architecture.c_str(), "--std=c++17", "--device-as-default-execution-space"};
  const int status = nvrtc.compile(program, static_cast<int>(options.size()), options.data());
  if (status != 0) {
    std::size_t size = 0;
    nvrtc.check(nvrtc.log_size(program, &size), "");
    std::string log(size, '\0');
    nvrtc.check(nvrtc.log(program, log.data()), "");
    if (!log.empty()) log.pop_back();  // the 0 at its end
    nvrtc.check(status, "\n" + log);
  }
  std::size_t size = 0;
  nvrtc.check(nvrtc.code_size(program, &size), "");
  std::string code(size, '\0');
  nvrtc.check(nvrtc.code(program, code.data()), "");
  return code;
}

}  // namespace spmv
