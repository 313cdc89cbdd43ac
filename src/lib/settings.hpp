// Options by name, each with a default. An option that is never read is unknown.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/require_same.hpp"

namespace spmv::lib {

using Named = std::map<std::string, std::string>;

/// Throws AgreedError(usage) if the options, or `more`, differ between ranks. Collective.
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
  /// To be called when all options have been read: throws for a name that was not, with a list of the known names.
  void require_known() const;

 private:
  Named named_;
  std::set<std::string> read_;
};

}  // namespace spmv::lib
