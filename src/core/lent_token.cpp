#include "core/lent_token.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <unistd.h>

#include "core/error.hpp"

namespace spmv {

LentToken draw_token() {
  LentToken token;
  if (getentropy(token.data(), token.size()) != 0)
    throw Error(ExitCode::environment, std::string("cannot get random bytes from the system: ") +
                                           std::strerror(errno) + "; use another transport");
  return token;
}

std::string to_string(const LentHandle& handle) {
  return std::string(handle.token.data(), handle.token.size()) + handle.name;
}

LentHandle parse_lent_handle(const std::string& text) {
  LentHandle handle;
  if (text.size() <= handle.token.size()) throw Error(ExitCode::internal, "not a handle of lent memory");
  std::copy_n(text.begin(), handle.token.size(), handle.token.begin());
  handle.name = text.substr(handle.token.size());
  return handle;
}

void require_lent(const LentToken& found, const LentHandle& handle) {
  if (found != handle.token)
    throw Error(
        ExitCode::environment,
        "its handle names other memory here, as it does where the ranks run in different PID namespaces "
        "(containers); use another transport");
}

}  // namespace spmv
