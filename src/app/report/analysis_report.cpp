#include "app/report/analysis_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/report/report_parts.hpp"
#include "kernels/parts/value_set.hpp"

namespace spmv {
namespace {

constexpr int most_bins = 20;

/// Whether a few rows are so much longer than the others that a linear scale would show only them.
bool skewed(const Analysis& a) {
  return static_cast<double>(a.longest) > 8 * std::max(a.mean_length, 1.0);
}

double percent_of(double share) {
  return 100 * share;
}

std::string lengths_text(const Analysis& a) {
  const std::vector<LengthBin> bins = length_bins(a);
  offset most = 1;
  for (const LengthBin& bin : bins) most = std::max(most, bin.rows);
  const bool logarithmic = skewed(a);
  const auto height = [&](offset rows) {
    const double share = logarithmic
                             ? std::log1p(static_cast<double>(rows)) / std::log1p(static_cast<double>(most))
                             : static_cast<double>(rows) / static_cast<double>(most);
    return static_cast<int>(std::ceil(50 * share));
  };
  std::string text =
      fmt::format("row lengths{}\n", logarithmic ? ", bars by the logarithm of their rows" : "");
  for (const LengthBin& bin : bins) {
    const std::string range =
        bin.first == bin.last ? fmt::to_string(bin.first) : fmt::format("{}-{}", bin.first, bin.last);
    text += fmt::format("  {:>15} {:>11}{}{:#<{}}\n", range, bin.rows, bin.rows > 0 ? " " : "", "",
                        height(bin.rows));
  }
  return text;
}

std::string facts_text(const AnalysisReport& r) {
  const Analysis& a = r.analysis;
  std::string text = matrix_lines(r);
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "device       {}; copy {:.1f} GB/s\n", r.place, r.bandwidth * 1e-9);
  fmt::format_to(out, "             loaded in {:.2f} s, analysed in {:.2f} s\n", r.load_s, r.analysis_s);
  fmt::format_to(out,
                 "rows         Av {:.2f}, Max {}, Max-Av {:.2f}, sigma {:.2f}, sigma/Av {:.1f} %, empty {}\n",
                 a.mean_length, a.longest, a.longest - a.mean_length, a.length_sigma,
                 percent_of(a.mean_length > 0 ? a.length_sigma / a.mean_length : 0), r.empty_rows);
  fmt::format_to(out, "N_iter       at least {:.0f};",
                 std::ceil(static_cast<double>(a.nonzeros) / warp_size));
  for (const SortOrder& order : a.orders)
    fmt::format_to(out, "{} {}",
                   &order == &a.orders.front()  ? " as they are"
                   : &order == &a.orders.back() ? ", all sorted"
                                                : fmt::format(", sorted by {}", order.window),
                   order.iterations);
  fmt::format_to(out, "\nblocks       filled to");
  for (const BlockCover& cover : a.block_covers)
    fmt::format_to(out, "{} {:.1f} % of {} x {}", cover.size > 2 ? "," : "", percent_of(cover.fill),
                   cover.size, cover.size);
  fmt::format_to(out,
                 "\ncolumns      on diagonals {:.1f} % (of one value {:.1f} %), distances of 8 bits {:.1f} "
                 "%, of 16 bits {:.1f} %\n",
                 percent_of(a.share(ColumnKind::diagonals)), percent_of(a.constant_share),
                 percent_of(a.distance8_share), percent_of(a.distance16_share));
  fmt::format_to(out, "values       {}, exact in half their size {:.1f} %\n",
                 a.distinct_values > most_dictionary_values ? "more than 256 different ones"
                                                            : fmt::format("{} different", a.distinct_values),
                 percent_of(a.float_share));
  return text;
}

std::string outlooks_text(const AnalysisReport& r) {
  const auto nonzeros = static_cast<double>(std::max<offset>(r.analysis.nonzeros, 1));
  std::string text = fmt::format("{:<16}{:>12}{:>12}{:>12}{:>12}{:>11}{:>10}\n", "format", "MB stored",
                                 "MB moved", "bytes/nnz", "iterations", "us", "GF/s");
  for (const Outlook& o : r.outlooks) {
    if (!o.refused.empty())
      text += fmt::format("{:<16}{}\n", o.format, o.refused);
    else
      text += fmt::format("{:<16}{:>12.2f}{:>12.2f}{:>12.2f}{:>12.0f}{:>11.1f}{:>10.1f}\n", o.format,
                          o.cost.bytes * 1e-6, o.cost.moved_bytes * 1e-6, o.cost.bytes / nonzeros,
                          o.cost.iterations, o.predicted.seconds * 1e6, r.flops / o.predicted.seconds * 1e-9);
  }
  return text + "Bytes, iterations and times are predictions from the analysis.\n";
}

}  // namespace

