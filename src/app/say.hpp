// Words to the user beside the report.
#pragma once

#include <string>

namespace spmv {

/// One line on stderr, with everything in it that a terminal would obey made visible. Never fails: there is
/// nowhere left to complain. Local.
void say(const std::string& line);

}  // namespace spmv
