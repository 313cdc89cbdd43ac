#include "core/xxh64.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace spmv {
namespace {

constexpr std::uint64_t prime1 = 0x9E3779B185EBCA87, prime2 = 0xC2B2AE3D27D4EB4F, prime3 = 0x165667B19E3779F9,
                        prime4 = 0x85EBCA77C2B2AE63, prime5 = 0x27D4EB2F165667C5;

template <class Word>
std::uint64_t word_at(const unsigned char* at) {
  Word word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

std::uint64_t mixed(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * prime2, 31) * prime1;
}

/// Eats whole stripes of 32 bytes in four lanes, which a processor computes side by side.
std::uint64_t eat_stripes(const unsigned char*& at, const unsigned char* end, std::uint64_t seed) {
  std::array<std::uint64_t, 4> lanes = {seed + prime1 + prime2, seed + prime2, seed, seed - prime1};
  for (; end - at >= 32; at += 32)
    for (std::size_t i = 0; i < lanes.size(); ++i)
      lanes[i] = mixed(lanes[i], word_at<std::uint64_t>(at + 8 * i));
  std::uint64_t hash =
      std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) + std::rotl(lanes[3], 18);
  for (const std::uint64_t lane : lanes) hash = (hash ^ mixed(0, lane)) * prime1 + prime4;
  return hash;
}

}  // namespace

std::uint64_t xxh64(const void* bytes, std::size_t size, std::uint64_t seed) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  const unsigned char* const end = at + size;
  std::uint64_t hash = size >= 32 ? eat_stripes(at, end, seed) : seed + prime5;
  hash += size;
  for (; end - at >= 8; at += 8)
    hash = std::rotl(hash ^ mixed(0, word_at<std::uint64_t>(at)), 27) * prime1 + prime4;
  for (; end - at >= 4; at += 4)
    hash = std::rotl(hash ^ word_at<std::uint32_t>(at) * prime1, 23) * prime2 + prime3;
  for (; at != end; ++at) hash = std::rotl(hash ^ *at * prime5, 11) * prime1;
  hash = (hash ^ hash >> 33) * prime2;
  hash = (hash ^ hash >> 29) * prime3;
  return hash ^ hash >> 32;
}

}  // namespace spmv
