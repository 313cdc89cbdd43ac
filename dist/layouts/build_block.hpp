// One block of a layout in the format that the options name: what layouts have in common.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/pick.hpp"
#include "kernels/ordered_operator.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {

/// The format that a block is to get. Refers to DistOptions or the like, for one call of build_block().
struct BlockRequest {
  const std::string& format;  // of the table, or auto_format: what suits the block best
  const TuneRequest& tune;    // for auto_format; tune.options also for a format that is named
  const std::vector<RememberedChoice>& remembered;  // for auto_format
  const std::shared_ptr<Backend>& backend;
};

/// The block in the format that the request names or leaves to be chosen. `square` and `row_list` as in
/// make_ordered(). A block handed over as an rvalue is freed before the format takes memory, unless trials
/// need it. Throws as Format::make. Local.
template <class T, class Block>
Choice<T> build_block(Block&& block, bool square, const std::vector<lidx>& row_list,
                      const BlockRequest& request) {
  const TuneRequest& tune = request.tune;
  const BuildRequest<T> build{block, row_list, tune.options, request.backend, square};
  if (request.format == auto_format) return choose_format(build, tune, request.remembered);
  const Format<T>& format = pick(formats<T>(), request.format, "format");
  Csr<T>* disposable = nullptr;
  if constexpr (std::is_same_v<Block, Csr<T>>) disposable = &block;
  OrderedOperator<T> made = make_ordered(format, build, disposable);
  Choice<T> choice;
  choice.decision.format = request.format;
  choice.decision.options = tune.options;
  choice.row_order = std::move(made.row_order);
  choice.op = std::move(made.op);
  return choice;
}

}  // namespace spmv