std::vector<LengthBin> length_bins(const Analysis& a) {
  std::vector<LengthBin> bins;
  const offset lengths = offset{a.longest} + 1;
  const bool doubling = lengths > most_bins && skewed(a);
  const offset factor = lengths < offset{1} << (most_bins - 2) ? 2 : 4;
  const offset width = (lengths + most_bins - 1) / most_bins;
  for (offset first = 0, next = 0; first < lengths; first = next) {
    next = first + width;
    if (doubling) next = first == 0 ? 1 : first * factor;
    LengthBin bin{first, std::min(next, lengths) - 1, 0};
    for (offset length = bin.first; length <= bin.last; ++length) bin.rows += a.rows_of_length[length];
    bins.push_back(bin);
  }
  return bins;
}

std::string to_text(const AnalysisReport& r) {
  return facts_text(r) + lengths_text(r.analysis) + "\n" + outlooks_text(r) +
         fmt::format("auto         {}\n", r.decision.reason);
}

std::string to_json(const AnalysisReport& r) {
  const Analysis& a = r.analysis;
  Json lengths = Json::array(), orders = Json::array(), covers = Json::array(), outlooks = Json::array();
  for (std::size_t l = 0; l < a.rows_of_length.size(); ++l)
    if (a.rows_of_length[l] > 0) lengths.push_back({l, a.rows_of_length[l]});
  for (const SortOrder& order : a.orders)
    orders.push_back({{"window", order.window}, {"iterations", order.iterations}});
  for (const BlockCover& cover : a.block_covers)
    covers.push_back({{"size", cover.size}, {"blocks", cover.blocks}, {"fill", cover.fill}});
  for (const Outlook& o : r.outlooks)
    outlooks.push_back({{"format", o.format},
                        {"refused", o.refused},
                        {"bytes", o.cost.bytes},
                        {"moved_bytes", o.cost.moved_bytes},
                        {"iterations", o.cost.iterations},
                        {"chain", o.cost.chain},
                        {"predicted_s", o.predicted.seconds},
                        {"predicted_build_s", o.predicted.build_s}});
  Json json;
  json["matrix"] = matrix_json(r);
  json["place"] = r.place;
  json["copy_bytes_per_s"] = r.bandwidth;
  json["load_s"] = r.load_s;
  json["analysis_s"] = r.analysis_s;
  json["row_lengths"] = {{"mean", a.mean_length},      {"longest", a.longest},      {"sigma", a.length_sigma},
                         {"empty_rows", r.empty_rows}, {"rows_of_length", lengths}, {"iterations", orders}};
  json["block_covers"] = covers;
  json["columns"] = {{"diagonal_share", a.share(ColumnKind::diagonals)},
                     {"constant_share", a.constant_share},
                     {"distance8_share", a.distance8_share},
                     {"distance16_share", a.distance16_share},
                     {"gather_sectors", a.gather_sectors},
                     {"sectors_per_nonzero", a.sectors_per_nonzero}};
  json["values"] = {{"distinct", a.distinct_values}, {"float_share", a.float_share}};
  json["formats"] = outlooks;
  json["products"] = r.products;
  json["choice"] = decision_json(r.decision);
  return text_of(json, 2);
}

}  // namespace spmv
