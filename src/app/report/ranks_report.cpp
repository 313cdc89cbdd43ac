#include "app/report/ranks_report.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "app/report/report_parts.hpp"

namespace spmv {
namespace {

/// Of the fastest mode: how much of the ranks' time is not lost against one rank.
double efficiency(const RanksReport& r, const RanksOutlook& o) {
  const double best = o.times.best();
  return best > 0 ? r.alone.vector / (best * o.ranks) : 0;
}

double iteration_efficiency(const RanksReport& r, const RanksOutlook& o) {
  return o.iteration.all() > 0 ? r.iteration_alone.all() / (o.iteration.all() * o.ranks) : 0;
}

std::string iterations(const RanksReport& r) {
  constexpr double us = 1e6;
  std::string text =
      fmt::format("\nIterations of {}: {:.1f} us on one rank\n", r.solver, r.iteration_alone.all() * us);
  text += fmt::format("{:>7} {:>13} {:>11} {:>10} {:>8} {:>6}\n", "ranks", "iteration us", "product us",
                      "vectors us", "sums us", "effic");
  for (const RanksOutlook& o : r.outlooks)
    text += fmt::format("{:7} {:13.1f} {:11.1f} {:10.1f} {:8.1f} {:5.0f} %\n", o.ranks,
                        o.iteration.all() * us, o.iteration.products * us, o.iteration.vectors * us,
                        o.iteration.sums * us, 100 * iteration_efficiency(r, o));
  return text +
         "Products in the fastest mode, without a preconditioner. Sums are added within nodes, then between them in\n"
         "log2 steps.\n";
}

Json iteration_json(const IterationTimes& t) {
  return {{"iteration_s", t.all()}, {"products_s", t.products}, {"vectors_s", t.vectors}, {"sums_s", t.sums}};
}

Json times_json(const ModeTimes& t) {
  return {{"vector_s", t.vector}, {"naive_s", t.naive}, {"task_s", t.task}, {"device_s", t.device}};
}

}  // namespace

std::string to_text(const RanksReport& r) {
  std::string text = matrix_lines(r);
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "machine      {}: {}; {} ranks a node\n", r.machine.name, r.machine.description,
                 r.machine.ranks_per_node);
  fmt::format_to(out, "loaded       in {:.2f} s, partitioned and counted in {:.2f} s\n", r.load_s,
                 r.partition_s);
  fmt::format_to(out, "one rank     {:.1f} us a product predicted\n", r.alone.vector * 1e6);
  fmt::format_to(out, "{:>7} {:12} {:>10} {:>8} {:>10} {:>12} {:>6} {:>10} {:>10} {:>10} {:>10} {:>6}\n",
                 "ranks", "partition", "nonzeros", "balance", "halo", "halo in all", "neigh", "vector us",
                 "naive us", "task us", "device us", "effic");
  for (const RanksOutlook& o : r.outlooks) {
    const Spread halo = spread(o.shares, &PartShare::halo);
    fmt::format_to(
        out, "{:7} {:12} {:10} {:8.3f} {:10} {:12} {:6} {:10.1f} {:10.1f} {:10.1f} {:10.1f} {:5.0f} %\n",
        o.ranks, o.partitioner, spread(o.shares, &PartShare::nonzeros).most, balance(o.shares), halo.most,
        halo.sum, spread(o.shares, &PartShare::neighbours).most, o.times.vector * 1e6, o.times.naive * 1e6,
        o.times.task * 1e6, o.times.device * 1e6, 100 * efficiency(r, o));
  }
  for (const RanksOutlook& o : r.outlooks)
    if (!o.reason.empty()) fmt::format_to(out, "{} ranks: {}: {}\n", o.ranks, o.partitioner, o.reason);
  text +=
      "Nonzeros, halo and neighbours are counted, those of the rank that has most; times are predicted, from bytes of\n"
      "formats that compress nothing.\n";
  if (!r.solver.empty()) text += iterations(r);
  return text;
}

std::string to_json(const RanksReport& r) {
  Json json;
  json["matrix"] = matrix_json(r);
  const Machine& m = r.machine;
  json["machine"] = {{"name", m.name},
                     {"description", m.description},
                     {"ranks_per_node", m.ranks_per_node},
                     {"memory_bytes_per_s", m.memory},
                     {"near_bytes_per_s", m.near_exchange},
                     {"near_message_s", m.near_message_s},
                     {"far_bytes_per_s", m.far_exchange},
                     {"far_message_s", m.far_message_s},
                     {"product_s", m.product_s},
                     {"thread_s", m.thread_s}};
  json["one_rank"] = times_json(r.alone);
  if (!r.solver.empty())
    json["solver"] = {{"name", r.solver}, {"one_rank", iteration_json(r.iteration_alone)}};
  json["outlooks"] = Json::array();
  for (const RanksOutlook& o : r.outlooks) {
    json["outlooks"].push_back({{"ranks", o.ranks},
                                {"partitioner", o.partitioner},
                                {"reason", o.reason},
                                {"nonzero_balance", balance(o.shares)},
                                {"predicted", times_json(o.times)},
                                {"efficiency", efficiency(r, o)},
                                {"shares", shares_json(o.shares)}});
    if (!r.solver.empty()) json["outlooks"].back()["iteration"] = iteration_json(o.iteration);
  }
  return text_of(std::move(json), 2);
}

}  // namespace spmv
