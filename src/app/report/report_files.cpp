#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/report/model.hpp"
#include "app/report/report.hpp"
#include "app/report/report_json.hpp"
#include "app/report/trace.hpp"
#include "core/error.hpp"

namespace spmv {
namespace {

Json environment(const RunReport& r) {
  return {{"date", r.date},   {"command_line", r.command_line}, {"versions", r.versions}, {"ranks", r.ranks},
          {"nodes", r.nodes}, {"backend", r.backend},           {"places", r.places},     {"seed", r.seed}};
}

Json mode_json(const ModeResult& mode) {
  Json phases = Json::object();
  for (const PhaseStats& p : mode.phases)
    phases[phase_name(p.phase)] = {{"min_s", p.min}, {"median_s", p.median}, {"max_s", p.max}};
  Json others = Json::array();
  for (const OtherLayout& other : mode.other_layouts)
    others.push_back({{"layout", to_string(other.layout)},
                      {"median_s", other.median_s},
                      {"rows_wrong", other.rows_wrong}});
  return {{"mode", mode.mode},
          {"transport", mode.transport},
          {"transport_chosen", mode.chosen},
          {"layout", to_string(mode.layout)},
          {"other_layouts", others},
          {"median_s", mode.median_s},
          {"min_s", mode.min_s},
          {"p95_s", mode.p95_s},
          {"repetitions", mode.repetitions},
          {"products_in_a_row", mode.products_in_a_row},
          {"settled", mode.settled},
          {"gflops", mode.gflops},
          {"effective_gbytes_per_s", mode.gbytes_per_s},
          {"halo_alone_s", mode.halo_alone_s},
          {"hidden_share", mode.hidden_share},
          {"overlap",
           {{"hidden_s", mode.overlap.hidden_s},
            {"exposed_s", mode.overlap.exposed_s},
            {"share", mode.overlap.share()},
            {"rank", mode.overlap.rank},
            {"limited_by", mode.overlap.limit}}},
          {"compute_threads", mode.compute_threads},
          {"phases", phases},
          {"verified", mode.verified},
          {"rows_wrong", mode.rows_wrong},
          {"worst_error_over_bound", mode.worst_ratio}};
}

Json tuning_json(const TuningStats& t) {
  Json json = {{"automatic", t.automatic},
               {"products", t.products},
               {"hint", t.hint},
               {"tuning_s", t.seconds},
               {"cost_in_products", t.cost_in_products},
               {"interior", decision_json(t.decision)}};
  if (!t.boundary_decision.format.empty()) json["boundary"] = decision_json(t.boundary_decision);
  return json;
}

Json transport_json(const TransportChoice& choice) {
  Json reports = Json::array();
  for (const TransportReport& report : choice.reports)
    reports.push_back({{"name", report.name},
                       {"refused", report.refused},
                       {"latency_s", report.latency_s},
                       {"bandwidth_bytes_per_s", report.bandwidth},
                       {"exchange_s", report.exchange_s},
                       {"queued_exchange", report.queued_exchange}});
  return {{"name", choice.name}, {"reason", choice.reason}, {"tried", reports}};
}

std::string csv_field(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c == '\n' ? ' ' : c;
  }
  return result + "\"";
}

/// "split 0.00012", or several with semicolons.
std::string csv_others(const ModeResult& mode) {
  std::string text;
  for (const OtherLayout& other : mode.other_layouts)
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", to_string(other.layout), other.median_s);
  return text;
}

/// One name needs no quotes.
std::string csv_format(const std::string& formats) {
  return formats.find(',') == std::string::npos ? formats : csv_field(formats);
}

}  // namespace

