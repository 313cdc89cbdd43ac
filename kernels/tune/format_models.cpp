#include "kernels/tune/format_models.hpp"

#include <cmath>
#include <utility>

#include "core/pick.hpp"
#include "kernels/parts/row_threads.hpp"

namespace spmv {
namespace {

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

/// On a host pellr, whose columns are those of ellpack_r, is as fast and built as quickly.
Variants if_of_one_length(const Analysis& a, const CandidateRequest& request, const Device& device) {
  return device.runs_host_code ? Variants{} : if_padding_below(1.2, a, request);
}

/// Formats that are not the fastest on GPUs.
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

/// sigma of 1, 1024 and all rows, each only if it saves a few per cent of the iterations of those before.
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

/// On a host rows are sorted quickly, and predictions do not know what the ends of rows of different lengths cost there. So
/// rows are sorted wherever that helps. This holds for calibrations, too, which would otherwise learn a wrong cost of
/// iterations from idle lanes.
Variants sorted_on_hosts(Variants variants, const Device& device) {
  if (device.runs_host_code && variants.size() > 1) variants.erase(variants.begin());
  return variants;
}

Variants windows_sorted_on_hosts(const Analysis& a, const CandidateRequest& request, const Device& device) {
  return sorted_on_hosts(sorting_windows(a, request, device), device);
}

/// Sorting rows breaks up their diagonals.
Variants windows_that_keep_diagonals(const Analysis& a, const CandidateRequest& request,
                                     const Device& device) {
  Variants variants = sorting_windows(a, request, device);
  constexpr double most_of_all = 0.5;
  if (a.share(ColumnKind::diagonals) > most_of_all && !variants.empty()) variants.resize(1);
  return sorted_on_hosts(std::move(variants), device);
}

/// With the threads that suit the mean row: other numbers need the same arrays, and are tried as options. A calibration sees
/// half and twice as many, too, so that it does not generalize from its few patterns. On a host the loops are those of csr.
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

}  // namespace

const std::vector<FormatModel>& format_models() {
  using enum HostLoop;
  static const OptionNames rows = {"threads_per_row", "threads_per_block"};
  static const OptionNames columns = {"threads_per_row", "threads_per_block", "unroll"};
  static const OptionNames slices = {"chunk_rows"};
  static const std::vector<FormatModel> table = {
      {"csr", costs::csr, Sorts::by_popularity, of_csr, by_popularity},
      {"csr_packed", costs::csr_packed, Sorts::by_popularity, by_row, by_popularity, {}, {}, {}, "csr"},
      {"csr_scalar", costs::csr_scalar, Sorts::no, of_csr, if_short, {"threads_per_block"}},
      {"csr_vector", costs::csr_vector, Sorts::no, of_csr, with_threads_of_the_mean_row, rows},
      {"ellpack", costs::ellpack, Sorts::no, by_slice, if_of_one_length, columns},
      {"sell", costs::sell, Sorts::by_sigma, by_slice, windows_sorted_on_hosts, columns, slices, slices},
      {"pjds", costs::pjds, Sorts::yes, by_slice, always, columns},
      {"jad", costs::jad, Sorts::yes, by_slice, on_hosts},
      {"bijad", costs::bijad, Sorts::yes, by_slice, on_hosts},
      {"pellr", costs::pellr, Sorts::yes, by_slice, if_not_too_wide, columns},
      // Slices are grouped for one thread a row: threads_per_row is seen in the arrays.
      {.name = "sell_packed",
       .cost = costs::sell_packed,
       .sorts = Sorts::by_sigma,
       .variants = windows_that_keep_diagonals,
       .launched = {"threads_per_block"},
       .built = {"threads_per_row"},
       .unpacked = "sell"},
      {"sell_blocked", costs::sell_blocked, Sorts::by_sigma, by_slice, sorting_windows_of_blocks, rows},
      {"biell", costs::biell, Sorts::yes, by_slice, if_mixed},
      {"spmv4gpu", costs::spmv4gpu, Sorts::no, by_row},
      {"spmv4gpu_padded", costs::spmv4gpu_padded, Sorts::no, by_row},
      {"block", costs::block},
      {"coo", costs::coo},
      {"ellpack_r", costs::ellpack_r},
      {"hyb", costs::hyb},
      {"cusparse_csr", costs::cusparse_csr},
      {"cusparse_sell", costs::cusparse_sell},
      {"cusparse_bsr", costs::cusparse_bsr},
  };
  return table;
}

const FormatModel& model_of(const std::string& format) {
  return pick(format_models(), format, "format");
}

}  // namespace spmv
