// The text after "NAME:" of a generator: whole numbers first, then options, "6,3,3,15,u=8".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace spmv {

/// An option name=value that a generator knows; *value holds the default and receives what the text says.
struct Option {
  const char* name;
  double* value;
};

/// The `sizes` whole numbers of the text, each >= 0; options may follow in any order.
/// Throws Error(usage) if there are fewer or more numbers, an unknown or repeated option, or a value that is
/// not a finite number.
std::vector<gidx> parse_parameters(const std::string& text, std::size_t sizes,
                                   const std::vector<Option>& options);

/// The same with numbers that need not be whole.
std::vector<double> parse_real_parameters(const std::string& text, std::size_t count,
                                          const std::vector<Option>& options);

/// `number` as a whole number. Throws Error(usage) that names it as `what` unless it is one in least .. most.
gidx whole_number(double number, const char* what, gidx least, gidx most);

/// The bits that a whole number seed >= 0, at most 1e15, stands for. Throws Error(usage).
std::uint64_t seed_bits(double seed);

/// What a stand-in for a matrix takes, "" or "SCALE": how many times as large as the original it is, 1 if left
/// out. Throws Error(usage) unless 0 < SCALE <= 100.
double parse_scale(const std::string& text);

/// a * b of two sizes >= 0. Throws Error(usage) if it exceeds 64-bit ids.
gidx checked_product(gidx a, gidx b);

}  // namespace spmv
