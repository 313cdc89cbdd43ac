#pragma once

#include <string>

namespace spmv {

/// What the user asks of command compare.
struct CompareOptions {
  std::string before, after;  // files of results: A, with what was until now, and B
  double min_ratio = 0;       // the least that B's speed may be of A's; 0: whatever it is
};

}  // namespace spmv
