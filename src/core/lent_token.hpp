// How a rank knows that the memory it has mapped is the memory that another rank lends it. A handle is a name, which may
// mean other memory there: in another PID namespace the number of a process is that of another process.
#pragma once

#include <array>
#include <string>

namespace spmv {

/// Random bytes that stand in lent memory and in its handle.
using LentToken = std::array<char, 16>;

/// A new token at every call. Local; throws Error(environment).
LentToken draw_token();

/// What a handle says.
struct LentHandle {
  LentToken token;
  std::string name;  // of the memory, as its backend understands it
};
std::string to_string(const LentHandle& handle);
/// The reverse. Throws Error(internal) for other text.
LentHandle parse_lent_handle(const std::string& text);

/// Throws Error(environment) where the token found in mapped memory is not the one of its handle. Pure.
void require_lent(const LentToken& found, const LentHandle& handle);

}  // namespace spmv
