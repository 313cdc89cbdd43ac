// A storage format as a row of the table that --format, --help, the tuner, the sweeps and the tests read.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/csr.hpp"
#include "kernels/format_options.hpp"
#include "kernels/local_operator.hpp"

namespace spmv {

struct Analysis;

/// What a format would cost for a block, found from the block's analysis alone. All arrays in device memory.
struct Cost {
  /// Bytes of all arrays, padding included: predicts Footprint::bytes of what make() returns.
  double bytes = 0;
  /// Bytes that one product (assign) moves at least: predicts matrix_bytes + vector_bytes of
  /// LocalOperator::traffic(), without a row list, which the analysis does not know.
  double moved_bytes = 0;
  /// Steps of the kernel's inner loop, in which a warp does an element in each of its warp_size lanes, summed
  /// over all warps: N_iter of [Wang 2020, Eq. 1], or what corresponds to it.
  double iterations = 0;
  /// Those of the warp that has most. They follow each other, however many warps there are.
  double chain = 0;
  /// Those of `iterations` in which no lane loads a column of its own: ColumnKind::diagonals.
  double along_diagonals = 0;
  /// Those in which no lane loads anything of its own but x, and for which CUDA has kernels that go from head to head.
  double heads_alone = 0;
};

/// When building a format includes sorting the rows.
enum class Sorts { no, yes, by_sigma, by_popularity };

/// A number that every table row must give: a row that leaves it out does not compile.
struct RequiredNumber {
  constexpr RequiredNumber(double number) : value(number) {}
  constexpr operator double() const { return value; }
  double value;
};

/// How fast a format's kernels are where the bandwidth does not decide, and how long it takes to build. Times
/// of an iteration, see Cost. Fitted to measured products, as kernels/README.md says; a kernel that memory
/// held up in all of them, even with float values, may be faster than its pace.
struct Pace {
  RequiredNumber iteration_ps;       // CUDA: of Cost::iterations, when the whole device works at them
  RequiredNumber chain_ns;           // CUDA: of Cost::chain, one after the other in one warp
  RequiredNumber host_iteration_ns;  // host: of Cost::iterations, on one core
  RequiredNumber build_ns;       // CUDA: of a nonzero, with as many of the host's cores as a build can use
  RequiredNumber host_build_ns;  // host: the same
  Sorts sorts = Sorts::no;
  double sort_ns = 8;   // CUDA: what sorting adds to build_ns; little where make_in_order() moves the rows
  double start_ms = 1;  // CUDA: of any build: memory, and loading the kernels that build
  /// Host: rows one after the other: iterations are nonzeros / warp_size. See Load::uneven.
  bool by_row = false;
  /// Host: multiplied by the loops of csr. Columns and x are read once for rows that have the columns of the row before
  /// (Analysis::alike_share), and where it pays four elements are multiplied at once (pays_by_fours()).
  bool as_csr_on_host = false;
  double diagonal_ps = 0;     // CUDA: as iteration_ps, for Cost::heads_alone
  double cached_speed = 0.8;  // CUDA: bandwidth where all data are cached, in multiples of a copy's
};

/// An order of the rows of a natural block, as Format::row_order gives it, and what becomes of its columns.
struct RowOrder {
  std::vector<lidx> rows;      // element i is the row that comes i-th; empty: as they are
  std::vector<lidx> position;  // column c becomes position[c] where c < position.size(), others stay
};

/// The row_order of a format that takes the rows as they are: empty. Pure.
template <class T>
std::vector<lidx> keep_row_order(const Csr<T>&, const FormatOptions&) {
  return {};
}

/// Table row: a storage format for value type T.
template <class T>
struct Format {
  const char* name = nullptr;
  const char* summary = nullptr;
  /// Lists show formats in ascending order of this, and those of one number as their families have them.
  int listed_at = 1000;
  /// The order in which the format wants its rows: element i is the row that comes i-th. Empty: as they are.
  /// Pure. The caller permutes the block (and, for a square local block, its columns) before make().
  std::vector<lidx> (*row_order)(const Csr<T>& block, const FormatOptions& options) = keep_row_order<T>;
  /// Builds the format on the device, from a block on the host, and checks that it fits. `block` is in row_order
  /// already. `row_list` (empty, or one y index per row of the block) says which element of y each row
  /// writes. Throws Error(memory), before it takes it, if the format needs more than the backend has free:
  /// the message says how much it needs, how much there is, and which format needs less.
  std::unique_ptr<LocalOperator<T>> (*make)(const Csr<T>& block, const std::vector<lidx>& row_list,
                                            const FormatOptions& options,
                                            const std::shared_ptr<Backend>& backend) = nullptr;
  /// The same from the natural block, whose rows and columns it moves as it builds: nobody holds a permuted copy of the
  /// block. nullptr: it cannot, and the caller permutes the block. Throws as make().
  std::unique_ptr<LocalOperator<T>> (*make_in_order)(const Csr<T>& block, const RowOrder& order,
                                                     const std::vector<lidx>& row_list,
                                                     const FormatOptions& options,
                                                     const std::shared_ptr<Backend>& backend) = nullptr;
  /// `options` with what they leave to the block as this block would have it. Two blocks get what one of them has
  /// settled where they shall be one kernel. nullptr: nothing is left to the block. Pure.
  FormatOptions (*settle)(const Csr<T>& block, const FormatOptions& options) = nullptr;
  /// What the format would cost for a block with this analysis. Pure.
  Cost (*cost)(const Analysis& analysis, const FormatOptions& options) = nullptr;
  Pace pace;
  /// Whether two blocks in this format, made on a GPU with the same settled options, can be one kernel with the
  /// exchange inside, so that LocalOperator::fuses() is true of them.
  bool fuses = false;
  /// Whether it stores zeros among the nonzeros and multiplies them, so that infinity or NaN in an element of
  /// x that a row does not refer to can reach the row. Only baselines may.
  bool multiplies_fill = false;
  /// Whether it stores columns as distances, which are short as long as rows and elements of x keep their
  /// order: layout parted then leaves both in natural order.
  bool keeps_neighbourhood = false;
  /// Empty where make() can work, otherwise the reason and the mend. nullptr: on every backend.
  std::string (*why_unusable)(const Backend& backend) = nullptr;
};

/// Format::settle, of a format that may leave nothing to the block. Pure.
template <class T>
FormatOptions settled(const Format<T>& format, const Csr<T>& block, const FormatOptions& options) {
  return format.settle == nullptr ? options : format.settle(block, options);
}

/// The make() of a format that has a make_in_order(): of a block that is in order already.
template <class T, auto make_in_order>
std::unique_ptr<LocalOperator<T>> as_they_are(const Csr<T>& block, const std::vector<lidx>& row_list,
                                              const FormatOptions& options,
                                              const std::shared_ptr<Backend>& backend) {
  return make_in_order(block, {}, row_list, options, backend);
}

/// Empty where `format` can run on `backend`, otherwise the reason and the mend.
template <class T>
std::string why_unusable(const Format<T>& format, const Backend& backend) {
  return format.why_unusable == nullptr ? std::string() : format.why_unusable(backend);
}

/// All formats, in the order of --help.
template <class T>
const std::vector<Format<T>>& formats();

}  // namespace spmv
