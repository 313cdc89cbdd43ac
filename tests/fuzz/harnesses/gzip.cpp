#include "fuzz/harnesses/outcome.hpp"

namespace spmv::fuzz {
namespace {

using Complex = std::complex<double>;

constexpr std::size_t block_bytes = 512;

/// Bytes that claim to be packed: all numbers of parts give the same result.
void read_packed(std::string_view packed) {
  const auto whole = read_outcome<Complex>(packed, 1, block_bytes);
  check(whole);
  for (const int parts : {2, 3, 7})
    require_same(whole, read_outcome<Complex>(packed, parts, block_bytes), "a cut changes what is read");
  const auto other = read_outcome<Complex>(packed, 3, 7);
  require(other.error.empty() == whole.error.empty(), "accepted in blocks of one size only");
}

void expect_damage(std::string_view packed, const char* what) {
  const auto outcome = read_outcome<Complex>(packed, 2, block_bytes);
  require(!outcome.error.empty() && outcome.code == ExitCode::input, what);
}

}  // namespace

void gzip(std::string_view input) {
  if (input.starts_with("\x1f\x8b")) return read_packed(input);
  if (!input.starts_with('%')) return;  // other inputs are for the plain reader's harness
  const auto plain = read_outcome<Complex>(input, 1, 4096);
  // Two members in a row are one text.
  const std::size_t middle = input.size() / 2;
  const std::string first = test::gzipped(std::string(input.substr(0, middle)));
  const std::string packed = first + test::gzipped(std::string(input.substr(middle)));
  // A file of another kind must be unpacked by hand first.
  if (plain.error.starts_with("m: is "))
    return expect_damage(packed, "a packed file of another kind is accepted");
  // data_begin counts unpacked bytes, and messages count lines, so both stay the same.
  for (const int parts : {1, 3})
    require_same(plain, read_outcome<Complex>(packed, parts, block_bytes), "a packed text is read otherwise");

  const std::size_t cut = first.size() + input.size() % (packed.size() - first.size());
  if (cut > first.size())
    expect_damage(std::string_view(packed).substr(0, cut), "a truncated file is accepted");
  if (!plain.error.empty()) return;
  expect_damage(packed + 'x', "something after the end is accepted");
  std::string wrong_sum = packed;
  wrong_sum[wrong_sum.size() - 5 - input.size() % 4] ^= 1;
  expect_damage(wrong_sum, "a wrong checksum is accepted");
}

}  // namespace spmv::fuzz
