#include "app/report/fields.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/report/model.hpp"
#include "app/report/sharing_words.hpp"
#include "comm/place/cores.hpp"

namespace spmv {
namespace {

using Top = const RunHead&;
using Report = const RunReport&;
using Row = const ModeResult&;

constexpr CsvColumn no_column = {};
constexpr const char* not_in_json = "";

constexpr CsvColumn plain(const char* name) {
  return {name, false};
}
constexpr CsvColumn free_text(const char* name) {
  return {name, true};
}

/// An array with element(each) for each one of a list.
template <class List, class Element>
Json array_of(const List& list, const Element& element) {
  Json array = Json::array();
  for (const auto& each : list) array.push_back(element(each));
  return array;
}

/// The value where there is one.
Json value_if(bool is_there, const Json& value) {
  return is_there ? value : Json(Json::value_t::discarded);
}

Json gpus_json(Top r) {
  return array_of(r.environment.gpus, [](const Environment::Gpu& gpu) {
    return Json{{"name", gpu.name},
                {"clock_mhz", gpu.clock_mhz},
                {"host", gpu.host},
                {"id", gpu.id},
                {"uuid", gpu.uuid}};
  });
}

Json shared_gpus_json(Top r) {
  return array_of(r.environment.shared_gpus, [](const SharedGpu& shared) {
    return Json{{"uuid", shared.gpu},
                {"ranks", shared.ranks},
                {"hosts", shared.hosts},
                {"by", way_of_sharing(shared.mps)}};
  });
}

Json shared_cores_json(Top r) {
  return array_of(r.environment.shared_cores, [](const SharedCores& shared) {
    return Json{{"hosts", shared.hosts}, {"ranks", shared.ranks}, {"cores", core_ranges(shared.cores)}};
  });
}

Json stages_json(Top r) {
  return array_of(r.stages, [](const StageRecord& stage) {
    return Json{{"name", stage.name},
                {"begin_s", stage.begin_s},
                {"seconds", stage.seconds},
                {"peak_host_bytes", stage.peak_bytes}};
  });
}

Json left_out_json(Report r) {
  return array_of(r.left_out, [](const LeftOut& left) {
    return Json{
        {"mode", left.mode}, {"transport", left.transport}, {"layout", left.layout}, {"reason", left.reason}};
  });
}

Json transport_json(const TransportChoice& choice) {
  return {{"name", choice.name},
          {"reason", choice.reason},
          {"tried", array_of(choice.reports, [](const TransportReport& report) {
             return Json{{"name", report.name},
                         {"refused", report.refused},
                         {"latency_s", report.latency_s},
                         {"bandwidth_bytes_per_s", report.bandwidth},
                         {"exchange_s", report.exchange_s},
                         {"queued_exchange", report.queued_exchange}};
           })}};
}

/// Partition auto has chosen, or a partition was read.
bool has_choice(Top r) {
  return !r.partition_choice.taken.empty();
}

Json predictions_json(Top r) {
  Json json = Json::object();
  for (const auto& [partitioner, product_s] : r.partition_choice.predicted) json[partitioner] = product_s;
  return json;
}

Json other_layouts_json(Row m) {
  return array_of(m.other_layouts, [](const OtherLayout& other) {
    return Json{{"layout", other.layout},
                {"median_s", other.median_s},
                {"median_low_s", other.median_low_s},
                {"median_high_s", other.median_high_s},
                {"rows_wrong", other.rows_wrong}};
  });
}

/// "split 0.00012", several with semicolons between them.
std::string other_layouts_words(Row m) {
  std::vector<std::string> texts;
  for (const OtherLayout& other : m.other_layouts)
    texts.push_back(fmt::format("{} {}", other.layout, other.median_s));
  return fmt::format("{}", fmt::join(texts, "; "));
}

Json phases_json(Row m) {
  Json json = Json::object();
  for (const PhaseStats& p : m.phases)
    json[phase_name(p.phase)] = {{"min_s", p.min}, {"median_s", p.median}, {"max_s", p.max}};
  return json;
}

Json alpha_json(Report r, Row m) {
  const Alpha alpha = alpha_of(r, m);
  return alpha.value ? Json(*alpha.value) : Json();
}

std::string transports_words(Report r) {
  std::vector<std::string> texts;
  for (const TransportChoice* choice : {&r.transport_choice, &r.queued_exchange_choice})
    for (const TransportReport& report : choice->reports)
      texts.push_back(fmt::format("{}: {}", report.name, to_string(report)));
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string sharing_line(Top r) {
  const std::string gpus = gpu_sharing(r.environment.shared_gpus),
                    cores = core_sharing(r.environment.shared_cores);
  return gpus + (gpus.empty() || cores.empty() ? "" : "; ") + cores;
}

}  // namespace

const std::vector<Field>& fields() {
  static const std::vector<Field> table = {
      {"/schema", no_column, [](Top) { return results_schema; }},
      {"/matrix/name", free_text("matrix"), [](Top r) { return r.matrix; }},
      {"/matrix/description", no_column, [](Top r) { return r.description; }},
      {"/matrix/rows", plain("rows"), [](Top r) { return r.shape.rows; }},
      {"/matrix/cols", plain("cols"), [](Top r) { return r.shape.cols; }},
      {"/matrix/nonzeros", plain("nonzeros"), [](Top r) { return r.partition.nonzeros; }},
      {"/matrix/value", plain("value"), [](Top r) { return r.value; }},
      {"/environment/ranks", plain("ranks"), [](Top r) { return r.ranks; }},
      {"/environment/nodes", plain("nodes"), [](Top r) { return r.nodes; }},
      {"/environment/backend", plain("backend"), [](Top r) { return r.backend; }},
      {"/format/interior", plain("format"), [](Report r) { return r.format; }},
      {"/format/boundary", plain("boundary_format"), [](Report r) { return r.boundary_format; }},
      {"/format/block_rows", plain("block_rows"), [](Report r) { return r.block_rows; }},
      {"/format/bytes", no_column, [](Report r) { return r.footprint.bytes; }},
      {"/format/moved_bytes", no_column, [](Report r) { return r.footprint.moved_bytes; }},
      {"/format/stored_elements", no_column, [](Report r) { return r.footprint.stored_elements; }},
      {"/format/ellpack_elements", no_column, [](Report r) { return r.footprint.ellpack_elements; }},
      {"/format/data_reduction", no_column, [](Report r) { return r.footprint.reduction(); }},
      {"/partition/partitioner", plain("partition"), [](Top r) { return r.partitioner; }},
      {"/partition/nonzero_balance", no_column, [](Top r) { return r.partition.nonzero_balance; }},
      {"/partition/edge_cut", no_column, [](Top r) { return r.partition.edge_cut; }},
      {"/partition/halo_total", no_column, [](Top r) { return r.partition.halo_total; }},
      {"/partition/halo_largest", no_column, [](Top r) { return r.partition.halo_largest; }},
      {"/partition/neighbours_average", no_column, [](Top r) { return r.partition.average_neighbours; }},
      {"/partition/neighbours_most", no_column, [](Top r) { return r.partition.most_neighbours; }},
      {"/partition/asked", no_column, [](Top r) { return value_if(has_choice(r), r.partition_asked); }},
      {"/partition/reason", no_column, [](Top r) { return value_if(has_choice(r), r.partition_choice.reason); }},
      {"/partition/predicted_s", no_column, [](Top r) { return value_if(has_choice(r), predictions_json(r)); }},
      {"/environment/seed", plain("seed"), [](Top r) { return r.seed; }},
      {"/setup/load_s", no_column, [](Top r) { return r.load_s; }},
      {"/setup/load_megabytes", no_column, [](Top r) { return r.load_megabytes; }},
      {"/setup/reference_s", no_column, [](Top r) { return r.reference_s; }},
      {"/setup/partition_s", no_column, [](Top r) { return r.partition_s; }},
      {"/setup/build_s", no_column, [](Report r) { return r.build_s; }},
      {"/setup/tuning_s", no_column, [](Report r) { return r.tuning.seconds; }},
      {"/setup/first_product_s", no_column, [](Report r) { return r.first_product_s; }},
      {"/setup/peak_host_bytes", no_column, [](Top r) { return r.peak_host_bytes; }},
      {"/setup/stages", no_column, stages_json},
      {"/order/name", no_column, [](Top r) { return r.order.name; }},
      {"/order/reason", no_column, [](Top r) { return r.order.reason; }},
      {"/order/lines_before", no_column, [](Top r) { return r.order.lines_before; }},
      {"/order/lines_after", no_column, [](Top r) { return r.order.lines_after; }},
      {"/order/seconds", no_column, [](Top r) { return r.order.seconds; }},
      {"/transport", no_column, [](Report r) { return r.transport; }},
      {"/bandwidth/copy_bytes_per_s", no_column, [](Report r) { return r.bandwidth.copy; }},
      {"/bandwidth/to_device_bytes_per_s", no_column, [](Report r) { return r.bandwidth.to_device; }},
      {"/bandwidth/to_host_bytes_per_s", no_column, [](Report r) { return r.bandwidth.to_host; }},
      {"/bandwidth/spread", no_column, [](Report r) { return r.bandwidth.spread; }},
      {"/model/nonzeros_per_row", no_column, [](Report r) { return r.model.nonzeros_per_row; }},
      {"/model/best_alpha", no_column, [](Report r) { return r.model.best_alpha; }},
      {"/model/code_balance_best", no_column, [](Report r) { return r.model.balance_best; }},
      {"/model/code_balance_worst", no_column, [](Report r) { return r.model.balance_worst; }},
      {"/model/t_mvm_best_s", no_column, [](Report r) { return r.model.t_mvm_best; }},
      {"/model/t_mvm_worst_s", no_column, [](Report r) { return r.model.t_mvm_worst; }},
      {"/model/t_pci_s", no_column, [](Report r) { return r.model.t_pci; }},
      {"/model/t_halo_s", no_column, [](Report r) { return r.model.t_halo; }},
      {"/model/applies", no_column, [](Report r) { return why_no_model(r).empty(); }},
      {"/model/why_not", no_column, why_no_model},
      {"/layouts_in_turns", no_column, [](Report r) { return r.turns; }},
      {"/left_out", no_column, left_out_json},
      {"/transport", plain("transport"), [](Report, Row m) { return m.transport; }},
      {"/transport_chosen", no_column, [](Report, Row m) { return m.chosen; }},
      {"/vectors", plain("vectors"), [](Report r) { return r.vectors; }},
      {"/columns", plain("columns"), [](Report r) { return r.columns; }},
      {"/columns_together", plain("columns_together"), [](Report r) { return r.columns_together; }},
      {"/mode", plain("mode"), [](Report, Row m) { return m.mode; }},
      {"/layout", plain("layout"), [](Report, Row m) { return m.layout; }},
      {"/other_layouts", no_column, [](Report, Row m) { return other_layouts_json(m); }},
      {not_in_json, plain("other_layouts"), [](Report, Row m) { return other_layouts_words(m); }},
      {"/median_s", plain("median_s"), [](Report, Row m) { return m.median_s; }},
      {"/median_low_s", plain("median_low_s"), [](Report, Row m) { return m.median_low_s; }},
      {"/median_high_s", plain("median_high_s"), [](Report, Row m) { return m.median_high_s; }},
      {"/min_s", plain("min_s"), [](Report, Row m) { return m.min_s; }},
      {"/p95_s", plain("p95_s"), [](Report, Row m) { return m.p95_s; }},
      {"/repetitions", plain("repetitions"), [](Report, Row m) { return m.repetitions; }},
      {"/products_in_a_row", no_column, [](Report, Row m) { return m.products_in_a_row; }},
      {"/samples_s", no_column, [](Report, Row m) { return m.samples_s; }},
      {"/settled", no_column, [](Report, Row m) { return m.settled; }},
      {"/waited_for_core", plain("waited_for_core"), [](Report, Row m) { return m.waited_for_core; }},
      {"/marks", no_column, [](Report, Row m) { return m.marks; }},
      {not_in_json, plain("marks"), [](Report, Row m) { return fmt::format("{}", fmt::join(m.marks, " ")); }},
      {"/marks_reason", free_text("marks_reason"), [](Report, Row m) { return m.marks_reason; }},
      {"/gflops", plain("gflops"), [](Report, Row m) { return m.gflops; }},
      {"/effective_gbytes_per_s", plain("effective_gbytes_per_s"), [](Report, Row m) { return m.gbytes_per_s; }},
      {"/halo_alone_s", plain("halo_alone_s"), [](Report, Row m) { return m.halo_alone_s; }},
      {"/hidden_share", plain("hidden_share"), [](Report, Row m) { return m.hidden_share; }},
      {"/overlap/hidden_s", no_column, [](Report, Row m) { return m.overlap.hidden_s; }},
      {"/overlap/exposed_s", no_column, [](Report, Row m) { return m.overlap.exposed_s; }},
      {"/overlap/share", no_column, [](Report, Row m) { return m.overlap.share(); }},
      {"/overlap/rank", no_column, [](Report, Row m) { return m.overlap.rank; }},
      {"/overlap/limited_by", free_text("overlap_limited_by"), [](Report, Row m) { return m.overlap.limit; }},
      {"/compute_threads", no_column, [](Report, Row m) { return m.compute_threads; }},
      {"/alpha", no_column, alpha_json},
      {"/alpha_missing_because", no_column, [](Report r, Row m) { return alpha_of(r, m).why_not; }},
      {"/phases", no_column, [](Report, Row m) { return phases_json(m); }},
      {"/rows_wrong", plain("rows_wrong"), [](Report, Row m) { return m.rows_wrong; }},
      {"/verified", plain("verified"), [](Report, Row m) { return m.verified; }},
      {"/worst_error_over_bound", no_column, [](Report, Row m) { return m.worst_ratio; }},
      {not_in_json, free_text("format_options"), [](Report r) { return describe(r.tuning.decision.options); }},
      {"/tuning/automatic", plain("tuned"), [](Report r) { return r.tuning.automatic; }},
      {"/tuning/products", no_column, [](Report r) { return r.tuning.products; }},
      {"/tuning/hint", no_column, [](Report r) { return r.tuning.hint; }},
      {"/tuning/tuning_s", plain("tuning_s"), [](Report r) { return r.tuning.seconds; }},
      {"/tuning/cost_in_products", plain("tuning_products"), [](Report r) { return r.tuning.cost_in_products; }},
      {"/tuning/interior", no_column, [](Report r) { return decision_json(r.tuning.decision); }},
      {"/tuning/boundary", no_column, [](Report r) { return value_if(!r.tuning.boundary_decision.format.empty(), decision_json(r.tuning.boundary_decision)); }},
      {not_in_json, free_text("tuning_reason"), [](Report r) { return r.tuning.decision.reason; }},
      {"/transport_choice", no_column, [](Report r) { return transport_json(r.transport_choice); }},
      {"/queued_exchange_choice", no_column, [](Report r) { return value_if(!r.queued_exchange_choice.name.empty(), transport_json(r.queued_exchange_choice)); }},
      {not_in_json, free_text("transport_reason"), [](Report r) { return r.transport_choice.reason; }},
      {not_in_json, free_text("transports_tried"), transports_words},
      {"/incomplete", free_text("incomplete"), [](Top r) { return r.incomplete; }},
      {"/environment/date", plain("date"), [](Top r) { return r.date; }},
      {"/environment/command_line", free_text("command_line"), [](Top r) { return r.command_line; }},
      {"/environment/versions", free_text("versions"), [](Top r) { return r.versions; }},
      {"/environment/places", no_column, [](Top r) { return r.places; }},
      {not_in_json, free_text("places"), [](Report r) { return fmt::format("{}", fmt::join(r.places, "; ")); }},
      {not_in_json, free_text("sharing"), sharing_line},
      {"/environment/commit", no_column, [](Top r) { return r.environment.commit; }},
      {"/environment/compiler", no_column, [](Top r) { return r.environment.compiler; }},
      {"/environment/cuda", no_column, [](Top r) { return r.environment.cuda; }},
      {"/environment/driver", no_column, [](Top r) { return r.environment.driver; }},
      {"/environment/mpi", no_column, [](Top r) { return r.environment.mpi; }},
      {"/environment/launcher", no_column, [](Top r) { return r.environment.launcher; }},
      {"/environment/hosts", no_column, [](Top r) { return r.environment.hosts; }},
      {"/environment/binding", no_column, [](Top r) { return r.environment.binding; }},
      {"/environment/gpus", no_column, gpus_json},
      {"/environment/shared_gpus", no_column, shared_gpus_json},
      {"/environment/shared_cores", no_column, shared_cores_json},
  };
  return table;
}

void put(Json& json, const Field& field, Json value) {
  if (*field.path != '\0' && !value.is_discarded()) json[Json::json_pointer(field.path)] = std::move(value);
}

Json head_json(const RunHead& head) {
  Json json;
  for (const char* first : {"schema", "incomplete", "environment", "matrix", "setup"}) json[first] = nullptr;
  for (const Field& field : fields())
    if (field.of_head) put(json, field, field.of_head(head));
  return json;
}

}  // namespace spmv
