// Harnesses for libFuzzer and for the replay of the kept corpus: functions that take an input's bytes and
// throw if the product breaks a guarantee about them.
#pragma once

#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace spmv::fuzz {

/// A broken guarantee. This, and any other exception that leaves a harness, is a finding.
class Finding : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

inline void require(bool holds, std::string_view promise) {
  if (!holds) throw Finding(std::string(promise));
}

/// A Matrix Market text: the result does not depend on cuts, block sizes or value types.
void matrix_market(std::string_view input);
/// A Matrix Market text, which is packed first, or the bytes of a packed file: the result is that of the
/// plain text, and damage is noticed.
void gzip(std::string_view input);
/// A Matrix Market text in a tar archive, or the archive's members: the result is that of the text, whatever
/// the cuts and blocks.
void tar(std::string_view input);
/// The bytes of a .spmv file, or a description of one with correct checksums: parts agree with the whole,
/// only valid matrices are accepted, and damage is noticed.
void binary_matrix(std::string_view input);
/// The JSON of a machine: it is refused, or every predicted product takes a positive time.
void machine_file(std::string_view input);
/// A tuning cache: it is refused, or every choice in it works.
void tuning_cache(std::string_view input);
/// The text after --generate: rows match what the generator announces.
void generator(std::string_view input);
/// A command line, one word per line: accepted options are in range.
void options(std::string_view input);
/// The library's options in one text, with the same guarantee.
void library_options(std::string_view input);

struct Harness {
  const char* name;  // of the function, of its file and of the file of its seeds
  void (*run)(std::string_view input);
};

/// For test messages.
inline std::ostream& operator<<(std::ostream& out, const Harness& harness) {
  return out << harness.name;
}

inline const std::vector<Harness>& harnesses() {
  static const std::vector<Harness> table = {{"matrix_market", matrix_market},
                                             {"gzip", gzip},
                                             {"tar", tar},
                                             {"tuning_cache", tuning_cache},
                                             {"generator", generator},
                                             {"options", options},
                                             {"library_options", library_options},
                                             {"binary_matrix", binary_matrix},
                                             {"machine_file", machine_file}};
  return table;
}

/// Whether the generator in `specification` is valid but too slow for a fuzzer: many electron states, or the
/// bisection for long rows' lengths.
bool is_slow_generator(std::string_view specification);

}  // namespace spmv::fuzz
