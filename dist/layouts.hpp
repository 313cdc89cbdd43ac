// How a rank's rows are laid out as operators, by name. dist/layouts.cpp is the table.
#pragma once

#include <vector>

namespace spmv {

/// merged: one operator over owned elements and halo. split: every row cut into a local and a nonlocal part,
/// an operator each. parted: rows that need no ghosts, and rows that do, an operator each; the latter see
/// owned elements and halo. Where no row needs ghosts all are the same.
enum class Layout { merged, split, parted };

/// In place of a layout's name: the fastest of those that a mode has.
inline constexpr const char* auto_layout = "auto";

/// Table row: a layout by name.
struct NamedLayout {
  const char* name;
  const char* summary;
  Layout layout;
};

const std::vector<NamedLayout>& layouts();

/// Its name in the table.
const char* to_string(Layout layout);

}  // namespace spmv
