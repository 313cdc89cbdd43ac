#include "app/report/eigen_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/report/version.hpp"
#include "app/report/wrap.hpp"

namespace spmv {
namespace {

constexpr double us = 1e6;

std::string row(const EigenOutlook& o) {
  const std::string name = fmt::format("{:<7} {:<11}", o.mode, o.transport.empty() ? "-" : o.transport);
  if (!o.refused.empty()) return wrapped(name + " ", o.refused);
  // On a machine that others use, parts that are measured alone may take longer than the whole.
  // They are not measured where a signal ended the command.
  const auto part = [&](double seconds) {
    return o.product_s == 0 || seconds < 0 ? "-" : fmt::format("{:.2f}", seconds * us);
  };
  std::string text = fmt::format("{} {:>10.2f} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9.3f}  {}\n", name,
                                 o.a_step_s() * us, part(o.product_s), part(o.vectors_s()), part(o.sums_s),
                                 o.products, o.restarts, o.seconds, to_string(o.stop));
  if (!o.reason.empty()) text += wrapped("    ", o.reason);
  return text;
}

std::string pairs(const EigenOutlook& o) {
  std::string text = fmt::format("\n{:>24}   |A v - lambda v|\n", "eigenvalue");
  for (std::size_t i = 0; i < o.values.size(); ++i)
    text += fmt::format("{:>24.15g}   {:.2e}\n", o.values[i], o.residuals[i]);
  return text;
}

Json outlook_json(const EigenOutlook& o) {
  Json json = {{"mode", o.mode}};
  if (!o.refused.empty()) {
    json["refused"] = o.refused;
    return json;
  }
  json["layout"] = o.layout;
  json["format"] = o.format;
  json["transport"] = o.transport;
  json["sums_transport"] = o.sums_transport;
  json["stop"] = to_string(o.stop);
  json["reason"] = o.reason;
  json["eigenvalues"] = o.values;
  json["residuals"] = o.residuals;
  json["norm"] = o.norm;
  json["basis"] = o.basis;
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
  std::string text = matrix_lines(r);
  text +=
      fmt::format("{} rank{}, backend {}, {} {} eigenvalue{}, tolerance {:.1e}\n\n", r.ranks,
                  r.ranks == 1 ? "" : "s", r.backend, r.count, r.which, r.count == 1 ? "" : "s", r.tolerance);
  text += fmt::format("{:<7} {:<11} {:>10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  {}\n", "mode", "transport",
                      "us / step", "product", "vectors", "sums", "products", "restarts", "seconds", "stop");
  for (const EigenOutlook& o : r.outlooks) text += row(o);
  const auto shown = std::find_if(r.outlooks.begin(), r.outlooks.end(),
                                  [](const EigenOutlook& o) { return !o.values.empty(); });
  if (shown != r.outlooks.end()) text += pairs(*shown);
  if (!r.incomplete.empty()) text += wrapped("", fmt::format("INCOMPLETE: {}.", r.incomplete));
  return text;
}

std::string to_json(const EigenReport& r) {
  Json json = {
      {"schema", results_schema}, {"matrix", matrix_json(r)}, {"ranks", r.ranks}, {"backend", r.backend}};
  json["incomplete"] = r.incomplete;
  json["count"] = r.count;
  json["which"] = r.which;
  json["tolerance"] = r.tolerance;
  json["times"] = r.times;
  json["load_s"] = r.load_s;
  json["setup_s"] = r.setup_s;
  json["searches"] = Json::array();
  for (const EigenOutlook& o : r.outlooks) json["searches"].push_back(outlook_json(o));
  return text_of(json, 1);
}

}  // namespace spmv
