#pragma once

#include <cstdint>
#include <string_view>

namespace spmv {

/// A hash of what is added, in this order: FNV-1a with 64 bits. For keys and names, not against an enemy.
class Fnv1a {
 public:
  void add(std::uint64_t number) {
    for (int byte = 0; byte < 8; ++byte) add_byte((number >> (8 * byte)) & 0xff);
  }
  void add(std::string_view text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
  }
  std::uint64_t value() const { return state_; }

 private:
  void add_byte(std::uint64_t byte) { state_ = (state_ ^ byte) * 0x100000001b3U; }

  std::uint64_t state_ = 0xcbf29ce484222325U;
};

}  // namespace spmv
