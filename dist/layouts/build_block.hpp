// One block of a layout in the format that the options name: what layouts have in common.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/pick.hpp"
#include "kernels/absorb_order.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {

struct BlockRequest {
  const std::string& format;  // of the table, or auto_format: what suits the block best
  const TuneRequest& tune;    // its options are those of a format that is named, too
  const std::vector<Known>& known;
  const std::shared_ptr<Backend>& backend;
};

/// `square` and `row_list` as in make_ordered(). A block that is given away is freed before a format that is
/// named takes memory. Throws as Format::make. Local.
template <class T, class Block>
Choice<T> build_block(Block&& block, bool square, const std::vector<lidx>& row_list,
                      const BlockRequest& request) {
  const TuneRequest& tune = request.tune;
  if (request.format == auto_format)
    return choose_format(block, square, row_list, request.backend, tune, request.known);
  const Format<T>& format = pick(formats<T>(), request.format, "format");
  OrderedOperator<T> made =
      make_ordered(format, std::forward<Block>(block), square, row_list, tune.options, request.backend);
  Choice<T> choice;
  choice.decision.format = request.format;
  choice.decision.options = tune.options;
  choice.row_order = std::move(made.row_order);
  choice.op = std::move(made.op);
  return choice;
}

}  // namespace spmv
