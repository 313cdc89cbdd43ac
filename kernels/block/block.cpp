#include "kernels/block/block.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/error.hpp"
#include "core/region_failure.hpp"
#include "core/value_types.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/parts/format_operator.hpp"

namespace spmv {
namespace {

constexpr offset padded_length(offset length) {
  return rounded_up(length, half_warp);
}

/// First columns of the blocks of a band: each begins as far right as alignment lets it, so there are as few
/// as there can be. `cols` is scratch.
template <class T>
std::vector<lidx> block_columns(const Csr<T>& block, offset first_row, offset last_row,
                                std::vector<lidx>& cols) {
  cols.assign(block.col.begin() + block.row_ptr[first_row], block.col.begin() + block.row_ptr[last_row]);
  std::sort(cols.begin(), cols.end());
  std::vector<lidx> first;
  for (const lidx col : cols)
    if (first.empty() || offset{col} - first.back() >= strip_cols)
      first.push_back(col / half_warp * half_warp);
  return first;
}

/// Number of the block that holds column `col`.
std::size_t block_of(const std::vector<lidx>& first_col, lidx col) {
  return static_cast<std::size_t>(std::upper_bound(first_col.begin(), first_col.end(), col) -
                                  first_col.begin() - 1);
}

/// What the blocks need, known before anything is allocated for them.
struct Plan {
  std::vector<offset> first_block;    // of every band, and of all
  std::vector<offset> first_element;  // of every band, and of all
};

template <class T>
Plan plan_blocks(const Csr<T>& block) {
  const offset bands = band_count(block.rows);
  Plan plan{std::vector<offset>(bands + 1, 0), std::vector<offset>(bands + 1, 0)};
  std::atomic<bool> overfull = false;
  struct Scratch {
    std::vector<lidx> cols;
    std::vector<offset> length;
  };
  for_all<Scratch>(bands, [&](offset band, Scratch& scratch) {
    const offset first_row = band * half_warp;
    const offset last_row = std::min<offset>(first_row + half_warp, block.rows);
    const std::vector<lidx> first_col = block_columns(block, first_row, last_row, scratch.cols);
    plan.first_block[band + 1] = static_cast<offset>(first_col.size());
    for (offset row = first_row; row < last_row; ++row) {
      scratch.length.assign(first_col.size(), 0);
      for (offset k = block.row_ptr[row]; k < block.row_ptr[row + 1]; ++k)
        ++scratch.length[block_of(first_col, block.col[k])];
      for (const offset l : scratch.length) {
        plan.first_element[band + 1] += padded_length(l);
        if (l > strip_cols) overfull = true;
      }
    }
  });
  if (overfull)
    throw Error(ExitCode::internal, "a row names a column more than once: format block needs them merged");
  for (offset band = 0; band < bands; ++band) {
    plan.first_block[band + 1] += plan.first_block[band];
    plan.first_element[band + 1] += plan.first_element[band];
  }
  return plan;
}

/// The blocks of one band.
template <class T>
void fill_band(const Csr<T>& block, offset band, offset first_element, Blocks<T>& built,
               std::vector<lidx>& cols, std::vector<offset>& order) {
  const offset first_row = band * half_warp;
  const offset last_row = std::min<offset>(first_row + half_warp, block.rows);
  const offset first_block = built.first_block[band];
  const std::vector<lidx> first_col = block_columns(block, first_row, last_row, cols);
  std::copy(first_col.begin(), first_col.end(), built.first_col.begin() + first_block);
  for (offset row = first_row; row < last_row; ++row)
    for (offset k = block.row_ptr[row]; k < block.row_ptr[row + 1]; ++k)
      ++built.row_length[(first_block + block_of(first_col, block.col[k])) * half_warp + row - first_row];
  for (std::size_t b = 0; b < first_col.size(); ++b) {
    const offset at = first_block + static_cast<offset>(b);
    built.first_element[at] = first_element;
    offset groups = 0;
    for (offset i = 0; i < half_warp; ++i) {
      built.row_start[at * half_warp + i] = static_cast<std::uint16_t>(groups);
      groups += padded_length(built.row_length[at * half_warp + i]) / half_warp;
    }
    first_element += groups * half_warp;
  }
  for (offset row = first_row; row < last_row; ++row) {
    order.resize(block.row_length(static_cast<lidx>(row)));
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = block.row_ptr[row] + static_cast<offset>(k);
    std::sort(order.begin(), order.end(),
              [&block](offset a, offset b) { return block.col[a] < block.col[b]; });
    std::size_t k = 0;
    for (std::size_t b = 0; b < first_col.size(); ++b) {
      const offset at = first_block + static_cast<offset>(b);
      const offset slot = at * half_warp + row - first_row;
      const offset begin = built.first_element[at] + built.row_start[slot] * half_warp;
      for (offset to = begin; to < begin + built.row_length[slot]; ++to, ++k) {
        built.col[to] = static_cast<std::uint16_t>(block.col[order[k]] - first_col[b]);
        built.value[to] = block.value[order[k]];
      }
    }
  }
}

template <class T>
Blocks<T> build(const Csr<T>& block, Plan plan) {
  Blocks<T> built;
  const std::size_t blocks = plan.first_block.back();
  built.first_block = std::move(plan.first_block);
  built.first_col.resize(blocks);
  built.first_element.resize(blocks);
  built.row_start.resize(blocks * half_warp);
  built.row_length.resize(blocks * half_warp);
  built.col.resize(plan.first_element.back());
  built.value.resize(plan.first_element.back());
  struct Scratch {
    std::vector<lidx> cols;
    std::vector<offset> order;
  };
  for_all<Scratch>(band_count(block.rows), [&](offset band, Scratch& scratch) {
    fill_band(block, band, plan.first_element[band], built, scratch.cols, scratch.order);
  });
  return built;
}

template <class T>
std::unique_ptr<LocalOperator<T>> make(const BuildRequest<T>& request) {
  const Csr<T>& block = request.block;
  require_row_list(block.rows, request.row_list);
  longest_row(block);
  Plan plan = plan_blocks(block);
  const offset stored = plan.first_element.back();
  const double bytes = static_cast<double>(stored) * (sizeof(T) + sizeof(std::uint16_t)) +
                       static_cast<double>(plan.first_block.back()) * block_bytes +
                       static_cast<double>(plan.first_block.size()) * sizeof(offset) +
                       static_cast<double>(request.row_list.size()) * sizeof(lidx);
  require_memory(*request.backend, "block", {bytes, bytes}, "use format csr");

  const Blocks<T> built = build(block, std::move(plan));
  DeviceArrays arrays(request.backend);
  BlockView<T> view{};
  view.rows = block.rows;
  view.cols = block.cols;
  view.first_block = arrays.add(built.first_block);
  view.first_col = arrays.add(built.first_col);
  view.first_element = arrays.add(built.first_element);
  view.row_start = arrays.add(built.row_start);
  view.row_length = arrays.add(built.row_length);
  view.col = arrays.add(built.col);
  view.value = arrays.add(built.value);
  view.row_list = arrays.add_row_list(request.row_list);
  const double padding = static_cast<double>(stored - block.nonzeros()) * (sizeof(T) + sizeof(std::uint16_t));
  return make_format_operator(view, std::move(arrays), block, stored, padding);
}

}  // namespace

template <class T>
Blocks<T> build_blocks(const Csr<T>& block) {
  return build(block, plan_blocks(block));
}

template <class T>
std::vector<Format<T>> block_formats() {
  return {{.name = "block",
           .summary = "blocks of 16 rows by 1024 columns that share their part of x: for dense blocks",
           .listed_at = 70,
           .make = make<T>}};
}

SPMV_INSTANTIATE(block_formats);
SPMV_INSTANTIATE(build_blocks);

}  // namespace spmv
