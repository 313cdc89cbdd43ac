// The formats and options that may suit a block, and the table of hints.
#pragma once

#include <string>
#include <vector>

#include "core/backend.hpp"
#include "kernels/tune/format_models.hpp"
#include "kernels/tune/prediction.hpp"

namespace spmv {

/// Table row: what the user may know of a matrix.
struct Hint {
  const char* name;
  const char* summary;
  std::vector<std::string> formats;  // tried first, in this order
};
const std::vector<Hint>& hints();

/// A format with options, and what is predicted of it.
struct Candidate {
  std::string format;
  FormatOptions options = {};
  Cost cost = {};
  Prediction predicted = {};
  bool hinted = false;
};

/// csr first; then the formats of the hint, in its order; then all others that format_models() names for such
/// a block, by predicted time. Formats that cannot run on `backend` are left out. Throws Error(usage) for an
/// unknown hint. Pure.
template <class T>
std::vector<Candidate> make_candidates(const Analysis& analysis, const CandidateRequest& request,
                                       const Backend& backend, const Device& device);

/// Options of a format that change its product's time and can be tuned on this kind of device.
OptionNames tunable_options(const std::string& format, bool runs_host_code);

/// Whether two operators of this format keep the same arrays with these options, which differ then in how kernels are
/// launched alone, or not at all. Pure.
bool need_the_same_arrays(const std::string& format, const FormatOptions& a, const FormatOptions& b);

}  // namespace spmv
