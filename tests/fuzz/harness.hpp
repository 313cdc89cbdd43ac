// What libFuzzer runs, and what the replay of the kept corpus runs in every build: functions that take the bytes
// of an input from outside and throw where the product breaks a promise about it.
#pragma once

#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace spmv::fuzz {

/// A promise that an input has broken. Nobody catches it, nor any other exception that leaves a harness: that is
/// the finding.
class Finding : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

inline void require(bool holds, std::string_view promise) {
  if (!holds) throw Finding(std::string(promise));
}

/// A Matrix Market text: cuts, block sizes and value types agree with each other.
void matrix_market(std::string_view input);
/// A Matrix Market text that is packed first, or the bytes of a packed file: reads as the plain text does, and
/// damage is noticed.
void gzip(std::string_view input);
/// A Matrix Market text in a tar archive, or the members of one: reads as the text does; cuts and blocks agree.
void tar(std::string_view input);
/// The bytes of a .spmv file, or what a file with right checksums is made of: parts agree with the whole, only matrices
/// are accepted, and damage is noticed.
void binary_matrix(std::string_view input);
/// The JSON of a machine: every product on it takes some time, or it is refused.
void machine_file(std::string_view input);
/// A file of remembered formats: every choice in it can be carried out, or it is refused.
void tuning_cache(std::string_view input);
/// What stands behind --generate: rows keep what the generator says about them.
void generator(std::string_view input);
/// A command line, one word a line: what is accepted lies in its ranges.
void options(std::string_view input);
/// The library's options in one text: as the command line's.
void library_options(std::string_view input);

struct Harness {
  const char* name;  // of the function, of its file and of the file of its seeds
  void (*run)(std::string_view input);
};

/// For messages of tests.
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

/// Whether making what `specification` names takes longer than a fuzzer should wait: many states of electrons, or
/// the bisection for the lengths of long rows. The product allows these.
bool is_slow_generator(std::string_view specification);

}  // namespace spmv::fuzz
