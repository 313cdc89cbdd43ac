#include <algorithm>

#include <fmt/format.h>

#include "app/html/chart.hpp"
#include "app/html/figure.hpp"
#include "app/html/values.hpp"
#include "app/html/words.hpp"

namespace spmv::html {
namespace {

struct Share {
  double rows = 0, nonzeros = 0, halo = 0, neighbours = 0;
};

std::vector<Share> shares_of(const Json& run) {
  constexpr std::size_t most = 1024;
  std::vector<Share> shares;
  for (const Json& one : member(member(member(run, "pictures"), "shares"), "values")) {
    const auto positive = [&](const char* key) { return std::max(0.0, number_or_0(one, key)); };
    if (shares.size() < most)
      shares.push_back({positive("rows"), positive("nonzeros"), positive("halo"), positive("neighbours")});
  }
  return shares;
}

}  // namespace

Drawing draw_imbalance(const Json& run) {
  const std::vector<Share> shares = shares_of(run);
  const double ranks = ranks_of(run);
  if (ranks == 1) return left_out("one rank has all of it");
  if (shares.empty()) return left_out(no_pictures);
  const double per_share =
      std::max(1.0, number_or_0(member(member(run, "pictures"), "shares"), "ranks_per_share"));
  const double average = matrix_of(run).nonzeros / ranks;
  const double average_halo = number_or_0(member(run, "partition"), "halo_total") / ranks;
  if (average <= 0) return left_out("the matrix has no nonzeros");
  const auto halo_of = [&](const Share& share) { return average_halo > 0 ? share.halo / average_halo : 0; };
  double longest = 1;
  std::size_t fullest = 0, largest_halo = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    longest = std::max({longest, shares[i].nonzeros / average, halo_of(shares[i])});
    if (shares[i].nonzeros > shares[fullest].nonzeros) fullest = i;
    if (shares[i].halo > shares[largest_halo].halo) largest_halo = i;
  }
  const auto n = static_cast<double>(shares.size());
  Axis x{Scale::linear(0, n), "rank", {}};
  Axis y{Scale::from_0(longest), "share of the average", {}};
  for (const double tick : y.scale.ticks()) y.ticks.emplace_back(tick, percent(tick));
  const std::size_t label_every = (shares.size() + 7) / 8;
  for (std::size_t i = 0; i < shares.size(); i += label_every)
    x.ticks.emplace_back(static_cast<double>(i) + 0.5, count(static_cast<double>(i) * per_share));
  Chart chart(x, y, 200);
  const auto name_of = [&](std::size_t i) {
    const double first = static_cast<double>(i) * per_share;
    return per_share > 1 ? fmt::format("The fullest of ranks {} to {}", count(first),
                                       count(std::min(first + per_share, ranks) - 1))
                         : fmt::format("Rank {}", count(first));
  };
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Share& s = shares[i];
    const std::string title =
        fmt::format("{}: {}, {} ({} of the average), halo {} from {}", name_of(i), plural(s.rows, "row"),
                    plural(s.nonzeros, "nonzero"), percent(s.nonzeros / average), count(s.halo),
                    plural(s.neighbours, "rank"));
    const auto at = static_cast<double>(i);
    chart.bar(at + 0.1, 0, at + 0.5, s.nonzeros / average, "best", title);
    chart.bar(at + 0.5, 0, at + 0.9, halo_of(s), "halo", title);
  }
  chart.line(0, 1, n, 1, "bound", "average");
  const std::string markup =
      legend({{"best", "nonzeros of a rank"}, {"halo", "halo: elements of x from other ranks"}}) +
      chart.html("Nonzeros and halo of every rank, relative to the average", true);
  std::string says =
      fmt::format("{} has {} of the average number of nonzeros, {}", name_of(fullest),
                  percent(shares[fullest].nonzeros / average), count(shares[fullest].nonzeros));
  const double waits = 1 - average / shares[fullest].nonzeros;
  says += waits < 0.005 ? ": no rank waits for long"
                        : fmt::format(": the others may wait for it for {} of their time", percent(waits));
  if (average_halo > 0)
    says +=
        fmt::format(". {} has the largest halo, {} elements of x from {}, {} of the average",
                    name_of(largest_halo), count(shares[largest_halo].halo),
                    plural(shares[largest_halo].neighbours, "rank"), percent(halo_of(shares[largest_halo])));
  return {markup, says + "."};
}

}  // namespace spmv::html
