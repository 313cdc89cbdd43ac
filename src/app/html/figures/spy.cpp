#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "app/html/chart.hpp"
#include "app/html/figure.hpp"
#include "app/html/values.hpp"
#include "app/html/words.hpp"

namespace spmv::html {
namespace {

struct Spy {
  int side = 0;
  std::vector<Cell> cells;
};

Spy spy_of(const Json& grid) {
  constexpr double most_side = 64;
  Spy spy;
  const double side = number_or_0(grid, "side");
  if (side < 1 || side > most_side) return spy;
  spy.side = static_cast<int>(side);
  for (const Json& one : member(grid, "cells")) {
    const std::vector<double> v = numbers(one, 4);
    constexpr double most_rank = 1e9;
    if (v.size() != 4 || v[0] < 0 || v[0] >= side || v[1] < 0 || v[1] >= side || v[2] <= 0 || v[3] < 0 ||
        v[3] > most_rank)
      continue;
    spy.cells.push_back({static_cast<int>(v[0]), static_cast<int>(v[1]), v[2], static_cast<int>(v[3]), {}});
  }
  // So that cells side by side follow each other, and none is there twice.
  const auto place_of = [](const Cell& cell) { return std::pair(cell.row, cell.col); };
  std::stable_sort(spy.cells.begin(), spy.cells.end(),
                   [&](const Cell& a, const Cell& b) { return place_of(a) < place_of(b); });
  spy.cells.erase(std::unique(spy.cells.begin(), spy.cells.end(),
                              [&](const Cell& a, const Cell& b) { return place_of(a) == place_of(b); }),
                  spy.cells.end());
  return spy;
}

/// The share of the nonzeros that lies between ranks which would each have equally many rows and columns, as read; by cells, so that it
/// is not exact.
double share_between(const Spy& spy, double ranks) {
  double all = 0, between = 0;
  for (const Cell& cell : spy.cells) {
    all += cell.value;
    const auto rank = [&](int id) { return std::floor((id + 0.5) * ranks / spy.side); };
    if (rank(cell.row) != rank(cell.col)) between += cell.value;
  }
  return between / all;
}

std::string says_of(const Json& run, const Spy& before) {
  const double ranks = ranks_of(run), nonzeros = matrix_of(run).nonzeros;
  if (ranks == 1) return "One rank has all of it, in the order in which it was read.";
  const Json& partition = member(run, "partition");
  const double cut = number_or_0(partition, "edge_cut");
  const std::string leaves =
      fmt::format("partitioner {} leaves {} nonzeros, {}, for which {} of x travel in every product.",
                  text(partition, "partitioner"), count(cut), nonzeros > 0 ? percent(cut / nonzeros) : "none",
                  plural(number_or_0(partition, "halo_total"), "element"));
  // With more ranks than this a cell is no longer small beside their blocks.
  constexpr int cells_of_a_rank = 4;
  if (ranks * cells_of_a_rank > before.side) return "With a column of another rank " + leaves;
  return fmt::format(
             "Cut into {} equal ranges of rows as it was read, about {} of the nonzeros would have a column of another rank; ",
             count(ranks), percent(share_between(before, ranks))) +
         leaves;
}

}  // namespace

Drawing draw_spy(const Json& run) {
  const Json& pictures = member(run, "pictures");
  const Spy before = spy_of(member(pictures, "spy_before")), after = spy_of(member(pictures, "spy_after"));
  if (before.cells.empty() || after.cells.empty()) return left_out(no_pictures);
  const MatrixFacts matrix = matrix_of(run);
  CellTitles titles{"rows",      "columns", "nonzero elements", "most of them of rank", matrix.rows,
                    matrix.cols, 0};
  const double every = number_or_0(pictures, "every_row");
  if (every > 1) titles.value = fmt::format("nonzeros in one of {} rows", count(every));
  std::vector<std::pair<std::string, std::string>> words;
  std::set<int> ranks;
  for (const Cell& cell : after.cells) ranks.insert(cell.colour);
  constexpr std::size_t most_words = 12;
  for (const int rank : ranks)
    if (words.size() < most_words)
      words.emplace_back(rank_class(static_cast<std::size_t>(rank)), fmt::format("rank {}", rank));
  if (ranks.size() > words.size()) words.back().second += " ..., then the colours begin again";
  return {legend(words) + R"(<div class="pair"><div><p class="axis">as read</p>)" +
              grid(before.side, before.cells, titles, "Nonzeros of the matrix as read, by rank") +
              R"(</div><div><p class="axis">as the ranks have it</p>)" +
              grid(after.side, after.cells, titles, "Nonzeros of the partitioned matrix, by rank") +
              "</div></div>\n",
          says_of(run, before)};
}

}  // namespace spmv::html
