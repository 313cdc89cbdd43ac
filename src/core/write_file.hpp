#pragma once

#include <string>

namespace spmv {

/// Throws what write_file would throw, before a long run instead of after it. Local.
void require_writable(const std::string& path);

/// Writes a file whole or not at all: a failed write leaves what was there. Throws Error(environment). Local.
void write_file(const std::string& path, const std::string& text);

}  // namespace spmv
