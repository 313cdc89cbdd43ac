#include "dist/build_operators.hpp"

#include <complex>
#include <utility>

#include "core/pick.hpp"
#include "dist/parted.hpp"
#include "dist/split.hpp"
#include "kernels/row_order.hpp"

namespace spmv {
namespace {

/// `block` in the format named, or in the one that suits it best. `square`, `row_list` and `known` as in
/// choose_format().
template <class T>
Choice<T> make_operator(Csr<T> block, bool square, const std::vector<lidx>& row_list,
                        const std::string& format_name, const TuneRequest& tune,
                        const std::vector<Known>& known, const std::shared_ptr<Backend>& backend) {
  if (format_name == auto_format) return choose_format(block, square, row_list, backend, tune, known);
  const Format<T>& format = pick(formats<T>(), format_name, "format");
  Choice<T> choice;
  choice.decision.format = format_name;
  choice.decision.options = tune.options;
  choice.row_order = format.row_order(block, tune.options);
  if (square) rename_columns(block, inverse(choice.row_order));
  if (!choice.row_order.empty()) block = permute_rows(block, choice.row_order);
  choice.op = format.make(block, reorder(row_list, choice.row_order), tune.options, backend);
  return choice;
}

template <class T>
void build_merged(Csr<T> block, bool square, const DistOptions& options,
                  const std::shared_ptr<Backend>& backend, Operators<T>& built) {
  Choice<T> main =
      make_operator(std::move(block), square, {}, options.format, options.tune, options.known, backend);
  built.main = std::move(main.op);
  built.main_decision = std::move(main.decision);
  built.row_order = std::move(main.row_order);
  if (square) built.x_order = built.row_order;
}

template <class T>
void build_split(Split<T> parts, bool square, const DistOptions& options,
                 const std::shared_ptr<Backend>& backend, Operators<T>& built) {
  build_merged(std::move(parts.local), square, options, backend, built);
  const std::vector<lidx> position = inverse(built.row_order);
  for (lidx& row : parts.nonlocal_row)
    if (!position.empty()) row = position[static_cast<std::size_t>(row)];
  TuneRequest untried = options.tune;
  untried.trials = false;
  if (options.nonlocal_options) untried.options = *options.nonlocal_options;
  Choice<T> nonlocal = make_operator(std::move(parts.nonlocal), false, parts.nonlocal_row,
                                     options.nonlocal_format, untried, {}, backend);
  built.rest = std::move(nonlocal.op);
  built.boundary_decision = std::move(nonlocal.decision);
}

/// Of the larger part. Its operator, if it has one, is thrown away: a format's own demands on the parts come
/// first.
template <class T>
Decision decide_parted(const Parted<T>& parts, const DistOptions& options,
                       const std::shared_ptr<Backend>& backend) {
  const Csr<T>& larger =
      parts.interior.nonzeros() >= parts.boundary.nonzeros() ? parts.interior : parts.boundary;
  if (options.format == auto_format)
    return choose_format(larger, false, {}, backend, options.tune, options.known).decision;
  Decision decision;
  decision.format = options.format;
  decision.options = options.tune.options;
  return decision;
}

/// Both parts in one format, that of the larger one, so that one kernel may do both. The basis has the
/// interior rows first, then the boundary rows, each as the format sorts them; for a format that wants the
/// rows' neighbourhood kept, it has them as they are, both parts have row lists, and rows that such a format
/// stores together stay together.
template <class T>
void build_parted(const DistributedRows<T>& rows, int rank, const std::vector<gidx>& ghosts, bool square,
                  const DistOptions& options, const std::shared_ptr<Backend>& backend, Operators<T>& built) {
  const auto cut = [&](lidx group) {
    return part(rows.block, rows.cols.first(rank), rows.cols.count(rank), ghosts, group);
  };
  Parted<T> parts = cut(1);
  built.main_decision = decide_parted(parts, options, backend);
  const Decision& decision = built.main_decision;
  const Format<T>& format = pick(formats<T>(), decision.format, "format");
  constexpr lidx stored_together = 32;
  if (format.keeps_neighbourhood) {
    Parted<T> grouped = cut(stored_together);
    // Parts whose rows lie ragged have a boundary row in nearly every group: then the exchange would have
    // nothing to run beside.
    if (2 * grouped.interior.nonzeros() >= parts.interior.nonzeros()) parts = std::move(grouped);
  }
  if (parts.boundary.rows == 0) parts.interior_row.clear();  // all rows, as they are
  FormatOptions of_smaller = decision.options;
  of_smaller.threads_per_row = options.tune.options.threads_per_row;  // what suits many rows starves few
  if (options.nonlocal_options) of_smaller = *options.nonlocal_options;
  const bool interior_is_larger = parts.interior.nonzeros() >= parts.boundary.nonzeros();
  const FormatOptions& of_interior = interior_is_larger ? decision.options : of_smaller;
  const FormatOptions& of_boundary = interior_is_larger ? of_smaller : decision.options;

  const std::vector<lidx> interior_order = format.row_order(parts.interior, of_interior);
  const std::vector<lidx> boundary_order = format.row_order(parts.boundary, of_boundary);
  std::vector<lidx> interior_list =
      parts.interior_row.empty() ? interior_order : reorder(std::move(parts.interior_row), interior_order);
  std::vector<lidx> boundary_list = reorder(std::move(parts.boundary_row), boundary_order);
  if (!format.keeps_neighbourhood) {
    built.boundary_begin = parts.interior.rows;
    built.row_order = std::exchange(interior_list, {});
    built.row_order.insert(built.row_order.end(), boundary_list.begin(), boundary_list.end());
    boundary_list.clear();
    if (square) {
      const std::vector<lidx> position = inverse(built.row_order);
      rename_columns(parts.interior, position);
      rename_columns(parts.boundary, position);
      built.x_order = built.row_order;
    }
  }
  built.main = format.make(permute_rows(parts.interior, interior_order), interior_list, of_interior, backend);
  built.rest = format.make(permute_rows(parts.boundary, boundary_order), boundary_list, of_boundary, backend);
  built.boundary_decision.format = decision.format;
  built.boundary_decision.options = of_smaller;
}

}  // namespace

template <class T>
Operators<T> build_operators(const DistributedRows<T>& rows, int rank, const std::vector<gidx>& ghosts,
                             const DistOptions& options, const std::shared_ptr<Backend>& backend) {
  const gidx first_owned = rows.cols.first(rank);
  const gidx owned = rows.cols.count(rank);
  const bool square = rows.shape.rows == rows.shape.cols;
  Operators<T> built;
  switch (options.layout) {
    case Layout::merged:
      build_merged(merge(rows.block, first_owned, owned, ghosts), square, options, backend, built);
      break;
    case Layout::split:
      build_split(split(rows.block, first_owned, owned, ghosts), square, options, backend, built);
      break;
    case Layout::parted:
      build_parted(rows, rank, ghosts, square, options, backend, built);
      break;
  }
  built.rows = static_cast<lidx>(rows.block.rows());  // fits: checked above
  return built;
}

template Operators<float> build_operators(const DistributedRows<float>&, int, const std::vector<gidx>&,
                                          const DistOptions&, const std::shared_ptr<Backend>&);
template Operators<double> build_operators(const DistributedRows<double>&, int, const std::vector<gidx>&,
                                           const DistOptions&, const std::shared_ptr<Backend>&);
template Operators<std::complex<float>> build_operators(const DistributedRows<std::complex<float>>&, int,
                                                        const std::vector<gidx>&, const DistOptions&,
                                                        const std::shared_ptr<Backend>&);
template Operators<std::complex<double>> build_operators(const DistributedRows<std::complex<double>>&, int,
                                                         const std::vector<gidx>&, const DistOptions&,
                                                         const std::shared_ptr<Backend>&);

}  // namespace spmv
