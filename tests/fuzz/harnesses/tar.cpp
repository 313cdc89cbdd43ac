#include "support/tar.hpp"

#include <algorithm>

#include "fuzz/harnesses/outcome.hpp"

namespace spmv::fuzz {
namespace {

using Complex = std::complex<double>;

/// Messages contain file names as they are; this harness requires ASCII.
std::string ascii(std::string text) {
  for (char& c : text) c = static_cast<char>(c & 0x7f);
  return text;
}

/// Removes the text up to and including the next `mark`; returns it without the mark.
std::string take_until(std::string_view& rest, char mark) {
  const std::string_view taken = rest.substr(0, rest.find(mark));
  rest.remove_prefix(std::min(taken.size() + 1, rest.size()));
  return std::string(taken);
}

/// An archive of members "TYPE SIZE;NAME;DATA|". Headers get the right checksum and, if SIZE is empty, the
/// right size.
std::string archive_of(std::string_view members) {
  std::string archive;
  while (!members.empty()) {
    const char type = members.front();
    members.remove_prefix(1);
    std::string size = take_until(members, ';').substr(0, 12);
    const std::string name = ascii(take_until(members, ';')), data = ascii(take_until(members, '|'));
    if (size.empty()) size = test::tar_size(data.size());
    archive += test::tar_header(name, size, type) + test::padded(data);
  }
  return archive;
}

/// Parts and blocks must not change the result, for any archive.
void read_archive(std::string_view archive) {
  const auto whole = read_outcome<Complex>(archive, 1, 512);
  check(whole);
  if (!whole.has_header)
    return require_same(whole, read_outcome<Complex>(archive, 1, 7), "a block size changes the header");
  for (const int parts : {2, 3})
    require_same(whole, read_outcome<Complex>(archive, parts, 64), "a cut changes what is read");
}

}  // namespace

void tar(std::string_view input) {
  if (!input.starts_with('%')) {
    const std::string archive = archive_of(input);
    read_archive(archive + test::tar_end());
    return read_archive(
        std::string_view(archive).substr(0, archive.size() - input.size() % (archive.size() + 1)));
  }
  const auto plain = read_outcome<Complex>(input, 1, 4096);
  const std::string text(input);
  const std::string archive =
      test::tar_member("README", text) + test::tar_member("a.mtx", text) + test::tar_end();
  for (const int parts : {1, 3}) {
    const auto outcome = read_outcome<Complex>(archive, parts, 512);
    check(outcome);
    require(outcome.error.empty() == plain.error.empty() && outcome.code == plain.code,
            "a text in an archive is not what it is outside");
    require(test::same(plain.entries, outcome.entries), "a text in an archive is read otherwise");
  }
}

}  // namespace spmv::fuzz
