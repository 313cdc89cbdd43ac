// --format auto: the format and options for one block on one device, for a given number of products.
//
//   analyze ─► candidates, predicted ─► search: what is worth a trial is built and measured ─► the best,
//   built
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/csr.hpp"
#include "kernels/format.hpp"
#include "kernels/tune/search.hpp"

namespace spmv {

/// The name under which the choice is left to choose_format().
inline constexpr const char* auto_format = "auto";

/// Throws Error(environment) where the format named cannot run on `backend`, with the reason and the remedy, and
/// Error(usage) where there is none of that name. auto_format can run everywhere. Local.
template <class T>
void require_usable(const std::string& name, const Backend& backend);

/// How a format is to be chosen.
struct TuneRequest {
  double products = 1000;  // that the format is for: a build must save more than it costs
  std::string hint;        // a name of hints(), or empty
  FormatOptions options;   // what is fixed, and defaults
  OptionNames fixed;       // fields of options that stay as they are
  double bandwidth = 0;    // of the device's copy, bytes per second, read and write counted
  bool trials = true;      // false: by prediction alone
  std::shared_ptr<const Calibration> calibration = nullptr;  // of this device; nullptr: none
  bool looks_always = false;  // also where a search is not worth it, see is_worth_looking()
  /// Products are those of solvers, which want (x, y) and (y, y) of each: on a GPU they are counted with the kernel that adds
  /// them up after the product of a format that cannot. Where x has fewer elements than y, there are no sums.
  bool sums = false;
  /// Of the multivectors that are multiplied: a product is one with all of them together, or, by formats that take one vector at
  /// a time, column after column. Several columns have no sums.
  int columns = 1;
};

/// A choice made before, such as one that the tuning cache has kept.
struct RememberedChoice {
  std::string signature;  // of the block; empty: for any block
  std::string format;
  FormatOptions options;
  double measured_s = 0;  // of one product; 0: it was predicted
  double products = 0;    // that it was made for
  bool sums = false;      // whether sums were part of these products; the signature of a block says it, too
  int columns = 1;        // of these products; likewise
  bool columns_apart = false;  // see Decision
};

/// What was chosen for a block, and why.
struct Decision {
  std::string format;
  FormatOptions options;
  std::string reason;     // one sentence; empty where the user named the format
  std::string signature;  // of the block and the request; empty where nothing was to be remembered
  double measured_s =
      0;  // of one product, with its columns or sums where they were asked for; 0: chosen by prediction
  bool columns_apart =
      false;                // several columns are multiplied one after another, which was faster in a trial
  bool sums = false;        // sums were part of the products
  bool remembered = false;  // it is a RememberedChoice
  double budget_s = 0;      // what trials were allowed to take
  double spent_s = 0;       // on trials, the first build included; the analysis is not counted
  std::vector<FormatTrial> trials;  // empty if remembered, or if there was no search
};

/// A decision, carried out.
template <class T>
struct Choice {
  Decision decision;
  std::vector<lidx> row_order;           // as in OrderedOperator
  std::unique_ptr<LocalOperator<T>> op;  // on the block in row_order, ready to multiply
};

/// Chooses and builds. `request` is as in make_ordered(), but tune.options counts instead of request.options. A remembered
/// choice is taken without trials if it is of this block and was made for a tenth to ten times as many products. Otherwise
/// plain_format() is taken where a search is not worth it. If the format that was chosen refuses the block, csr is taken.
/// Throws as Format::make of csr. Local.
template <class T>
Choice<T> choose_format(const BuildRequest<T>& request, const TuneRequest& tune,
                        const std::vector<RememberedChoice>& remembered);

/// Whether another format may save more of so many products of so many columns than a search takes: a third of the time of csr's
/// products, as far as their bytes go, against the time to look at so many nonzeros. On a host always. Pure.
bool is_worth_looking(lidx rows, offset nonzeros, std::size_t value_bytes, double products,
                      const Device& device, int columns = 1);

/// The format that is taken without a search: csr, which suits any rows; or on a GPU, where no row is much longer than the mean,
/// csr_vector, which is built from the same arrays in less time and does not wait for its loads as csr's tiles do. Looks at
/// row_ptr alone. Pure.
template <class T>
const char* plain_format(const Csr<T>& block, const Device& device);

/// The device of `backend` for predictions; bandwidth in bytes per second, threads as OpenMP has them now.
/// Local.
Device device_of(Backend& backend, double bandwidth);

}  // namespace spmv
