// The different columns of many nonzeros.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/types.hpp"

namespace spmv {

/// A set of columns of a range: a bit for each, and one bit for every word of 64, so that finding few members in a wide
/// range is fast.
class ColumnSet {
 public:
  /// For columns first to first + count - 1.
  ColumnSet(gidx first, gidx count);

  /// Several threads may add at the same time. Local.
  void add(gidx col) {
    const auto at = static_cast<std::uint64_t>(col - first_);
    if (set(bits_[at / word_bits], at % word_bits)) {
      const std::uint64_t word = at / word_bits;
      set(used_words_[word / word_bits], word % word_bits);
    }
  }
  /// How many members there are. Not beside add(). Local.
  gidx size() const;
  /// Returns the members, ascending, and empties the set. Not beside add(). Local.
  std::vector<gidx> take();

 private:
  using Word = std::atomic<std::uint64_t>;
  static constexpr std::uint64_t word_bits = 64;

  /// Returns whether the bit was new; if several threads set it, at least one gets true.
  static bool set(Word& word, std::uint64_t number) {
    const std::uint64_t bit = std::uint64_t{1} << number;
    if ((word.load(std::memory_order_relaxed) & bit) != 0) return false;
    word.fetch_or(bit, std::memory_order_relaxed);
    return true;
  }

  gidx first_;
  std::vector<Word> bits_;
  std::vector<Word> used_words_;
};

/// The different elements of `cols` outside [first, first + count), ascending. Pure.
std::vector<gidx> columns_outside(const std::vector<gidx>& cols, gidx first, gidx count);

}  // namespace spmv
