// What the tuner knows of every format: one table, by the formats' names.
#pragma once

#include <string>
#include <vector>

#include "kernels/format_options.hpp"
#include "kernels/tune/costs.hpp"
#include "kernels/tune/device.hpp"

namespace spmv {

/// When building a format includes sorting the rows.
enum class Sorts { no, yes, by_sigma, by_popularity };

/// How a host goes through the nonzeros of a format.
enum class HostLoop {
  by_slice,
  by_row,  // rows one after the other: iterations are nonzeros / warp_size, see Load::uneven
  /// The loops of csr, which go by row. Columns and x are read once for rows that have the columns of the row before
  /// (Analysis::alike_share), and four elements are multiplied at once where that is faster (multiplies_by_fours()).
  of_csr,
};

/// What candidates are made for.
struct CandidateRequest {
  FormatOptions options;  // those that are fixed, and defaults
  OptionNames fixed;      // fields of options that stay as they are
  std::string hint;       // a name of hints(), or empty
  bool sums = false;      // rows are summed after the product where a format cannot do it within
  int columns = 1;        // of a product: formats that take one vector at a time multiply column after column
  /// For a calibration, which has to learn what all formats cost: packed ones also where they save no bytes, csr_vector with
  /// other threads, too.
  bool calibrates = false;
};

using Variants = std::vector<FormatOptions>;

/// Table row.
struct FormatModel {
  const char* name = "";  // of the format
  Cost (*cost)(const Analysis&, const FormatOptions&) = nullptr;
  Sorts sorts = Sorts::no;
  HostLoop host_loop = HostLoop::by_slice;
  /// The options with which the format is a candidate for a block: none where it is not one. nullptr: it never is.
  Variants (*variants)(const Analysis&, const CandidateRequest&, const Device&) = nullptr;
  OptionNames launched = {};      // tunable on CUDA, and known to kernels alone: the arrays are the same
  OptionNames built = {};         // tunable on CUDA, and seen in the arrays
  OptionNames host_tunable = {};  // tunable on a host
  /// The format that this one is but for arrays that are shorter where the block allows it; nullptr: none.
  const char* unpacked = nullptr;
};

/// Every format once. Those that may be candidates come first, csr at their head.
const std::vector<FormatModel>& format_models();

/// Throws Error(usage) if there is none of that name.
const FormatModel& model_of(const std::string& format);

/// What the format would cost for a block with this analysis. Pure.
inline Cost cost_of(const std::string& format, const Analysis& analysis, const FormatOptions& options = {}) {
  return model_of(format).cost(analysis, options);
}

}  // namespace spmv
