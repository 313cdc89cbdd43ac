#include "format_report.hpp"

#include <utility>

#include <fmt/format.h>

namespace spmv {
namespace {

const char* word(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::refused:
      return "refused";
    case Status::wrong:
      return "wrong";
  }
  return "";
}

/// A text field, quoted where CSV needs it.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c == '\n' ? ' ' : c);
  return quoted + "\"";
}

using Columns = std::vector<std::pair<const char*, std::string>>;

/// The numbers of a refused format stay empty.
Columns columns(const MatrixFacts& m, const FormatResult& r) {
  const bool measured = r.status == Status::ok && r.median() > 0;
  const bool built = r.status != Status::refused;
  const auto time = [&](double value) { return measured ? fmt::format("{:.6g}", value) : std::string(); };
  const auto fact = [&](double value) { return built ? fmt::format("{:.10g}", value) : std::string(); };
  const double median = r.median(), rate = measured ? m.bytes / median : 0;
  return {{"matrix", field(m.name)},
          {"rows", fmt::to_string(m.rows)},
          {"cols", fmt::to_string(m.cols)},
          {"nonzeros", fmt::to_string(m.nonzeros)},
          {"value", m.value},
          {"backend", m.backend},
          {"device", field(m.device)},
          {"options", field(m.options)},
          {"format", r.format},
          {"status", word(r.status)},
          {"reason", field(r.reason)},
          {"choices", field(r.choices)},
          {"median_us", time(median * 1e6)},
          {"best_us", time(measured ? r.seconds.front() * 1e6 : 0)},
          {"worst_us", time(measured ? r.seconds.back() * 1e6 : 0)},
          {"replayed_us", r.replayed.empty() ? "" : time(r.replayed_median() * 1e6)},
          {"rounds", measured ? fmt::to_string(r.seconds.size()) : ""},
          {"batch", measured ? fmt::to_string(r.batch) : ""},
          {"gflops", time(measured ? m.flops / median * 1e-9 : 0)},
          {"effective_bytes", fmt::format("{:.10g}", m.bytes)},
          {"effective_GB_s", time(rate * 1e-9)},
          {"copy_GB_s", fmt::format("{:.6g}", m.copy_rate * 1e-9)},
          {"of_copy", time(rate / m.copy_rate)},
          {"footprint_bytes", fact(static_cast<double>(r.footprint.bytes))},
          {"stored_elements", fact(static_cast<double>(r.footprint.stored_elements))},
          {"ellpack_elements", fact(static_cast<double>(r.footprint.ellpack_elements))},
          {"traffic_bytes", fact(r.traffic.matrix_bytes + r.traffic.vector_bytes)},
          {"cost_bytes", fmt::format("{:.10g}", r.cost.bytes)},
          {"cost_moved_bytes", fmt::format("{:.10g}", r.cost.moved_bytes)},
          {"cost_iterations", fmt::format("{:.10g}", r.cost.iterations)},
          {"cost_chain", fmt::format("{:.10g}", r.cost.chain)},
          {"cost_along_diagonals", fmt::format("{:.10g}", r.cost.along_diagonals)},
          {"cost_heads_alone", fmt::format("{:.10g}", r.cost.heads_alone)},
          {"build_s", built ? fmt::format("{:.6g}", r.build_s) : ""},
          {"build_products", time(measured ? r.build_s / median : 0)}};
}

}  // namespace

std::string csv_header() {
  std::vector<std::string> names;
  for (const auto& column : columns({}, {})) names.emplace_back(column.first);
  return fmt::format("{}", fmt::join(names, ","));
}

std::string csv_line(const MatrixFacts& matrix, const FormatResult& result) {
  std::vector<std::string> fields;
  for (const auto& column : columns(matrix, result)) fields.push_back(column.second);
  return fmt::format("{}", fmt::join(fields, ","));
}

std::string table_header(const MatrixFacts& m) {
  return fmt::format(
      "\n{}: {} x {}, {} nonzeros, {}; effective bytes {:.4g}, copy {:.1f} GB/s\n"
      "{:<16}{:>11}{:>11}{:>9}{:>10}{:>9}{:>9}{:>12}{:>12}{:>11}  {}",
      m.name, m.rows, m.cols, m.nonzeros, m.value, m.bytes, m.copy_rate * 1e-9, "format", "median us",
      "best us", "replayed", "GF/s", "GB/s", "of copy", "MB stored", "build s", "products", "chosen");
}

std::string table_line(const MatrixFacts& m, const FormatResult& r) {
  if (r.status == Status::refused) return fmt::format("{:<16}refused: {}", r.format, r.reason);
  if (r.status == Status::wrong) return fmt::format("{:<16}WRONG: {}", r.format, r.reason);
  const double median = r.median();
  if (median <= 0) return fmt::format("{:<16}too short to measure", r.format);
  return fmt::format("{:<16}{:>11.2f}{:>11.2f}{:>9}{:>10.2f}{:>9.1f}{:>9.3f}{:>12.2f}{:>12.4f}{:>11.0f}  {}",
                     r.format, median * 1e6, r.seconds.front() * 1e6,
                     r.replayed.empty() ? "" : fmt::format("{:.2f}", r.replayed_median() * 1e6),
                     m.flops / median * 1e-9, m.bytes / median * 1e-9, m.bytes / median / m.copy_rate,
                     static_cast<double>(r.footprint.bytes) * 1e-6, r.build_s, r.build_s / median, r.choices);
}

nlohmann::json analysis_json(const MatrixFacts& m, const Analysis& a, double seconds) {
  nlohmann::json lengths = nlohmann::json::array(), orders = lengths, covers = lengths;
  for (std::size_t l = 0; l < a.rows_of_length.size(); ++l)
    if (a.rows_of_length[l] > 0) lengths.push_back({l, a.rows_of_length[l]});
  for (const SortOrder& order : a.orders)
    orders.push_back({{"window", order.window}, {"iterations", order.iterations}});
  for (const BlockCover& cover : a.block_covers)
    covers.push_back({{"size", cover.size}, {"blocks", cover.blocks}, {"fill", cover.fill}});
  return {{"matrix", m.name},
          {"rows", a.rows},
          {"cols", a.cols},
          {"nonzeros", a.nonzeros},
          {"value", m.value},
          {"value_bytes", a.value_bytes},
          {"longest", a.longest},
          {"mean_length", a.mean_length},
          {"length_sigma", a.length_sigma},
          {"rows_of_length", lengths},
          {"orders", orders},
          {"block_covers", covers},
          {"half_warp_elements", a.half_warp_elements},
          {"strips", a.strips},
          {"diagonal_share", a.share(ColumnKind::diagonals)},
          {"constant_share", a.constant_share},
          {"distance8_share", a.distance8_share},
          {"distance16_share", a.distance16_share},
          {"gather_sectors", a.gather_sectors},
          {"sectors_per_nonzero", a.sectors_per_nonzero},
          {"distinct_values", a.distinct_values},
          {"float_share", a.float_share},
          {"analysis_s", seconds}};
}

}  // namespace spmv
