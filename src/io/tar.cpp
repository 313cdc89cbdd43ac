#include "io/tar.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "core/shell_words.hpp"

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
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;  // of a member: sums do not overflow

std::string_view field(std::string_view block, HeaderField f) {
  return block.substr(f.begin, f.bytes);
}

/// The bytes before the first zero byte.
std::string_view text_of(std::string_view bytes) {
  return bytes.substr(0, bytes.find('\0'));
}

/// A number in octal digits, or, as GNU tar writes large ones, in the bytes after 0x80. Nothing if it is neither.
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

/// The sum of all bytes, with blanks in place of the sum itself. Some old programs used signed bytes.
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

/// Properties of a member from the headers before its own, which they override.
struct Extension {
  std::string name;  // empty: the name in the header
  std::optional<std::uint64_t> bytes;
  bool is_sparse = false;
};

/// Applies a record of a pax header. Returns false if the record is damaged.
bool take_record(std::string_view key, std::string_view value, Extension& extension) {
  if (key == "path") extension.name = value;
  if (key.starts_with("GNU.sparse.")) extension.is_sparse = true;
  if (key != "size") return true;
  std::uint64_t bytes = 0;
  const auto [stop, status] = std::from_chars(value.data(), value.data() + value.size(), bytes);
  extension.bytes = bytes;
  return status == std::errc() && stop == value.data() + value.size() && bytes < most_bytes;
}

/// Applies records "LENGTH KEY=VALUE\n", of LENGTH bytes each. Returns false if they are damaged.
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

/// The name in the header itself. Only POSIX headers have a prefix; GNU headers have something else there.
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
      if (!take_records(read_text(), extension)) fail("the pax header before byte {} is damaged", position_);
    } else if (type != 'K' && type != 'g') {  // K and g: names of links, and properties of all members
      if (extension.bytes) begin_data(*extension.bytes);
      if (type >= '1' && type <= '6') begin_data(0);
      if (type == 'S' || extension.is_sparse)
        refuse(
            name_,
            "is a tar archive with a sparse file, as tar --sparse makes it; extract the matrix with: tar -xf {}",
            printable(shell_word(name_)));
      TarMember member{extension.name.empty() ? name_in(block) : extension.name};
      // In old archives, a directory has the type of a file and a name that ends with a slash.
      member.is_file =
          std::string_view("0\0007", 3).find(type) != std::string_view::npos && !member.name.ends_with('/');
      return member;
    }
  }
  return std::nullopt;
}

/// Reads the header after the data of the latest member, and begins its data. Returns false at the end of the archive.
bool TarReader::next_header(Block& bytes) {
  skip(std::exchange(rest_, 0) + std::exchange(padding_, 0));
  const std::string_view block(bytes.data(), bytes.size());
  const std::size_t got = fill(bytes);
  if (got == 0 || (got == block_bytes && is_zero(block))) {
    skip_bytes(*source_, std::numeric_limits<std::uint64_t>::max());
    return false;
  }
  if (got < block_bytes) fail("it ends within a header: it is truncated");
  const auto size = number(field(block, size_field));
  if (!is_header(block) || !size) fail("the header at byte {} is damaged", position_ - block_bytes);
  begin_data(*size);
  return true;
}

std::size_t TarReader::read(char* to, std::size_t size) {
  if (rest_ == 0) return 0;
  const std::size_t got = source_->read(to, static_cast<std::size_t>(std::min<std::uint64_t>(size, rest_)));
  if (got == 0) fail("it lacks {} bytes of a member: it is truncated", rest_);
  rest_ -= got;
  position_ += got;
  return got;
}

/// Reads a block, or what is left of the archive. Returns the number of bytes.
std::size_t TarReader::fill(Block& block) {
  const std::size_t filled = read_full(*source_, block.data(), block.size());
  position_ += filled;
  return filled;
}

void TarReader::skip(std::uint64_t bytes) {
  const std::uint64_t skipped = skip_bytes(*source_, bytes);
  position_ += skipped;
  if (skipped < bytes) fail("it lacks {} bytes of a member: it is truncated", bytes - skipped);
}

void TarReader::begin_data(std::uint64_t bytes) {
  rest_ = bytes;
  padding_ = (block_bytes - bytes % block_bytes) % block_bytes;
}

/// The data of the latest member: a name or records.
std::string TarReader::read_text() {
  constexpr std::uint64_t most = std::uint64_t{1} << 20U;
  if (rest_ > most) fail("the header before byte {} has {} bytes of names", position_, rest_);
  std::string text(static_cast<std::size_t>(rest_), '\0');
  for (std::size_t filled = 0; filled < text.size();)
    filled += read(text.data() + filled, text.size() - filled);
  return text;
}

}  // namespace spmv
