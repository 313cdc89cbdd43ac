// The text after "NAME:" of a generator, such as "6,3,3,15,u=8": numbers, then options. Everything is Local.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/types.hpp"

namespace spmv {

/// An option name=value of a generator. *value is the default, and becomes the value in the text.
struct Option {
  const char* name;
  double* value;
};

/// The `count` numbers of the text, each >= 0. Options may follow in any order. Throws Error(usage) for another number of
/// numbers, an unknown or repeated option, or a value that is not a finite number.
std::vector<double> parse_real_parameters(const std::string& text, std::size_t count,
                                          const std::vector<Option>& options);

/// The same for whole numbers up to 1e15.
std::vector<gidx> parse_parameters(const std::string& text, std::size_t count,
                                   const std::vector<Option>& options);

/// Unless `holds`, throws Error(usage) with the message that fmt::format() makes of the other arguments.
template <class... Args>
void require_parameter(bool holds, fmt::format_string<const Args&...> problem, const Args&... args) {
  if (!holds) throw Error(ExitCode::usage, fmt::format(problem, args...));
}

/// `number` as a whole number. Throws Error(usage), which calls it `what`, unless it is one from `least` to `most`.
gidx whole_number(double number, const char* what, gidx least, gidx most);

/// Pseudorandom bits for a seed. Throws Error(usage) unless it is a whole number from 0 to 1e15.
std::uint64_t seed_bits(double seed);

/// The number in "SCALE", or 1 for "": the size of a stand-in, relative to the original matrix. Throws Error(usage) unless
/// 0 < SCALE <= 100.
double parse_scale(const std::string& text);

/// a * b, both >= 0. Throws Error(usage) if the product does not fit in 64-bit ids.
gidx checked_product(gidx a, gidx b);

}  // namespace spmv
