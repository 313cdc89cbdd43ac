#include "comm/place/devices.hpp"

#include <algorithm>
#include <vector>

namespace spmv {

int ranks_on_device(const Communicator& node, const std::string& device_id) {
  const std::vector<std::string> ids = node.all_gather(device_id);
  return device_id.empty() ? 0 : static_cast<int>(std::count(ids.begin(), ids.end(), device_id));
}

}  // namespace spmv
