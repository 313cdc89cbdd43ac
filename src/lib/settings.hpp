// Options as the caller named them, read by name, each with its default. What nobody reads does not exist.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/require_same.hpp"

namespace spmv::lib {

using Named = std::map<std::string, std::string>;

/// Throws AgreedError(usage) where the options, or `more`, are not the same on all ranks. Collective.
void require_same_options(const Communicator& communicator, const Named& named, Given more = {});

class Settings {
 public:
  explicit Settings(Named named) : named_(std::move(named)) {}

  /// The value, or the default. All throw Error(usage). Local.
  std::string text(const std::string& name, const std::string& otherwise);
  /// One of some words.
  std::string word(const std::string& name, const std::string& otherwise,
                   const std::vector<std::string>& words);
  double number(const std::string& name, double otherwise, double least, double most);
  int integer(const std::string& name, int otherwise, int least, int most);
  bool has(const std::string& name) const { return named_.contains(name); }
  /// Once everything has been read: throws for a name that nothing has asked for, and tells those that exist.
  void require_known() const;

 private:
  Named named_;
  std::set<std::string> read_;
};

}  // namespace spmv::lib
