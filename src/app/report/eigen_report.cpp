#include "app/report/eigen_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/report/fields.hpp"
#include "app/report/wrap.hpp"

namespace spmv {
namespace {

std::string row(const EigenOutlook& o) {
  const std::string name = columns_of(o);
  if (!o.refused.empty()) return refused_line(name, o);
  std::string text = fmt::format("{} {:>9} {:>9} {:>9.3f}  {}\n", name, o.products, o.restarts, o.seconds,
                                 to_string(o.stop));
  if (!o.reason.empty()) text += wrapped("    ", o.reason);
  return text;
}

std::string pairs(const EigenOutlook& o) {
  std::string text = fmt::format("\n{:>24}   |A v - lambda v|\n", "eigenvalue");
  for (std::size_t i = 0; i < o.values.size(); ++i)
    text += fmt::format("{:>24.15g}   {:.2e}\n", o.values[i], o.residuals[i]);
  text +=
      fmt::format("|A| is {:.4g}. An eigenvalue of A is within |A v - lambda v| of each number.\n", o.norm);
  return text;
}

Json outlook_json(const EigenOutlook& o) {
  Json json;
  add_facts(json, o);
  if (!o.refused.empty()) return json;
  json["stop"] = to_string(o.stop);
  json["reason"] = o.reason;
  json["eigenvalues"] = o.values;
  json["residuals"] = o.residuals;
  json["norm"] = o.norm;
  json["subspace"] = o.subspace;
  json["products"] = o.products;
  json["restarts"] = o.restarts;
  json["seconds"] = o.seconds;
  json["seconds_per_step"] = o.a_step_s();
  json["product_s"] = o.product_s;
  json["sums_s"] = o.sums_s;
  json["vectors_s"] = o.vectors_s();
  json["history"] = o.history;
  return json;
}

}  // namespace

bool EigenReport::converged() const {
  return std::all_of(outlooks.begin(), outlooks.end(),
                     [](const EigenOutlook& o) { return !o.refused.empty() || o.stop == Stop::converged; });
}

std::string to_text(const EigenReport& r) {
  std::string text = head_lines(r);
  text += paragraph("wanted", fmt::format("{} {} eigenvalue{}, tolerance {:.1e} of |A|", r.count, r.which,
                                          r.count == 1 ? "" : "s", r.tolerance));
  if (r.block > 1) text += paragraph("search", fmt::format("by blocks of {} vectors", r.block));
  if (r.preconditioner != "none") text += paragraph("M", r.preconditioner);
  text += "\n";
  text += fmt::format("{:<7} {:<11} {:>9} {:>9} {:>9}  {}\n", "mode", "transport", "products", "restarts",
                      "seconds", "stop");
  for (const EigenOutlook& o : r.outlooks) text += row(o);
  text += step_table(r.outlooks);
  const auto shown = std::find_if(r.outlooks.begin(), r.outlooks.end(),
                                  [](const EigenOutlook& o) { return !o.values.empty(); });
  if (shown != r.outlooks.end()) text += pairs(*shown);
  return text + end_lines(r, r.outlooks);
}

std::string to_json(const EigenReport& r) {
  Json json = head_json(r);
  json["count"] = r.count;
  json["which"] = r.which;
  json["block"] = r.block;
  json["preconditioner"] = r.preconditioner;
  json["tolerance"] = r.tolerance;
  json["start_seed"] = r.start_seed;
  json["times"] = r.times;
  json["searches"] = Json::array();
  for (const EigenOutlook& o : r.outlooks) json["searches"].push_back(outlook_json(o));
  json["vector_files"] = r.vector_files;
  return text_of(json, 1);
}

}  // namespace spmv
