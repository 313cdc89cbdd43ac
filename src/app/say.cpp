#include "app/say.hpp"

#include <cstdio>

#include "core/printable.hpp"

namespace spmv {

void say(const std::string& line) {
  std::fputs((printable_lines(line) + "\n").c_str(), stderr);
}

}  // namespace spmv
