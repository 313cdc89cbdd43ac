#include "kernels/tune/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/pick.hpp"
#include "core/value_types.hpp"
#include "kernels/rows/rows.hpp"

namespace spmv {
namespace {

using Variants = std::vector<FormatOptions>;

/// Table row: a format, and with which options it is a candidate for a block; with none, it is not one.
struct Rule {
  const char* format;
  Variants (*variants)(const Analysis&, const CandidateRequest&, const Device&);
  OptionNames launched;  // tunable on CUDA, and known to kernels alone: the arrays are the same
  OptionNames built;     // tunable on CUDA, and seen in the arrays
  OptionNames host_tunable;
  /// The format that this one is but for arrays that are shorter where the block allows it; nullptr: none.
  const char* unpacked = nullptr;
};

/// Whether packing makes the product's bytes enough fewer to be worth what unpacking takes.
template <class T>
bool packs_enough(const char* unpacked, const Cost& packed, const FormatOptions& options, const Analysis& a) {
  constexpr double enough = 0.95;
  const Cost plain = pick(formats<T>(), unpacked, "format").cost(a, options);
  return packed.moved_bytes <= enough * plain.moved_bytes;
}

Variants always(const Analysis&, const CandidateRequest& request, const Device&) {
  return {request.options};
}

/// On skewed rows of a square block also with popular columns first, if they are too many for a cache.
Variants by_popularity(const Analysis& a, const CandidateRequest& request, const Device& device) {
  Variants variants = {request.options};
  const bool skewed = a.length_sigma > a.mean_length && a.rows == a.cols;
  if (!skewed || device.runs_host_code || contains(request.fixed, "popular_first")) return variants;
  variants.push_back(request.options);
  variants.back().popular_first = true;
  return variants;
}

double padded_rows(const Analysis& a) {
  return std::ceil(static_cast<double>(a.rows) / warp_size) * warp_size;
}

/// Where rows padded to the longest are no more than `most` times the nonzeros.
Variants if_padding_below(double most, const Analysis& a, const CandidateRequest& request) {
  if (padded_rows(a) * a.longest > most * static_cast<double>(a.nonzeros)) return {};
  return {request.options};
}

/// On a host pellr, whose columns are those of ellpack_r, was as fast or faster wherever it was compared, and is built as soon.
Variants if_of_one_length(const Analysis& a, const CandidateRequest& request, const Device& device) {
  return device.runs_host_code ? Variants{} : if_padding_below(1.2, a, request);
}

/// What no GPU has been seen to multiply fastest.
Variants on_hosts(const Analysis&, const CandidateRequest& request, const Device& device) {
  return device.runs_host_code ? Variants{request.options} : Variants{};
}

Variants if_not_too_wide(const Analysis& a, const CandidateRequest& request, const Device&) {
  return if_padding_below(2, a, request);
}

/// On a host their rows are multiplied as those of csr.
Variants if_short(const Analysis& a, const CandidateRequest& request, const Device& device) {
  return a.mean_length <= 8 && !device.runs_host_code ? Variants{request.options} : Variants{};
}

Variants if_mixed(const Analysis& a, const CandidateRequest& request, const Device&) {
  return a.length_sigma > 0.3 * a.mean_length ? Variants{request.options} : Variants{};
}

/// sigma of 1, 1024 and all rows, each only if it leaves a few per cent of iterations less than those before.
Variants sorting_windows(const Analysis& a, const CandidateRequest& request, const Device&) {
  if (contains(request.fixed, "sigma")) return {request.options};
  constexpr double worth_sorting = 0.97;
  Variants variants;
  double least = 0;
  for (const lidx sigma : {lidx{1}, lidx{1024}, a.rows}) {
    const auto iterations = static_cast<double>(a.iterations(sigma));
    if (!variants.empty() && iterations > worth_sorting * least) continue;
    least = iterations;
    variants.push_back(request.options);
    variants.back().sigma = sigma;
  }
  return variants;
}

/// On a host rows are soon sorted, and what the ends of unlike rows cost there no prediction tells: where sorting helps, it
/// is done, in calibrations, too, which would learn from idle lanes what is not true of others.
Variants sorted_on_hosts(Variants variants, const Device& device) {
  if (device.runs_host_code && variants.size() > 1) variants.erase(variants.begin());
  return variants;
}

Variants windows_sorted_on_hosts(const Analysis& a, const CandidateRequest& request, const Device& device) {
  return sorted_on_hosts(sorting_windows(a, request, device), device);
}

/// Rows that are sorted have their diagonals no longer.
Variants windows_that_keep_diagonals(const Analysis& a, const CandidateRequest& request,
                                     const Device& device) {
  Variants variants = sorting_windows(a, request, device);
  constexpr double most_of_all = 0.5;
  if (a.share(ColumnKind::diagonals) > most_of_all && !variants.empty()) variants.resize(1);
  return sorted_on_hosts(std::move(variants), device);
}

/// With the threads that suit the mean row: others need the same arrays, and are tried as options. A calibration sees half and
/// twice as many, too, and so does not take what suits its own few patterns for a rule. On a host there is no difference to csr.
Variants with_threads_of_the_mean_row(const Analysis& a, const CandidateRequest& request,
                                      const Device& device) {
  if (device.runs_host_code) return {};
  Variants variants = {request.options};
  if (!request.calibrates) return variants;
  const int usual = csr_vector_threads_per_row(a.rows, a.nonzeros, request.options);
  for (const int threads : {usual / 2, usual * 2}) {
    if (threads < 2 || threads > 32) continue;
    variants.push_back(request.options);
    variants.back().threads_per_row = threads;
  }
  return variants;
}

/// Where dense blocks were looked for.
Variants sorting_windows_of_blocks(const Analysis& a, const CandidateRequest& request, const Device& device) {
  return a.block_covers.empty() ? Variants{} : sorting_windows(a, request, device);
}

const std::vector<Rule>& rules() {
  static const OptionNames rows = {"threads_per_row", "threads_per_block"};
  static const OptionNames columns = {"threads_per_row", "threads_per_block", "unroll"};
  static const OptionNames slices = {"chunk_rows"};
  static const std::vector<Rule> table = {
      {"csr", by_popularity, {}, {}, {}},
      {"csr_packed", by_popularity, {}, {}, {}, "csr"},
      {"csr_scalar", if_short, {"threads_per_block"}, {}, {}},
      {"csr_vector", with_threads_of_the_mean_row, rows, {}, {}},
      {"ellpack", if_of_one_length, columns, {}, {}},
      {"sell", windows_sorted_on_hosts, columns, slices, slices},
      {"pjds", always, columns, {}, {}},
      {"jad", on_hosts, {}, {}, {}},
      {"bijad", on_hosts, {}, {}, {}},
      {"pellr", if_not_too_wide, columns, {}, {}},
      // Slices are grouped for one thread a row.
      {"sell_packed", windows_that_keep_diagonals, {"threads_per_block"}, {"threads_per_row"}, {}, "sell"},
      {"sell_blocked", sorting_windows_of_blocks, rows, {}, {}},
      {"biell", if_mixed, {}, {}, {}},
  };
  return table;
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
  std::vector<Candidate> candidates;
  for (const Rule& rule : rules()) {
    const Format<T>& format = pick(formats<T>(), rule.format, "format");
    if (!why_unusable(format, backend).empty()) continue;
    for (const FormatOptions& options : rule.variants(analysis, request, device)) {
      const Cost cost = format.cost(analysis, options);
      const bool hinted = contains(first, format.name);
      const bool must_pack = rule.unpacked != nullptr && !hinted && !request.calibrates;
      if (must_pack && !packs_enough<T>(rule.unpacked, cost, options, analysis)) continue;
      candidates.push_back(
          {format.name, options, cost, predict(format, cost, options, analysis, device), hinted});
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
  OptionNames names;
  for (const Rule& rule : rules()) {
    if (format != rule.format) continue;
    names = runs_host_code ? rule.host_tunable : rule.launched;
    if (!runs_host_code) names.insert(names.end(), rule.built.begin(), rule.built.end());
  }
  return names;
}

bool need_the_same_arrays(const std::string& format, const FormatOptions& a, const FormatOptions& b) {
  const auto rule =
      std::find_if(rules().begin(), rules().end(), [&](const Rule& r) { return r.format == format; });
  return std::all_of(option_fields().begin(), option_fields().end(), [&](const OptionField& field) {
    return field.get(a) == field.get(b) || (rule != rules().end() && contains(rule->launched, field.name));
  });
}

SPMV_INSTANTIATE(make_candidates);

}  // namespace spmv
