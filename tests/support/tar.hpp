// Tar archives made in memory, valid and invalid.
#pragma once

#include <cstddef>
#include <string>

#include <fmt/format.h>

namespace spmv::test {

/// A one-block header with its checksum. `size`: the text of the size field.
inline std::string tar_header(const std::string& name, const std::string& size, char type = '0',
                              const std::string& prefix = "") {
  std::string block(512, '\0');
  const auto put = [&](std::size_t at, const std::string& text) { block.replace(at, text.size(), text); };
  put(0, name.substr(0, 100));
  put(100, "0000644");
  put(124, size);
  put(136, "00000000000");
  put(148, "        ");
  block[156] = type;
  put(257, std::string("ustar\0", 6) + "00");
  put(345, prefix);
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  return block;
}

inline std::string tar_size(std::size_t bytes) {
  return fmt::format("{:011o}", bytes);
}

inline std::string padded(std::string data) {
  data.resize((data.size() + 511) / 512 * 512, '\0');
  return data;
}

inline std::string tar_member(const std::string& name, const std::string& data, char type = '0') {
  return tar_header(name, tar_size(data.size()), type) + padded(data);
}

inline std::string pax_record(const std::string& key, const std::string& value) {
  const std::string rest = " " + key + "=" + value + "\n";
  std::size_t length = rest.size() + 1;
  while (std::to_string(length).size() + rest.size() != length) ++length;
  return std::to_string(length) + rest;
}

inline std::string tar_end() {
  return std::string(1024, '\0');
}

}  // namespace spmv::test
