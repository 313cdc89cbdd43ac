#include <algorithm>
#include <string>
#include <utility>

#include "fuzz/harnesses/outcome.hpp"
#include "io/entry_parser.hpp"

namespace spmv::fuzz {
namespace {

using Complex = std::complex<double>;

/// Whether all diagonal values are allowed in hermitian and skew-symmetric matrices.
template <class T>
bool diagonal_is_right(const Outcome<T>& outcome) {
  return std::all_of(outcome.entries.begin(), outcome.entries.end(), [&](const Entry<T>& entry) {
    return entry.row != entry.col || why_not_on_diagonal(entry.value, outcome.header.symmetry) == nullptr;
  });
}

/// The same text with another value type must give the same ids, or a reason for a refusal.
template <class T>
void compare_with(const Outcome<Complex>& expected, std::string_view input) {
  const Outcome<T> outcome = read_outcome<T>(input, 1, 4096);
  check(outcome);
  if (!expected.error.empty()) {
    // A forbidden diagonal value may be so small that the shorter type rounds it to zero.
    if (sizeof(RealOf<T>) < sizeof(double) && expected.error.find("diagonal") != std::string::npos &&
        outcome.error.empty())
      return require(diagonal_is_right(outcome), expected.error);
    require(!outcome.error.empty(), expected.error);
    return;
  }
  if (!outcome.error.empty()) {  // a float overflows earlier
    require(outcome.code == ExitCode::usage || sizeof(RealOf<T>) < sizeof(double), outcome.error);
    return;
  }
  require(outcome.entries.size() == expected.entries.size(), "another number of entries");
  require(same_header(outcome.header, expected.header), "another header");
}

}  // namespace

void matrix_market(std::string_view input) {
  if (input.starts_with("\x1f\x8b")) return;  // packed: for another harness
  const Outcome<Complex> whole = read_outcome<Complex>(input, 1, 4096);
  check(whole);
  // Cuts and block sizes must not change the result. Headers are not cut.
  if (!whole.has_header)
    return require_same(whole, read_outcome<Complex>(input, 1, 1 + input.size() % 9),
                        "a block size changes the header");
  for (const auto& [parts, block] : {std::pair<int, std::size_t>{2, 1}, {3, 64}, {7, 9}})
    require_same(whole, read_outcome<Complex>(input, parts, block), "a cut changes what is read");
  switch (input.size() % 3) {
    case 0:
      return compare_with<double>(whole, input);
    case 1:
      return compare_with<float>(whole, input);
    default:
      return compare_with<std::complex<float>>(whole, input);
  }
}

}  // namespace spmv::fuzz
