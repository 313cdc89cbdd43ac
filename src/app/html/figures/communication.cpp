#include <algorithm>

#include <fmt/format.h>

#include "app/html/chart.hpp"
#include "app/html/figure.hpp"
#include "app/html/values.hpp"
#include "app/html/words.hpp"

namespace spmv::html {
namespace {

/// "rank 3", or "ranks 8 to 15" where a block has so many.
std::string block_name(int block, double per_block, double ranks) {
  const double first = block * per_block, last = std::min(first + per_block, ranks) - 1;
  return last > first ? fmt::format("ranks {} to {}", count(first), count(last))
                      : fmt::format("rank {}", count(first));
}

}  // namespace

Drawing draw_communication(const Json& run) {
  const double ranks = ranks_of(run);
  if (ranks == 1) return left_out("one rank sends nothing");
  const Json& communication = member(member(run, "pictures"), "communication");
  const double per_block = std::max(1.0, number_or_0(communication, "ranks_per_block"));
  constexpr std::size_t most_blocks = 64, few_blocks = 8;
  const Json& rows = member(communication, "bytes");
  if (!rows.is_array() || rows.empty() || rows.size() > most_blocks) return left_out(no_pictures);
  const int blocks = static_cast<int>(rows.size());
  std::vector<Cell> cells;
  double sum = 0;
  const Cell* most = nullptr;
  for (int from = 0; from < blocks; ++from) {
    const std::vector<double> row = numbers(rows[static_cast<std::size_t>(from)], rows.size());
    for (int to = 0; to < static_cast<int>(row.size()); ++to) {
      const double sent = row[static_cast<std::size_t>(to)];
      if (sent <= 0) continue;
      cells.push_back({from, to, sent, 0, rows.size() <= few_blocks ? bytes(sent) : std::string()});
      sum += sent;
    }
  }
  if (cells.empty()) return left_out("no rank needs elements of x of another one");
  for (const Cell& cell : cells)
    if (most == nullptr || cell.value > most->value) most = &cell;
  const CellTitles titles{"from rank", "to rank", "bytes", {}, ranks, ranks, per_block};
  std::string says = fmt::format("In every product {} travel between {}; the most from {} to {}, {}",
                                 bytes(sum), plural(ranks, "rank"), block_name(most->row, per_block, ranks),
                                 block_name(most->col, per_block, ranks), bytes(most->value));
  if (per_block == 1) {
    const auto pairs = static_cast<double>(cells.size());
    says += fmt::format("; {} of {} pairs have something to send", count(pairs), count(ranks * (ranks - 1)));
  } else {
    says += fmt::format("; each cell stands for {} x {} ranks", count(per_block), count(per_block));
  }
  return {"<div class=\"one\">" + grid(blocks, cells, titles, "Bytes from rank to rank in one product") +
              "</div>\n",
          says + "."};
}

}  // namespace spmv::html
