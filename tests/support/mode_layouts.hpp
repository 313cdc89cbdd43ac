#pragma once

#include <string>
#include <vector>

#include "dist/modes.hpp"

namespace spmv::test {

/// A mode and one of its layouts.
template <class T>
struct ModeLayout {
  const Mode<T>* mode;
  std::string layout;

  std::string name() const { return std::string(mode->name) + " in layout " + layout; }
};

/// Every mode in every layout that it supports.
template <class T>
std::vector<ModeLayout<T>> mode_layouts() {
  std::vector<ModeLayout<T>> all;
  for (const Mode<T>& mode : modes<T>())
    for (const std::string& layout : mode.layouts) all.push_back({&mode, layout});
  return all;
}

}  // namespace spmv::test
