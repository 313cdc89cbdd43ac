#include <string>

#include "app/report/model.hpp"
#include "app/report/pictures_json.hpp"
#include "app/report/report.hpp"
#include "app/report/report_json.hpp"
#include "app/report/sharing_words.hpp"
#include "app/report/trace.hpp"
#include "comm/place/cores.hpp"

namespace spmv {
namespace {

Json environment(const RunReport& r) {
  const Environment& e = r.environment;
  Json gpus = Json::array();
  for (const Environment::Gpu& gpu : e.gpus)
    gpus.push_back({{"name", gpu.name},
                    {"clock_mhz", gpu.clock_mhz},
                    {"host", gpu.host},
                    {"id", gpu.id},
                    {"uuid", gpu.uuid}});
  Json shared_gpus = Json::array(), shared_cores = Json::array();
  for (const SharedGpu& shared : e.shared_gpus)
    shared_gpus.push_back({{"uuid", shared.gpu},
                           {"ranks", shared.ranks},
                           {"hosts", shared.hosts},
                           {"by", way_of_sharing(shared.mps)}});
  for (const SharedCores& shared : e.shared_cores)
    shared_cores.push_back(
        {{"hosts", shared.hosts}, {"ranks", shared.ranks}, {"cores", core_ranges(shared.cores)}});
  return {{"date", r.date},
          {"command_line", r.command_line},
          {"versions", r.versions},
          {"ranks", r.ranks},
          {"nodes", r.nodes},
          {"backend", r.backend},
          {"places", r.places},
          {"seed", r.seed},
          {"commit", e.commit},
          {"compiler", e.compiler},
          {"cuda", e.cuda},
          {"driver", e.driver},
          {"mpi", e.mpi},
          {"launcher", e.launcher},
          {"hosts", e.hosts},
          {"binding", e.binding},
          {"gpus", gpus},
          {"shared_gpus", shared_gpus},
          {"shared_cores", shared_cores}};
}

Json mode_json(const RunReport& r, const ModeResult& mode) {
  const Alpha alpha = alpha_of(r, mode);
  Json phases = Json::object();
  for (const PhaseStats& p : mode.phases)
    phases[phase_name(p.phase)] = {{"min_s", p.min}, {"median_s", p.median}, {"max_s", p.max}};
  Json others = Json::array();
  for (const OtherLayout& other : mode.other_layouts)
    others.push_back({{"layout", other.layout},
                      {"median_s", other.median_s},
                      {"median_low_s", other.median_low_s},
                      {"median_high_s", other.median_high_s},
                      {"rows_wrong", other.rows_wrong}});
  return {{"mode", mode.mode},
          {"transport", mode.transport},
          {"transport_chosen", mode.chosen},
          {"layout", mode.layout},
          {"other_layouts", others},
          {"median_s", mode.median_s},
          {"median_low_s", mode.median_low_s},
          {"median_high_s", mode.median_high_s},
          {"min_s", mode.min_s},
          {"p95_s", mode.p95_s},
          {"repetitions", mode.repetitions},
          {"products_in_a_row", mode.products_in_a_row},
          {"samples_s", mode.samples_s},
          {"settled", mode.settled},
          {"waited_for_core", mode.waited_for_core},
          {"marks", mode.marks},
          {"marks_reason", mode.marks_reason},
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
          {"alpha", alpha.value ? Json(*alpha.value) : Json()},
          {"alpha_missing_because", alpha.why_not},
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

Json stages_json(const std::vector<StageRecord>& stages) {
  Json json = Json::array();
  for (const StageRecord& stage : stages)
    json.push_back({{"name", stage.name},
                    {"begin_s", stage.begin_s},
                    {"seconds", stage.seconds},
                    {"peak_host_bytes", stage.peak_bytes}});
  return json;
}

}  // namespace

std::string to_json(const RunReport& r) {
  Json json;
  json["schema"] = results_schema;
  json["incomplete"] = r.incomplete;
  json["environment"] = environment(r);
  json["matrix"] = {{"name", r.matrix},     {"description", r.description},     {"rows", r.shape.rows},
                    {"cols", r.shape.cols}, {"nonzeros", r.partition.nonzeros}, {"value", r.value}};
  json["setup"] = {{"load_s", r.load_s},
                   {"load_megabytes", r.load_megabytes},
                   {"reference_s", r.reference_s},
                   {"partition_s", r.partition_s},
                   {"build_s", r.build_s},
                   {"tuning_s", r.tuning.seconds},
                   {"first_product_s", r.first_product_s},
                   {"peak_host_bytes", r.peak_host_bytes},
                   {"stages", stages_json(r.stages)}};
  json["partition"] = {{"partitioner", r.partitioner},
                       {"nonzero_balance", r.partition.nonzero_balance},
                       {"edge_cut", r.partition.edge_cut},
                       {"halo_total", r.partition.halo_total},
                       {"halo_largest", r.partition.halo_largest},
                       {"neighbours_average", r.partition.average_neighbours},
                       {"neighbours_most", r.partition.most_neighbours}};
  if (const PartitionChoice& choice = r.partition_choice; !choice.taken.empty()) {
    json["partition"]["asked"] = r.partition_asked;
    json["partition"]["reason"] = choice.reason;
    json["partition"]["predicted_s"] = Json::object();
    for (const auto& [partitioner, product_s] : choice.predicted)
      json["partition"]["predicted_s"][partitioner] = product_s;
  }
  json["order"] = {{"name", r.order.name},
                   {"reason", r.order.reason},
                   {"lines_before", r.order.lines_before},
                   {"lines_after", r.order.lines_after},
                   {"seconds", r.order.seconds}};
  json["format"] = {{"interior", r.format},
                    {"boundary", r.boundary_format},
                    {"block_rows", r.block_rows},
                    {"bytes", r.footprint.bytes},
                    {"moved_bytes", r.footprint.moved_bytes},
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
                       {"to_host_bytes_per_s", r.bandwidth.to_host},
                       {"spread", r.bandwidth.spread}};
  json["model"] = {{"nonzeros_per_row", r.model.nonzeros_per_row},
                   {"best_alpha", r.model.best_alpha},
                   {"code_balance_best", r.model.balance_best},
                   {"code_balance_worst", r.model.balance_worst},
                   {"t_mvm_best_s", r.model.t_mvm_best},
                   {"t_mvm_worst_s", r.model.t_mvm_worst},
                   {"t_pci_s", r.model.t_pci},
                   {"t_halo_s", r.model.t_halo},
                   {"applies", why_no_model(r).empty()},
                   {"why_not", why_no_model(r)}};
  json["layouts_in_turns"] = r.turns;
  json["modes"] = Json::array();
  for (const ModeResult& mode : r.modes) json["modes"].push_back(mode_json(r, mode));
  json["left_out"] = Json::array();
  for (const LeftOut& left : r.left_out)
    json["left_out"].push_back({{"mode", left.mode},
                                {"transport", left.transport},
                                {"layout", left.layout},
                                {"reason", left.reason}});
  return with_section(text_of(json, 2), "pictures", pictures_json(r));
}

std::string to_trace(const RunReport& r) {
  Json other = environment(r);
  other["incomplete"] = r.incomplete;
  return text_of(Json{{"traceEvents", trace_events(r)}, {"otherData", other}}, 1);
}

}  // namespace spmv
