#include "app/report/partitions_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/report/report_parts.hpp"

namespace spmv {
namespace {

bool is_measured(const PartitionsReport& r) {
  return std::any_of(r.outlooks.begin(), r.outlooks.end(),
                     [](const PartitionOutlook& o) { return o.measured_s > 0; });
}

/// Seconds of the partition and all products: of those that were measured, or else predicted.
double total(const PartitionsReport& r, const PartitionOutlook& o) {
  return o.seconds + o.setup_s + r.products * (o.measured_s > 0 ? o.measured_s : o.predicted_s);
}

/// The partitioner with the least total; empty where there is no partition.
std::string best(const PartitionsReport& r) {
  const PartitionOutlook* least = nullptr;
  for (const PartitionOutlook& o : r.outlooks)
    if (o.refused.empty() && (least == nullptr || total(r, o) < total(r, *least))) least = &o;
  return least == nullptr ? std::string() : least->partitioner;
}

std::string line(const PartitionsReport& r, const PartitionOutlook& o, bool measured) {
  if (!o.refused.empty()) return fmt::format("{:12} refused: {}\n", o.partitioner, o.refused);
  const Spread halo = spread(o.shares, &PartShare::halo);
  std::string text = fmt::format("{:12} {:9.2f} {:7.3f} {:11} {:12} {:6} {:12.1f}", o.partitioner, o.seconds,
                                 balance(o.shares), halo.most, halo.sum,
                                 spread(o.shares, &PartShare::neighbours).most, o.predicted_s * 1e6);
  if (measured)
    text += fmt::format(" {:12.1f} {:>6} {:9.2f}", o.measured_s * 1e6, o.rows_wrong > 0 ? "WRONG" : o.mode,
                        o.setup_s);
  text += fmt::format(" {:11.2f}", total(r, o));
  if (measured) text += fmt::format("  {}, {}", o.format, o.layout);
  return text + "\n";
}

}  // namespace

void keep_least(PartitionOutlook& outlook, const PartitionOutlook& again) {
  outlook.rows_wrong = std::max(outlook.rows_wrong, again.rows_wrong);
  if (!again.refused.empty()) return;
  outlook.seconds = std::min(outlook.seconds, again.seconds);
  outlook.setup_s = std::min(outlook.setup_s, again.setup_s);
}

bool PartitionsReport::wrong() const {
  return std::any_of(outlooks.begin(), outlooks.end(),
                     [](const PartitionOutlook& o) { return o.rows_wrong > 0; });
}

std::string to_text(const PartitionsReport& r) {
  std::string text = matrix_lines(r);
  text += fmt::format("loaded       in {:.2f} s, on {} rank{}\n", r.load_s, r.ranks, r.ranks == 1 ? "" : "s");
  const bool measured = is_measured(r);
  text += fmt::format("{:12} {:>9} {:>7} {:>11} {:>12} {:>6} {:>12}", "partition", "seconds", "balance",
                      "halo", "halo in all", "neigh", "predicted us");
  if (measured) text += fmt::format(" {:>12} {:>6} {:>9}", "measured us", "mode", "built s");
  text += fmt::format(" {:>11}{}\n", "total s", measured ? "  format, fastest layout" : "");
  for (const PartitionOutlook& o : r.outlooks) text += line(r, o, measured);
  for (const PartitionOutlook& o : r.outlooks)
    if (!o.reason.empty()) text += fmt::format("{}: {}\n", o.partitioner, o.reason);
  if (const std::string name = best(r); !name.empty())
    text += fmt::format("For {:g} products {} is the fastest: total is the partition{} and the products{}.\n",
                        r.products, name, measured ? ", moving and building" : "",
                        measured ? "" : " as predicted");
  return text;
}

std::string to_json(const PartitionsReport& r) {
  Json json;
  json["matrix"] = matrix_json(r);
  json["ranks"] = r.ranks;
  json["load_s"] = r.load_s;
  json["products"] = r.products;
  json["best"] = best(r);
  json["partitions"] = Json::array();
  for (const PartitionOutlook& o : r.outlooks) {
    Json one = {{"partitioner", o.partitioner}, {"refused", o.refused}, {"reason", o.reason}};
    if (o.refused.empty()) {
      one["partition_s"] = o.seconds;
      one["nonzero_balance"] = balance(o.shares);
      one["halo_total"] = spread(o.shares, &PartShare::halo).sum;
      one["halo_largest"] = spread(o.shares, &PartShare::halo).most;
      one["neighbours_most"] = spread(o.shares, &PartShare::neighbours).most;
      one["predicted_s"] = o.predicted_s;
      one["setup_s"] = o.setup_s;
      one["measured_s"] = o.measured_s;
      one["mode"] = o.mode;
      one["layout"] = o.layout;
      one["format"] = o.format;
      one["rows_wrong"] = o.rows_wrong;
      one["total_s"] = total(r, o);
      one["shares"] = shares_json(o.shares);
    }
    json["partitions"].push_back(std::move(one));
  }
  return text_of(std::move(json), 2);
}

}  // namespace spmv
