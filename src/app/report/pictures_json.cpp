#include <algorithm>
#include <set>

#include "app/report/fields.hpp"

namespace spmv {
namespace {

Json grid_json(const SpyGrid& grid) {
  // Most cells of a sparse matrix are empty: those that are not, each with its place.
  Json cells = Json::array();
  for (int row = 0; row < grid.side; ++row)
    for (int col = 0; col < grid.side; ++col) {
      const auto at =
          static_cast<std::size_t>(row) * static_cast<std::size_t>(grid.side) + static_cast<std::size_t>(col);
      if (grid.nonzeros[at] > 0) cells.push_back({row, col, grid.nonzeros[at], grid.rank[at]});
    }
  return {{"side", grid.side}, {"cells", cells}};
}

Json communication_json(const Pictures& p) {
  Json rows = Json::array();
  const auto blocks = static_cast<std::size_t>((p.share_total + p.ranks_per_block - 1) / p.ranks_per_block);
  for (std::size_t from = 0; from < blocks; ++from) {
    Json row = Json::array();
    for (std::size_t to = 0; to < blocks; ++to) row.push_back(p.bytes[from * blocks + to]);
    rows.push_back(std::move(row));
  }
  return {{"ranks_per_block", p.ranks_per_block}, {"bytes", rows}};
}

/// Which of `ranks` ranks are shown: the one that limits the overlap, and others evenly spread.
std::set<int> shown_ranks(int ranks, int limiting) {
  constexpr int most = 16;
  std::set<int> shown;
  if (limiting >= 0 && limiting < ranks) shown.insert(limiting);
  const int others = std::min(ranks, most - 1);
  for (int i = 0; i < others; ++i) shown.insert(static_cast<int>(static_cast<gidx>(i) * ranks / others));
  return shown;
}

Json timeline_json(const ModeResult& mode) {
  Json ranks = Json::array();
  for (const int rank : shown_ranks(static_cast<int>(mode.timeline.size()), mode.overlap.rank)) {
    Json spans = Json::array();
    for (const Interval& i : mode.timeline[static_cast<std::size_t>(rank)])
      spans.push_back({phase_name(i.phase), i.begin, i.end});
    ranks.push_back({{"rank", rank}, {"spans", spans}});
  }
  return {{"mode", mode.mode},
          {"transport", mode.transport},
          {"layout", mode.layout},
          {"comm_thread", mode.comm_thread},
          {"ranks", ranks}};
}

}  // namespace

Json pictures_json(const RunReport& r) {
  Json json = Json::object();
  if (const Pictures& p = r.pictures; p.share_total > 0) {
    json["every_row"] = p.every_row;
    json["spy_before"] = grid_json(p.before);
    json["spy_after"] = grid_json(p.after);
    json["row_lengths"] = Json::array();
    for (const RowLengthClass& c : p.row_lengths) json["row_lengths"].push_back({c.from, c.to, c.rows});
    json["communication"] = communication_json(p);
    Json shares = Json::array();
    for (const PartShare& s : p.shares)
      shares.push_back(
          {{"rows", s.rows}, {"nonzeros", s.nonzeros}, {"halo", s.halo}, {"neighbours", s.neighbours}});
    json["shares"] = {{"ranks_per_share", p.ranks_per_share}, {"values", shares}};
  }
  constexpr std::size_t most_timelines = 64;
  json["timelines"] = Json::array();
  for (const ModeResult& mode : r.modes)
    if (json["timelines"].size() < most_timelines) json["timelines"].push_back(timeline_json(mode));
  return json;
}

}  // namespace spmv
