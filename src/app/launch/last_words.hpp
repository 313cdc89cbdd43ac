#pragma once

#include <functional>

namespace spmv {

/// Calls `speak` in a thread beside this one, and returns when it has ended, or after so many seconds: for a
/// process that is about to leave, whatever becomes of it, because a file may be on a disk that does not answer.
/// Local.
void last_words(const std::function<void()>& speak, double at_most_s);

}  // namespace spmv
