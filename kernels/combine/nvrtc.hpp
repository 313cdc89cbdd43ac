// NVIDIA's run-time compiler, which is loaded where it is there: a program runs without it.
#pragma once

#include <memory>
#include <string>

namespace spmv {

class Nvrtc {
 public:
  /// Loads libnvrtc.so.<major> from where the loader looks, or from the folder of the file that `beside`, a function, is in.
  /// Throws Error(environment) with the reason.
  Nvrtc(int major, const void* beside);
  /// Such as "13.0". Pure.
  const std::string& version() const { return version_; }
  /// Machine code of a text for GPUs of compute capability `chip`, 90 for 9.0. Throws Error(internal) with what the compiler
  /// says. Local; may be called by several threads at once.
  std::string compile(const std::string& text, int chip) const;

 private:
  struct Functions;
  std::shared_ptr<const Functions> functions_;
  std::string version_;
};

}  // namespace spmv