std::string to_json(const RunReport& r) {
  Json json;
  json["environment"] = environment(r);
  json["matrix"] = {{"name", r.matrix},     {"description", r.description},     {"rows", r.shape.rows},
                    {"cols", r.shape.cols}, {"nonzeros", r.partition.nonzeros}, {"value", r.value}};
  json["setup"] = {{"load_s", r.load_s},           {"load_megabytes", r.load_megabytes},
                   {"reference_s", r.reference_s}, {"partition_s", r.partition_s},
                   {"build_s", r.build_s},         {"tuning_s", r.tuning.seconds}};
  json["partition"] = {{"partitioner", r.partitioner},
                       {"nonzero_balance", r.partition.nonzero_balance},
                       {"edge_cut", r.partition.edge_cut},
                       {"halo_total", r.partition.halo_total},
                       {"halo_largest", r.partition.halo_largest},
                       {"neighbours_average", r.partition.average_neighbours},
                       {"neighbours_most", r.partition.most_neighbours}};
  json["format"] = {{"interior", r.format},
                    {"boundary", r.nonlocal_format},
                    {"block_rows", r.block_rows},
                    {"bytes", r.footprint.bytes},
                    {"stored_elements", r.footprint.stored_elements},
                    {"ellpack_elements", r.footprint.ellpack_elements},
                    {"data_reduction", r.footprint.reduction()}};
  json["tuning"] = tuning_json(r.tuning);
  json["transport"] = r.transport;
  json["transport_choice"] = transport_json(r.transport_choice);
  if (!r.queued_exchange_choice.name.empty())
    json["queued_exchange_choice"] = transport_json(r.queued_exchange_choice);
  json["vectors"] = r.vectors;
  json["bandwidth"] = {{"copy_bytes_per_s", r.bandwidth.copy},
                       {"to_device_bytes_per_s", r.bandwidth.to_device},
                       {"to_host_bytes_per_s", r.bandwidth.to_host}};
  json["model"] = {{"nonzeros_per_row", r.model.nonzeros_per_row},
                   {"best_alpha", r.model.best_alpha},
                   {"code_balance_best", r.model.balance_best},
                   {"code_balance_worst", r.model.balance_worst},
                   {"t_mvm_best_s", r.model.t_mvm_best},
                   {"t_mvm_worst_s", r.model.t_mvm_worst},
                   {"t_pci_s", r.model.t_pci},
                   {"t_halo_s", r.model.t_halo}};
  json["modes"] = Json::array();
  for (const ModeResult& mode : r.modes) json["modes"].push_back(mode_json(mode));
  json["left_out"] = Json::array();
  for (const LeftOut& left : r.left_out)
    json["left_out"].push_back({{"mode", left.mode},
                                {"transport", left.transport},
                                {"layout", left.layout},
                                {"reason", left.reason}});
  return text_of(json, 2);
}

std::string to_csv(const RunReport& r) {
  std::string text =
      "matrix,rows,cols,nonzeros,value,ranks,nodes,backend,format,nonlocal_format,block_rows,partition,seed,"
      "transport,"
      "vectors,mode,layout,other_layouts,median_s,min_s,p95_s,repetitions,gflops,effective_gbytes_per_s,halo_"
      "alone_s,hidden_share,"
      "overlap_"
      "limited_by,"
      "rows_wrong,"
      "verified,format_options,tuned,tuning_s,tuning_products,tuning_reason,transport_reason,transports_tried,date,"
      "command_line,versions,"
      "places\n";
  std::string places;
  for (const std::string& place : r.places) places += (places.empty() ? "" : "; ") + place;
  std::string tried;
  for (const TransportChoice* choice : {&r.transport_choice, &r.queued_exchange_choice})
    for (const TransportReport& report : choice->reports)
      tried += fmt::format("{}{}: {}", tried.empty() ? "" : "; ", report.name, to_string(report));
  for (const ModeResult& m : r.modes)
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{"
        "},{},{"
        "},{},{"
        "},{"
        "},{}\n",
        csv_field(r.matrix), r.shape.rows, r.shape.cols, r.partition.nonzeros, r.value, r.ranks, r.nodes,
        r.backend, csv_format(r.format), csv_format(r.nonlocal_format), r.block_rows, r.partitioner, r.seed,
        m.transport, r.vectors, m.mode, to_string(m.layout), csv_others(m), m.median_s, m.min_s, m.p95_s,
        m.repetitions, m.gflops, m.gbytes_per_s, m.halo_alone_s, m.hidden_share, csv_field(m.overlap.limit),
        m.rows_wrong, m.verified, csv_field(describe(r.tuning.decision.options)), r.tuning.automatic,
        r.tuning.seconds, r.tuning.cost_in_products, csv_field(r.tuning.decision.reason),
        csv_field(r.transport_choice.reason), csv_field(tried), r.date, csv_field(r.command_line),
        csv_field(r.versions), csv_field(places));
  return text;
}

std::string to_trace(const RunReport& r) {
  return text_of(Json{{"traceEvents", trace_events(r)}, {"otherData", environment(r)}}, 1);
}

}  // namespace spmv
