// Values that no solver can work with, found before the first iteration.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "core/types.hpp"
#include "dist/prepare/redistribute.hpp"

namespace spmv {

/// The first element of this rank's rows that is not finite, as "row 18, column 20 is nan", counted from 1; empty: all are
/// finite. `row_ids` and `column_ids`: what the caller calls this rank's rows and columns. Collective.
template <class T>
std::string element_not_finite(const Communicator& communicator, const DistributedRows<T>& rows,
                               const std::vector<gidx>& row_ids, const std::vector<gidx>& column_ids);

/// Where the first value is that is not finite; their number if there is none. Pure.
template <class T>
std::size_t first_not_finite(const std::vector<T>& values);

/// A number for people: "nan", "-inf", "1 + nan i". Pure.
template <class T>
std::string value_text(const T& value);

}  // namespace spmv
