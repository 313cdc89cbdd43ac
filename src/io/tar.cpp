#include "io/tar.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/printable.hpp"

namespace spmv {
namespace {

/// A field of a header: where it begins, and its bytes.
struct HeaderField {
  std::size_t begin;
  std::size_t bytes;
};
constexpr HeaderField name_field{0, 100}, size_field{124, 12}, sum_field{148, 8}, magic_field{257, 6},
    prefix_field{345, 155};
constexpr std::size_t type_at = 156;
constexpr std::size_t more_map_at = 482, more_map_at_later = 504;  // of GNU's sparse files
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;  // of a member, so that sums do not overflow

std::string_view field(std::string_view block, HeaderField f) {
  return block.substr(f.begin, f.bytes);
}

/// Up to its first zero byte.
std::string_view text_of(std::string_view bytes) {
  return bytes.substr(0, bytes.find('\0'));
}

/// A number in octal digits, or, as GNU has it for large ones, in bytes behind one of 0x80; none if it is neither.
std::optional<std::uint64_t> number(std::string_view bytes) {
  std::uint64_t value = 0;
  if (bytes[0] == '\x80') {
    for (const char c : bytes.substr(1)) {
      if (value >= most_bytes >> 8U) return std::nullopt;
      value = value << 8U | static_cast<unsigned char>(c);
    }
    return value;
  }
  bytes.remove_prefix(std::min(bytes.find_first_not_of(' '), bytes.size()));
  const std::string_view digits = bytes.substr(0, bytes.find_first_of(std::string_view(" \0", 2)));
  const auto [stop, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
  if (digits.empty()) return 0;
  if (status != std::errc() || stop != digits.data() + digits.size() || value >= most_bytes)
    return std::nullopt;
  return value;
}

/// The sum of all bytes, those of the sum itself as blanks. Some old writers took bytes for signed.
template <class Byte>
std::int64_t sum_of(std::string_view block) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < block.size(); ++i)
    sum += i - sum_field.begin < sum_field.bytes ? ' ' : static_cast<Byte>(block[i]);
  return sum;
}

bool is_header(std::string_view block) {
  const auto sum = number(field(block, sum_field));
  return sum && (static_cast<std::int64_t>(*sum) == sum_of<unsigned char>(block) ||
                 static_cast<std::int64_t>(*sum) == sum_of<signed char>(block));
}

bool is_zero(std::string_view block) {
  return block.find_first_not_of('\0') == std::string_view::npos;
}

/// What stands before a member and replaces what its header says.
struct Extension {
  std::string name;  // empty: the header's
  std::optional<std::uint64_t> bytes;
  bool has_holes = false;
};

/// Takes over a record of a pax header; false where the record is damaged.
bool take_record(std::string_view key, std::string_view value, Extension& extension) {
  if (key == "path" || key == "GNU.sparse.name") extension.name = value;
  if (key.starts_with("GNU.sparse.")) extension.has_holes = true;
  if (key != "size") return true;
  std::uint64_t bytes = 0;
  const auto [stop, status] = std::from_chars(value.data(), value.data() + value.size(), bytes);
  extension.bytes = bytes;
  return status == std::errc() && stop == value.data() + value.size() && bytes < most_bytes;
}

/// Records "LENGTH KEY=VALUE\n", of LENGTH bytes each; false where they are damaged.
bool take_records(std::string_view records, Extension& extension) {
  while (!records.empty()) {
    std::size_t length = 0;
    const auto [stop, status] = std::from_chars(records.data(), records.data() + records.size(), length);
    const auto digits = static_cast<std::size_t>(stop - records.data());
    if (status != std::errc() || length > records.size() || length < digits + 3) return false;
    const std::string_view record = records.substr(digits, length - digits);
    const std::size_t equals = record.find('=');
    if (record.front() != ' ' || record.back() != '\n' || equals == std::string_view::npos) return false;
    if (!take_record(record.substr(1, equals - 1), record.substr(equals + 1, record.size() - equals - 2),
                     extension))
      return false;
    records.remove_prefix(length);
  }
  return true;
}

/// Without extensions. Only POSIX's headers have a prefix; GNU's have other things there.
std::string name_in(std::string_view block) {
  const std::string_view prefix = text_of(field(block, prefix_field));
  const std::string name(text_of(field(block, name_field)));
  return field(block, magic_field) == std::string_view("ustar\0", 6) && !prefix.empty()
             ? std::string(prefix) + "/" + name
             : name;
}

}  // namespace

