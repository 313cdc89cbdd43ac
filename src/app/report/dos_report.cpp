#include "app/report/dos_report.hpp"

#include <fmt/format.h>

#include "app/report/fields.hpp"

namespace spmv {
namespace {

/// The area of the error band: the density itself has the area 1.
double area_of_error(const Density& density) {
  double area = 0;
  for (std::size_t k = 1; k < density.error.size(); ++k)
    area += (density.energy[k] - density.energy[k - 1]) * (density.error[k] + density.error[k - 1]) / 2;
  return area;
}

/// Moments that every start vector has.
std::size_t moments_of(const DosOutlook& o) {
  return o.moments.of_vector.empty() ? 0 : o.moments.of_vector.front().size();
}

/// The width of the peak that an eigenvalue in the middle of the bounds becomes.
std::string resolution_line(const DosOutlook& o) {
  if (moments_of(o) == 0) return {};
  constexpr double pi = 3.14159265358979323846;
  return paragraph("resolution",
                   fmt::format("{:.3g} in energy: pi times half the width of the bounds over the moments",
                               pi * o.moments.range.half_width() / static_cast<double>(moments_of(o))));
}

std::string dos_row(const DosOutlook& o, const Density& density) {
  const std::string name = columns_of(o);
  if (!o.refused.empty()) return refused_line(name, o);
  const std::string error = density.error.empty() ? "-" : fmt::format("{:.2e}", area_of_error(density));
  return fmt::format("{} {:>8} {:>8} {:>9} {:>9.6f} {:>9}\n", name, moments_of(o), o.moments.of_vector.size(),
                     o.moments.products, density.integral, error);
}

Json dos_outlook_json(const DosOutlook& o) {
  Json json;
  add_facts(json, o);
  if (!o.refused.empty()) return json;
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

void DosReport::keep_first_density(int energies) {
  if (!density.energy.empty() || outlooks.back().moments.of_vector.empty()) return;
  density_of = outlooks.size() - 1;
  density = density_of_states(outlooks.back().moments, energies);
}

std::string DosReport::basis_of_density() const {
  if (density.energy.empty()) return "there is no density yet";
  const DosOutlook& o = outlooks[density_of];
  std::string words =
      fmt::format("the density stands on {} of {} start vectors", o.moments.of_vector.size(), vectors);
  if (moments_of(o) < static_cast<std::size_t>(moments))
    words += fmt::format(", and on {} of its {} moments", moments_of(o), moments);
  return words;
}

std::string to_text(const DosReport& r) {
  std::string text = head_lines(r);
  for (const DosOutlook& o : r.outlooks) {
    if (!o.refused.empty()) continue;
    text += paragraph("spectrum", fmt::format("within {}, {}; start seed {}", to_text(o.moments.range.bounds),
                                              o.moments.range.from, r.start_seed));
    text += resolution_line(o);
    if (r.columns > 1)
      text += paragraph(
          "starts",
          fmt::format(
              "{}, {} at a time: a product and a step are of all of these, but for the estimate of the bounds",
              r.vectors, r.columns));
    break;
  }
  text += fmt::format("\n{:<7} {:<11} {:>8} {:>8} {:>9} {:>9} {:>9}\n", "mode", "transport", "moments",
                      "starts", "products", "integral", "error");
  for (const DosOutlook& o : r.outlooks) text += dos_row(o, r.density);
  text += step_table(r.outlooks);
  return text + end_lines(r, r.outlooks);
}

std::string to_json(const DosReport& r) {
  Json json = head_json(r);
  json["moments"] = r.moments;
  json["vectors"] = r.vectors;
  json["vectors_together"] = r.columns;
  json["start_seed"] = r.start_seed;
  json["modes"] = Json::array();
  for (const DosOutlook& o : r.outlooks) json["modes"].push_back(dos_outlook_json(o));
  json["integral"] = r.density.integral;
  json["energy"] = r.density.energy;
  json["density"] = r.density.density;
  json["error"] = r.density.error;
  return text_of(json, 1);
}

bool has_table(const DosReport& r) {
  return !r.density.energy.empty();
}

std::string to_csv(const DosReport& r) {
  const Density& d = r.density;
  const int digits = d.energy.empty() ? 12 : digits_within({d.energy.front(), d.energy.back()}, 12);
  std::string text = d.error.empty() ? "energy,density\n" : "energy,density,error\n";
  for (std::size_t k = 0; k < d.energy.size(); ++k) {
    text += fmt::format("{:.{}g},{:.12g}", d.energy[k], digits, d.density[k]);
    text += d.error.empty() ? "\n" : fmt::format(",{:.12g}\n", d.error[k]);
  }
  return text;
}

}  // namespace spmv
