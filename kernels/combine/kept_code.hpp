// Machine code that was compiled before, in files: a kernel is compiled once on a machine.
#pragma once

#include <optional>
#include <string>

namespace spmv {

class KeptCode {
 public:
  /// `folder` need not be there; empty: nothing is kept.
  explicit KeptCode(std::string folder) : folder_(std::move(folder)) {}
  /// What was kept for a text, compiled as `how` says; nothing if it is not there, is damaged, or belongs to another user.
  /// Local.
  std::optional<std::string> find(const std::string& text, const std::string& how) const;
  /// Writes a file, completely or not at all. Nothing is kept where that is impossible. Others may do the same. Local.
  void keep(const std::string& text, const std::string& how, const std::string& code) const;
  /// The file. Pure.
  std::string path(const std::string& text, const std::string& how) const;

 private:
  std::string folder_;
};

}  // namespace spmv
