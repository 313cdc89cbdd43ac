#include "app/report/dos_report.hpp"

#include <fmt/format.h>

#include "app/report/version.hpp"
#include "app/report/wrap.hpp"

namespace spmv {
namespace {

constexpr double us_of_s = 1e6;

/// The area of the error band: the density itself has the area 1.
double area_of_error(const Density& density) {
  double area = 0;
  for (std::size_t k = 1; k < density.error.size(); ++k)
    area += (density.energy[k] - density.energy[k - 1]) * (density.error[k] + density.error[k - 1]) / 2;
  return area;
}

std::string dos_row(const DosOutlook& o, const Density& density) {
  const std::string name = fmt::format("{:<7} {:<11}", o.mode, o.transport.empty() ? "-" : o.transport);
  if (!o.refused.empty()) return wrapped(name + " ", o.refused);
  // On a machine that others use, parts that are measured alone may take longer than the step.
  const std::string vectors = o.vectors_s() < 0 ? "-" : fmt::format("{:.2f}", o.vectors_s() * us_of_s);
  const std::string error = density.error.empty() ? "-" : fmt::format("{:.2e}", area_of_error(density));
  return fmt::format("{} {:>10.2f} {:>10.2f} {:>9} {:>9.2f} {:>8} {:>8} {:>9} {:>9.6f} {:>9}\n", name,
                     o.a_step_s() * us_of_s, o.product_s * us_of_s, vectors, o.sums_s * us_of_s,
                     o.moments.of_vector.front().size(), o.moments.of_vector.size(), o.moments.products,
                     density.integral, error);
}

Json dos_outlook_json(const DosOutlook& o) {
  Json json = {{"mode", o.mode}, {"transport", o.transport}};
  if (!o.refused.empty()) {
    json["refused"] = o.refused;
    return json;
  }
  json["format"] = o.format;
  json["sums_transport"] = o.sums_transport;
  json["bounds"] = {o.moments.range.bounds.low, o.moments.range.bounds.high};
  json["bounds_from"] = o.moments.range.from;
  json["products"] = o.moments.products;
  json["seconds"] = o.seconds;
  json["seconds_per_step"] = o.a_step_s();
  json["product_s"] = o.product_s;
  json["sums_s"] = o.sums_s;
  json["vectors_s"] = o.vectors_s();
  json["moments"] = o.moments.of_vector;
  return json;
}

}  // namespace

std::string to_text(const DosReport& r) {
  std::string text = matrix_lines(r);
  text +=
      fmt::format("{} rank{}, backend {}, seed {}\n", r.ranks, r.ranks == 1 ? "" : "s", r.backend, r.seed);
  for (const DosOutlook& o : r.outlooks) {
    if (!o.refused.empty()) continue;
    text += fmt::format("spectrum within {}, {}\n", to_text(o.moments.range.bounds), o.moments.range.from);
    break;
  }
  text += fmt::format("\n{:<7} {:<11} {:>10} {:>10} {:>9} {:>9} {:>8} {:>8} {:>9} {:>9} {:>9}\n", "mode",
                      "transport", "us / step", "product", "vectors", "sums", "moments", "starts", "products",
                      "integral", "error");
  for (const DosOutlook& o : r.outlooks) text += dos_row(o, r.density);
  return text;
}

std::string to_json(const DosReport& r) {
  Json json = {
      {"schema", results_schema}, {"matrix", matrix_json(r)}, {"ranks", r.ranks}, {"backend", r.backend}};
  json["seed"] = r.seed;
  json["load_s"] = r.load_s;
  json["setup_s"] = r.setup_s;
  json["modes"] = Json::array();
  for (const DosOutlook& o : r.outlooks) json["modes"].push_back(dos_outlook_json(o));
  json["integral"] = r.density.integral;
  json["energy"] = r.density.energy;
  json["density"] = r.density.density;
  json["error"] = r.density.error;
  return text_of(json, 1);
}

std::string to_csv(const DosReport& r) {
  const Density& d = r.density;
  std::string text = d.error.empty() ? "energy,density\n" : "energy,density,error\n";
  for (std::size_t k = 0; k < d.energy.size(); ++k) {
    text += fmt::format("{:.12g},{:.12g}", d.energy[k], d.density[k]);
    text += d.error.empty() ? "\n" : fmt::format(",{:.12g}\n", d.error[k]);
  }
  return text;
}

}  // namespace spmv
