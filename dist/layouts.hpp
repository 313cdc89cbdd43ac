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

/// In place of a layout's name: the fastest of those that a mode has.
inline constexpr const char* auto_layout = "auto";

/// Table row: a layout by name; `--layout`, modes and reports name it so. What it says does not depend on T.
template <class T>
struct Layout {
  const char* name;
  const char* summary;
  const char* note;   // how to read a report's columns `interior` and `boundary`
  bool has_interior;  // a part of the product waits for no halo, so that something can run beside it
  bool chooses_boundary = false;  // the boundary's format is chosen for itself, not with the interior's
  /// Builds the operators in the formats that the options name. Throws as Format::make. Local.
  Operators<T> (*build)(const DistributedRows<T>& rows, const DistOptions& options,
                        const std::shared_ptr<Backend>& backend);
};

/// The table. Without a type, for those who need the texts only.
template <class T = double>
const std::vector<Layout<T>>& layouts();

}  // namespace spmv
