#include "dist/layouts.hpp"

#include <algorithm>

namespace spmv {

const std::vector<NamedLayout>& layouts() {
  static const std::vector<NamedLayout> table = {
      {"merged", "whole rows in one product, which waits for the halo", Layout::merged},
      {"split", "every row cut: its local part first, its nonlocal part is added when the halo is there",
       Layout::split},
      {"parted", "whole rows: those that need no halo first, the others when it is there", Layout::parted},
  };
  return table;
}

const char* to_string(Layout layout) {
  return std::find_if(layouts().begin(), layouts().end(),
                      [=](const NamedLayout& row) { return row.layout == layout; })
      ->name;
}

}  // namespace spmv
