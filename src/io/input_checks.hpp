// What the readers of all kinds of files check and refuse. Local.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/csr.hpp"
#include "core/error.hpp"
#include "core/finite.hpp"
#include "core/printable.hpp"
#include "core/types.hpp"
#include "core/value_type.hpp"

namespace spmv {

/// The most rows, columns and nonzeros of a file: sums of a few such numbers fit in 64 bits.
inline constexpr gidx largest_size = 1'000'000'000'000'000'000;

/// `id` counted from 1, for messages. The largest number has no successor and stays.
inline gidx from_1(gidx id) {
  return id < std::numeric_limits<gidx>::max() ? id + 1 : id;
}

/// Throws Error(input) about the file `name`, with the message that fmt::format() makes of the other arguments.
template <class... Args>
[[noreturn]] void refuse(const std::string& name, fmt::format_string<const Args&...> what,
                         const Args&... args) {
  throw Error(ExitCode::input, printable(name) + ": " + fmt::format(what, args...));
}

/// The same about line `line`, from 1.
template <class... Args>
[[noreturn]] void refuse_line(const std::string& name, std::uint64_t line,
                              fmt::format_string<const Args&...> what, const Args&... args) {
  throw Error(ExitCode::input, fmt::format("{}:{}: {}", printable(name), line, fmt::format(what, args...)));
}

/// Throws Error(usage): the file `name` has complex values, but T is real.
template <class T>
[[noreturn]] void refuse_complex(const std::string& name) {
  throw Error(ExitCode::usage,
              fmt::format("{}: the matrix is complex, but the value type is {}; take --value {}",
                          printable(name), value_name<T>(), value_name<std::complex<RealOf<T>>>()));
}

/// Throws Error(input) about the file `name` unless the values of `block` from element `from` on are finite.
template <class T>
void require_finite(const std::string& name, const RowBlock<T>& block, std::size_t from) {
  bool all = true;
  for (std::size_t i = from; i < block.value.size(); ++i) all = all && is_finite(block.value[i]);
  if (all) return;
  const auto bad =
      std::find_if_not(block.value.begin(), block.value.end(), is_finite<T>) - block.value.begin();
  const auto row = std::upper_bound(block.row_ptr.begin(), block.row_ptr.end(), bad) - block.row_ptr.begin();
  refuse(
      name,
      "a value of row {} is beyond the range of {}, or no number; scale the matrix, or take a wider --value",
      block.first_row + row, value_name<T>());
}

}  // namespace spmv
