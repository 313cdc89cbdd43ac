#include "comm/first_reason.hpp"

namespace spmv {

std::string first_reason(const Communicator& communicator, const std::string& mine) {
  const std::vector<std::string> all = communicator.gather(mine);  // on rank 0
  std::string first;
  for (const std::string& reason : all)
    if (first.empty()) first = reason;
  return communicator.broadcast(first);
}

}  // namespace spmv
