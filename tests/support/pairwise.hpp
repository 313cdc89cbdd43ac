#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace spmv::test {

/// Choices such that every pair of options of any two dimensions occurs in at least one: far fewer than the
/// full product. sizes: options per dimension. Different seeds combine the pairs differently. Pure.
inline std::vector<std::vector<std::size_t>> pairwise(const std::vector<std::size_t>& sizes, unsigned seed) {
  using Choice = std::vector<std::size_t>;
  std::minstd_rand random(seed);
  // open[a][i][b * largest + j]: option i of dimension a has not been paired with option j of dimension b >
  // a.
  std::size_t largest = 1;
  for (const std::size_t size : sizes) largest = size > largest ? size : largest;
  std::vector<std::vector<std::vector<char>>> open(sizes.size());
  std::size_t pairs = 0;
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    open[a].assign(sizes[a], std::vector<char>(sizes.size() * largest, 0));
    for (std::size_t i = 0; i < sizes[a]; ++i)
      for (std::size_t b = a + 1; b < sizes.size(); ++b)
        for (std::size_t j = 0; j < sizes[b]; ++j, ++pairs) open[a][i][b * largest + j] = 1;
  }
  const auto visit = [&](const Choice& choice, const auto& action) {
    for (std::size_t a = 0; a < sizes.size(); ++a)
      for (std::size_t b = a + 1; b < sizes.size(); ++b) action(open[a][choice[a]][b * largest + choice[b]]);
  };
  std::vector<Choice> chosen;
  while (pairs > 0) {
    constexpr int trials = 30;
    Choice best(sizes.size());
    std::size_t best_new = 0;
    for (int t = 0; t < trials || best_new == 0; ++t) {
      Choice trial;
      for (const std::size_t size : sizes) trial.push_back(random() % size);
      std::size_t fresh = 0;
      visit(trial, [&](char is_open) { fresh += is_open != 0 ? 1 : 0; });
      if (fresh > best_new) {
        best = trial;
        best_new = fresh;
      }
    }
    visit(best, [](char& is_open) { is_open = 0; });
    pairs -= best_new;
    chosen.push_back(best);
  }
  return chosen;
}

/// Every combination. Pure.
inline std::vector<std::vector<std::size_t>> full_product(const std::vector<std::size_t>& sizes) {
  std::vector<std::vector<std::size_t>> chosen{{}};
  for (const std::size_t size : sizes) {
    std::vector<std::vector<std::size_t>> longer;
    for (const auto& choice : chosen)
      for (std::size_t i = 0; i < size; ++i) {
        longer.push_back(choice);
        longer.back().push_back(i);
      }
    chosen = std::move(longer);
  }
  return chosen;
}

}  // namespace spmv::test
