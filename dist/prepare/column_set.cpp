#include "dist/prepare/column_set.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace spmv {

ColumnSet::ColumnSet(gidx first, gidx count)
    : first_(first),
      bits_(static_cast<std::size_t>(count) / word_bits + 1),
      used_words_(bits_.size() / word_bits + 1) {}

gidx ColumnSet::size() const {
  gidx members = 0;
#pragma omp parallel for schedule(static) reduction(+ : members)
  for (const Word& word : bits_) members += std::popcount(word.load(std::memory_order_relaxed));
  return members;
}

std::vector<gidx> ColumnSet::take() {
  std::vector<gidx> members;
  // Calls with() for every bit of a word, ascending, and clears the word.
  const auto take_bits = [](Word& word, const auto& with) {
    std::uint64_t bits = word.exchange(0, std::memory_order_relaxed);
    for (; bits != 0; bits &= bits - 1) with(static_cast<std::uint64_t>(std::countr_zero(bits)));
  };
  for (std::uint64_t group = 0; group < used_words_.size(); ++group)
    take_bits(used_words_[group], [&](std::uint64_t of_group) {
      const std::uint64_t word = group * word_bits + of_group;
      take_bits(bits_[word], [&](std::uint64_t bit) {
        members.push_back(first_ + static_cast<gidx>(word * word_bits + bit));
      });
    });
  return members;
}

std::vector<gidx> columns_outside(const std::vector<gidx>& cols, gidx first, gidx count) {
  const auto inside = [=](gidx col) { return col >= first && col < first + count; };
  const auto size = static_cast<offset>(cols.size());
  gidx least = first, most = first;
#pragma omp parallel for schedule(static) reduction(min : least) reduction(max : most)
  for (offset k = 0; k < size; ++k) {
    least = std::min(least, cols[static_cast<std::size_t>(k)]);
    most = std::max(most, cols[static_cast<std::size_t>(k)]);
  }
  // A set may take an eighth of the memory of the columns. Few columns of a wide range are sorted instead.
  constexpr gidx columns_per_nonzero = 8;
  if ((most - least) / columns_per_nonzero <= size) {
    ColumnSet set(least, most - least + 1);
#pragma omp parallel for schedule(static)
    for (offset k = 0; k < size; ++k)
      if (const gidx col = cols[static_cast<std::size_t>(k)]; !inside(col)) set.add(col);
    return set.take();
  }
  std::vector<gidx> outside;
  std::copy_if(cols.begin(), cols.end(), std::back_inserter(outside), [=](gidx col) { return !inside(col); });
  std::sort(outside.begin(), outside.end());
  outside.erase(std::unique(outside.begin(), outside.end()), outside.end());
  outside.shrink_to_fit();
  return outside;
}

}  // namespace spmv