TarReader::TarReader(std::unique_ptr<TextSource> source, std::string name)
    : source_(std::move(source)), name_(std::move(name)) {}

bool TarReader::begins(std::string_view first_bytes) {
  return first_bytes.size() >= block_bytes && first_bytes[0] != '\0' &&
         is_header(first_bytes.substr(0, block_bytes));
}

std::optional<TarMember> TarReader::next() {
  Block bytes;
  const std::string_view block(bytes.data(), bytes.size());
  for (Extension extension; next_header(bytes);) {
    const char type = block[type_at];
    if (type == 'L') {
      extension.name = text_of(read_text());
    } else if (type == 'x') {
      if (!take_records(read_text(), extension))
        fail(fmt::format("the pax header before byte {} is damaged", position_));
    } else if (type != 'K' && type != 'g') {  // names of links, and what is said of all members
      if (extension.bytes) begin_data(*extension.bytes);
      if (type >= '1' && type <= '6') begin_data(0);
      if (type == 'S') skip_sparse_map(bytes);
      TarMember member{extension.name.empty() ? name_in(block) : extension.name, false,
                       extension.has_holes || type == 'S'};
      // Before there were types of members, a directory was known by its name.
      member.is_file =
          std::string_view("0\0007S", 4).find(type) != std::string_view::npos && !member.name.ends_with('/');
      return member;
    }
  }
  return std::nullopt;
}

/// The header behind the latest member's data, whose own data begin then; false at the end of the archive.
bool TarReader::next_header(Block& bytes) {
  skip(std::exchange(rest_, 0) + std::exchange(padding_, 0));
  const std::string_view block(bytes.data(), bytes.size());
  const std::size_t got = fill(bytes);
  if (got == 0 || (got == block_bytes && is_zero(block))) {
    while (fill(bytes) > 0) {
    }
    return false;
  }
  if (got < block_bytes) fail("it ends within a header: it is truncated");
  const auto size = number(field(block, size_field));
  if (!is_header(block) || !size)
    fail(fmt::format("the header at byte {} is damaged", position_ - block_bytes));
  begin_data(*size);
  return true;
}

std::size_t TarReader::read(char* to, std::size_t size) {
  if (rest_ == 0) return 0;
  const std::size_t got = source_->read(to, static_cast<std::size_t>(std::min<std::uint64_t>(size, rest_)));
  if (got == 0) fail(fmt::format("it lacks {} bytes of a member: it is truncated", rest_));
  rest_ -= got;
  position_ += got;
  return got;
}

/// As much of a block as there is.
std::size_t TarReader::fill(Block& block) {
  std::size_t filled = 0;
  while (filled < block.size()) {
    const std::size_t got = source_->read(block.data() + filled, block.size() - filled);
    if (got == 0) break;
    filled += got;
  }
  position_ += filled;
  return filled;
}

void TarReader::skip(std::uint64_t bytes) {
  std::array<char, 16 * block_bytes> skipped;
  const std::uint64_t end = position_ + bytes;
  while (position_ < end) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(skipped.size(), end - position_));
    const std::size_t got = source_->read(skipped.data(), wanted);
    if (got == 0) fail(fmt::format("it lacks {} bytes of a member: it is truncated", end - position_));
    position_ += got;
  }
}

void TarReader::begin_data(std::uint64_t bytes) {
  rest_ = bytes;
  padding_ = (block_bytes - bytes % block_bytes) % block_bytes;
}

/// Behind the header may stand blocks with more of the map.
void TarReader::skip_sparse_map(const Block& header) {
  bool more = header[more_map_at] != 0;
  for (Block block; more; more = block[more_map_at_later] != 0)
    if (fill(block) < block_bytes) fail("it ends within a header: it is truncated");
}

/// The data of the latest member, which are a name or records.
std::string TarReader::read_text() {
  constexpr std::uint64_t most = std::uint64_t{1} << 20U;
  if (rest_ > most) fail(fmt::format("the header before byte {} has {} bytes of names", position_, rest_));
  std::string text(static_cast<std::size_t>(rest_), '\0');
  for (std::size_t filled = 0; filled < text.size();)
    filled += read(text.data() + filled, text.size() - filled);
  return text;
}

void TarReader::fail(const std::string& what) const {
  throw Error(ExitCode::input,
              fmt::format("{}: is a tar archive, but {}; copy or download it again", printable(name_), what));
}

}  // namespace spmv
