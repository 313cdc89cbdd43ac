#include "app/report/solve_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/report/fields.hpp"
#include "app/report/wrap.hpp"

namespace spmv {
namespace {

std::string row(const SolveOutlook& o) {
  const std::string name = fmt::format("{:<14} {}", o.solver, columns_of(o));
  if (!o.refused.empty()) return refused_line(name, o);
  const SolveResult& r = o.result;
  const auto part = [&](double seconds) { return us_or_dash(seconds, o.product_s > 0); };
  const std::string limit = o.limit();
  std::string text = fmt::format(
      "{} {:>10} {:>10} {:>10} {:>9} {:>9} {:>9} {:>9} {:<8} {:>10} {:>10.2e} {:>10}  {}\n", name,
      us_or_dash(o.an_iteration_s, o.an_iteration_s > 0), us_or_dash(o.slowest_s, o.an_iteration_s > 0),
      part(o.product_s), part(o.vectors_s()), part(o.sums_s), part(o.bound_s()),
      o.product_s > 0 ? fmt::format("{:.3g}", o.bytes * 1e-6) : "-", limit.empty() ? "-" : limit,
      r.iterations, r.residual, o.error < 0 ? "-" : fmt::format("{:.2e}", o.error), to_string(r.stop));
  if (!r.reason.empty()) text += wrapped("    ", r.reason);
  return text;
}

Json or_null(double value, bool measured) {
  return measured ? Json(value) : Json();
}

Json outlook_json(const SolveOutlook& o) {
  Json json = {{"solver", o.solver}};
  add_facts(json, o);
  if (!o.refused.empty()) return json;
  const SolveResult& r = o.result;
  json["stop"] = to_string(r.stop);
  json["reason"] = r.reason;
  json["iterations"] = r.iterations;
  json["restarts"] = r.restarts;
  json["residual"] = r.residual;
  if (o.error >= 0) json["error"] = o.error;
  json["times"] = o.times;
  const bool iterated = o.an_iteration_s > 0, parts = o.product_s > 0;
  json["seconds_per_iteration"] = or_null(o.an_iteration_s, iterated);
  json["slowest_seconds_per_iteration"] = or_null(o.slowest_s, iterated);
  json["product_s"] = or_null(o.product_s, parts);
  json["sums_s"] = or_null(o.sums_s, parts);
  json["vectors_s"] = or_null(o.vectors_s(), parts);
  json["bytes"] = or_null(o.bytes, parts);
  json["bound_s"] = or_null(o.bound_s(), parts);
  json["limit"] = o.limit();
  json["history"] = r.history;
  return json;
}

}  // namespace

const char* SolveOutlook::limit() const {
  if (product_s == 0) return "";
  constexpr double near_bound = 0.8;
  if (bound_s() >= near_bound * an_iteration_s) return "memory";
  const double product = product_s - product_bound_s, vectors = vectors_s() - vectors_bound_s;
  if (product >= std::max(vectors, sums_s)) return "product";
  return vectors >= sums_s ? "vectors" : "sums";
}

bool SolveReport::solved() const {
  return std::all_of(outlooks.begin(), outlooks.end(), [](const SolveOutlook& o) {
    return !o.refused.empty() || o.result.stop == Stop::converged;
  });
}

std::string to_text(const SolveReport& r) {
  std::string text = head_lines(r);
  text +=
      paragraph("system", fmt::format("preconditioner {}, tolerance {:.1e}", r.preconditioner, r.tolerance));
  text += "\n";
  text += fmt::format(
      "{:<14} {:<7} {:<11} {:>10} {:>10} {:>10} {:>9} {:>9} {:>9} {:>9} {:<8} {:>10} {:>10} {:>10}  {}\n",
      "solver", "mode", "transport", "us / iter.", "slowest", "product", "vectors", "sums", "bound", "MB",
      "limit", "iterations", "residual", "error", "stop");
  for (const SolveOutlook& o : r.outlooks) text += row(o);
  return text + end_lines(r, r.outlooks);
}

std::string to_json(const SolveReport& r) {
  Json json = head_json(r);
  json["preconditioner"] = r.preconditioner;
  json["tolerance"] = r.tolerance;
  json["solvers"] = Json::array();
  for (const SolveOutlook& o : r.outlooks) json["solvers"].push_back(outlook_json(o));
  return text_of(json, 1);
}

}  // namespace spmv
