#include "kernels/hyb/hyb.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/value_types.hpp"
#include "kernels/columns/columns.hpp"
#include "kernels/coo/coo.hpp"
#include "kernels/parts/format_checks.hpp"

namespace spmv {
namespace {

template <class T>
std::vector<offset> count_lengths(const Csr<T>& block) {
  std::vector<offset> rows_of_length(static_cast<std::size_t>(longest_row(block)) + 1, 0);
  for (lidx row = 0; row < block.rows; ++row) ++rows_of_length[block.row_length(row)];
  return rows_of_length;
}

template <class T>
class HybOperator final : public LocalOperator<T> {
 public:
  HybOperator(std::unique_ptr<LocalOperator<T>> ell, std::unique_ptr<LocalOperator<T>> rest)
      : ell_(std::move(ell)), rest_(std::move(rest)) {}

  void apply(Queue& queue, const T* x, T* y, Update update) const override {
    ell_->apply(queue, x, y, update);
    if (rest_) rest_->apply(queue, x, y, Update::add);
  }
  using LocalOperator<T>::traffic;
  Traffic traffic(Update update) const override {
    Traffic sum = ell_->traffic(update);
    if (!rest_) return sum;
    const Traffic rest = rest_->traffic(Update::add);
    sum.matrix_bytes += rest.matrix_bytes;
    sum.flops += rest.flops;
    return sum;
  }
  Footprint footprint() const override {
    Footprint sum = ell_->footprint();
    if (!rest_) return sum;
    const Footprint rest = rest_->footprint();
    sum.nonzeros += rest.nonzeros;
    sum.stored_elements += rest.stored_elements;
    sum.bytes += rest.bytes;
    return sum;
  }

 private:
  std::unique_ptr<LocalOperator<T>> ell_;
  std::unique_ptr<LocalOperator<T>> rest_;  // nullptr: no row is longer
};

template <class T>
std::unique_ptr<LocalOperator<T>> make(const BuildRequest<T>& request) {
  const Csr<T>& block = request.block;
  const std::vector<lidx>& row_list = request.row_list;
  require_row_list(block.rows, row_list);
  const std::vector<offset> rows_of_length = count_lengths(block);
  const lidx width = hyb_width(rows_of_length, block.rows, sizeof(T));
  const double bytes =
      static_cast<double>(rounded_up(block.rows, warp_size)) * width * (sizeof(T) + sizeof(lidx)) +
      static_cast<double>(hyb_rest(rows_of_length, width)) * (sizeof(T) + 2 * sizeof(lidx)) +
      (static_cast<double>(block.rows) + static_cast<double>(row_list.size())) * sizeof(lidx);
  const double parts = static_cast<double>(block.nonzeros()) * (sizeof(T) + sizeof(lidx));
  require_memory(*request.backend, "hyb", {bytes, parts}, "use format csr");
  Hyb<T> parted = split_hyb(block, width);
  auto ell = make_ellpack_r<T>({parted.ell, row_list, request.options, request.backend});
  if (parted.rest.rows == 0) return std::make_unique<HybOperator<T>>(std::move(ell), nullptr);
  if (!row_list.empty())
    for (lidx& row : parted.rest_row) row = row_list[row];
  auto rest = make_coo<T>({parted.rest, parted.rest_row, request.options, request.backend});
  return std::make_unique<HybOperator<T>>(std::move(ell), std::move(rest));
}

}  // namespace

offset hyb_rest(const std::vector<offset>& rows_of_length, lidx width) {
  offset rest = 0;
  for (std::size_t length = width; length < rows_of_length.size(); ++length)
    rest += rows_of_length[length] * (static_cast<offset>(length) - width);
  return rest;
}

lidx hyb_width(const std::vector<offset>& rows_of_length, lidx rows, std::size_t value_bytes) {
  constexpr double coo_penalty = 1.5;
  const double ell_column = static_cast<double>(rows) * static_cast<double>(value_bytes + sizeof(lidx));
  const double coo_element = coo_penalty * static_cast<double>(value_bytes + 2 * sizeof(lidx));
  offset reach = 0;  // rows of at least `length` nonzeros
  for (std::size_t length = rows_of_length.size(); length-- > 1;) {
    reach += rows_of_length[length];
    if (static_cast<double>(reach) * coo_element >= ell_column) return static_cast<lidx>(length);
  }
  return 0;
}

template <class T>
Hyb<T> split_hyb(const Csr<T>& block, lidx width) {
  Hyb<T> parts;
  parts.ell.rows = block.rows;
  parts.ell.cols = parts.rest.cols = block.cols;
  for (lidx row = 0; row < block.rows; ++row) {
    const offset first = block.row_ptr[row];
    const offset cut = std::min(first + width, block.row_ptr[row + 1]);
    const auto append = [&](Csr<T>& part, offset from, offset to) {
      part.col.insert(part.col.end(), block.col.begin() + from, block.col.begin() + to);
      part.value.insert(part.value.end(), block.value.begin() + from, block.value.begin() + to);
      part.row_ptr.push_back(static_cast<offset>(part.col.size()));
    };
    append(parts.ell, first, cut);
    if (cut == block.row_ptr[row + 1]) continue;
    append(parts.rest, cut, block.row_ptr[row + 1]);
    parts.rest_row.push_back(row);
  }
  parts.rest.rows = static_cast<lidx>(parts.rest_row.size());
  return parts;
}

template <class T>
std::vector<Format<T>> hyb_formats() {
  return {{.name = "hyb",
           .summary = "ELLPACK for the first elements of every row, COO for the rest: for a few long rows",
           .listed_at = 110,
           .make = make<T>}};
}

SPMV_INSTANTIATE(split_hyb);
SPMV_INSTANTIATE(hyb_formats);

}  // namespace spmv
