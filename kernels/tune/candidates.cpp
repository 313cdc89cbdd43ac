#include "kernels/tune/candidates.hpp"

#include <algorithm>

#include "core/pick.hpp"
#include "core/value_types.hpp"
#include "kernels/format.hpp"

namespace spmv {
namespace {

/// Whether packing makes the bytes of a product with k columns enough fewer to be worth the unpacking.
template <class T>
bool packs_enough(const FormatModel& model, const Cost& packed, const FormatOptions& options,
                  const Analysis& a, int k) {
  constexpr double enough = 0.95;
  const bool together = pick(formats<T>(), model.unpacked, "format").columns;
  return packed.moved_bytes <=
         enough * for_columns(cost_of(model.unpacked, a, options), k, together, a).moved_bytes;
}

/// The format's row; of other names nothing can be tuned.
const FormatModel& tunable_model(const std::string& format) {
  static const FormatModel none{};
  const std::vector<FormatModel>& all = format_models();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const FormatModel& m) { return format == m.name; });
  return found == all.end() ? none : *found;
}

}  // namespace

const std::vector<Hint>& hints() {
  static const std::vector<Hint> table = {
      {"fem", "several unknowns per node: dense blocks", {"sell_blocked", "sell_packed", "pjds"}},
      {"graph", "few long rows among many short ones", {"csr_packed", "csr", "biell"}},
      {"banded", "diagonals, stencils", {"sell_packed", "ellpack"}},
      {"regular", "rows of like length, columns anywhere", {"sell", "pjds", "csr_vector"}},
      {"dense", "few long rows", {"csr_vector", "csr_packed", "csr"}},
  };
  return table;
}

template <class T>
std::vector<Candidate> make_candidates(const Analysis& analysis, const CandidateRequest& request,
                                       const Backend& backend, const Device& device) {
  const OptionNames first =
      request.hint.empty() ? OptionNames{} : pick(hints(), request.hint, "hint").formats;
  const int k = request.columns;
  std::vector<Candidate> candidates;
  for (const FormatModel& model : format_models()) {
    if (model.variants == nullptr) continue;
    const Format<T>& format = pick(formats<T>(), model.name, "format");
    if (!why_unusable(format, backend).empty()) continue;
    const double sums_s = request.sums && !format.sums ? seconds_of_sums(analysis, device) : 0;
    for (const FormatOptions& options : model.variants(analysis, request, device)) {
      const Cost one = model.cost(analysis, options);
      const Cost all = for_columns(one, k, format.columns, analysis);
      const bool hinted = contains(first, model.name);
      const bool must_pack = model.unpacked != nullptr && !hinted && !request.calibrates;
      if (must_pack && !packs_enough<T>(model, all, options, analysis, k)) continue;
      Prediction predicted = for_columns(predict(model.name, one, options, analysis, device), k,
                                         format.columns, analysis, device);
      predicted.seconds += sums_s;
      predicted.at_least += sums_s;
      candidates.push_back({model.name, options, all, predicted, hinted});
    }
  }
  // Of a format's variants the one predicted best is as early as the hint says.
  const auto place = [&](const Candidate& c) {
    return std::find(first.begin(), first.end(), c.format) - first.begin();
  };
  std::stable_sort(candidates.begin() + 1, candidates.end(), [&](const Candidate& a, const Candidate& b) {
    return place(a) != place(b) ? place(a) < place(b) : a.predicted.seconds < b.predicted.seconds;
  });
  return candidates;
}

OptionNames tunable_options(const std::string& format, bool runs_host_code) {
  const FormatModel& model = tunable_model(format);
  if (runs_host_code) return model.host_tunable;
  OptionNames names = model.launched;
  names.insert(names.end(), model.built.begin(), model.built.end());
  return names;
}

bool need_the_same_arrays(const std::string& format, const FormatOptions& a, const FormatOptions& b) {
  const FormatModel& model = tunable_model(format);
  return std::all_of(option_fields().begin(), option_fields().end(), [&](const OptionField& field) {
    return field.get(a) == field.get(b) || contains(model.launched, field.name);
  });
}

SPMV_INSTANTIATE(make_candidates);

}  // namespace spmv
