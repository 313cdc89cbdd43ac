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

}  // namespace

Drawing draw_spy(const Json& run) {
  const Json& pictures = member(run, "pictures");
  const Spy before = spy_of(member(pictures, "spy_before")), after = spy_of(member(pictures, "spy_after"));
  if (before.cells.empty() || after.cells.empty()) return left_out("this file has no spy plots");
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
  const double nonzeros = matrix.nonzeros, cut = number_or_0(member(run, "partition"), "edge_cut");
  const double off_diagonal = static_cast<double>(
      std::count_if(after.cells.begin(), after.cells.end(), [](const Cell& c) { return c.row != c.col; }));
  std::string says = fmt::format(
      "Of {} x {} cells {} have nonzeros as read, and {} as {} {} it, {} of them off the diagonal",
      before.side, before.side, count(static_cast<double>(before.cells.size())),
      count(static_cast<double>(after.cells.size())), plural(ranks_of(run), "rank"),
      ranks_of(run) == 1 ? "has" : "have", count(off_diagonal));
  if (nonzeros > 0)
    says += fmt::format(
        "; partitioner {} leaves {} of the nonzeros ({}) with a column of another rank, for which {} elements of x travel in every product",
        text(member(run, "partition"), "partitioner"), count(cut), percent(cut / nonzeros),
        count(number_or_0(member(run, "partition"), "halo_total")));
  return {legend(words) + "<div class=\"pair\"><div><p class=\"axis\">as read</p>" +
              grid(before.side, before.cells, titles, "Nonzeros of the matrix as read, by rank") +
              "</div><div><p class=\"axis\">as the ranks have it</p>" +
              grid(after.side, after.cells, titles, "Nonzeros of the partitioned matrix, by rank") +
              "</div></div>\n",
          says + "."};
}

}  // namespace spmv::html
