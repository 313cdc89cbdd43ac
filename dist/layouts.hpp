// How a rank's rows are laid out as operators, by name. dist/layouts.cpp is the table; a layout is one file
// in dist/layouts/.
#pragma once

#include <memory>
#include <vector>

namespace spmv {

class Backend;
struct DistOptions;
template <class T>
struct DistributedRows;
template <class T>
struct Operators;

/// Whole rows in one product; every row cut into owned columns and ghosts; whole rows, those without ghosts
/// apart.
enum class Layout { merged, split, parted };

/// In place of a layout's name: the fastest of those that a mode has.
inline constexpr const char* auto_layout = "auto";

/// Table row: a layout by name. What it says does not depend on T.
template <class T>
struct NamedLayout {
  const char* name;
  const char* summary;
  const char* note;  // how to read a report's columns `interior` and `boundary`
  Layout layout;
  bool has_interior;  // a part of the product waits for no halo, so that something can run beside it
  bool chooses_boundary = false;  // the boundary's format is chosen for itself, not with the interior's
  /// Builds the operators in the formats that the options name. Throws as Format::make. Local.
  Operators<T> (*build)(const DistributedRows<T>& rows, const DistOptions& options,
                        const std::shared_ptr<Backend>& backend);
};

/// The table. Without a type, for those who need the texts only.
template <class T = double>
const std::vector<NamedLayout<T>>& layouts();

/// The row of a layout in the table.
template <class T = double>
const NamedLayout<T>& named(Layout layout);

/// The name of a layout in the table.
const char* to_string(Layout layout);

}  // namespace spmv
