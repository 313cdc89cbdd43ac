#pragma once

#include <exception>

#include "core/error.hpp"

namespace spmv {

/// What was thrown, as an Error: itself if it is one, memory where memory or a thread was refused, otherwise
/// internal. Pure.
Error as_error(const std::exception& thrown);

}  // namespace spmv
