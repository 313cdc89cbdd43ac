// What every format shares: the choice between its host and its CUDA kernel.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "core/value_type.hpp"
#include "cuda_launch.hpp"
#include "kernels/local_operator.hpp"
#include "kernels/parts/device_arrays.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/parts/fused.hpp"
#include "kernels/parts/multivector.hpp"
#include "kernels/parts/read_once.hpp"
#include "kernels/parts/sizes.hpp"

namespace spmv {

/// Sets how kernels are launched from the options. Formats that have a choice overload it for their View, and call it as
/// they build. False: there is no choice.
template <class View>
bool set_launch(View&, const FormatOptions&, const Footprint&) {
  return false;
}
/// Stores in `options` how kernels are launched; those formats overload it, too.
template <class View>
void get_launch(const View&, FormatOptions& /*options*/) {}

/// A block in the format of `View`, a plain struct of device pointers and sizes with
///   Value           the value type
///   rows            rows of the block
///   row_list        y index of every row, or nullptr for the identity
///   kept_share      if its kernels use it, see read_once.hpp; make_format_operator() sets it
///   multiply_host   void multiply_host(const View&, const Value* x, Value* y, Update), found by its argument
/// and an instantiation of launch_cuda(); where fuses_with_exchange<View>, one of launch_fused_cuda(), and where
/// multiplies_columns<View>, one of launch_columns_cuda() and multiply_columns_host(), too. Those that scale and sum: summed_rows.hpp.
template <class View>
class FormatOperator final : public LocalOperator<typename View::Value> {
 public:
  using T = typename View::Value;

  /// `traffic` is that of assign.
  FormatOperator(const View& view, std::shared_ptr<const DeviceArrays> arrays, const Footprint& footprint,
                 const Traffic& traffic)
      : view_(view), arrays_(std::move(arrays)), footprint_(footprint), traffic_(traffic) {}

  void apply(Queue& queue, const T* x, T* y, Update update) const override {
    if (view_.rows == 0) return;
    if (queue.takes_cuda_kernels())
      launch_cuda(view_, x, y, update, queue.stream());
    else
      queue.run([view = view_, x, y, update] { multiply_host(view, x, y, update); });
  }
  bool takes_columns() const override { return multiplies_columns<View>; }
  void apply_columns(Queue& queue, const T* x, T* y, int k, Update update) const override {
    if constexpr (multiplies_columns<View>) {
      if (k < 1 || k > most_columns)
        throw Error(ExitCode::internal, "a multivector of too many columns, or none");
      if (k == 1) return apply(queue, x, y, update);
      if (view_.rows == 0) return;
      if (queue.takes_cuda_kernels())
        launch_columns_cuda(view_, x, y, k, update, queue.stream());
      else
        queue.run([view = view_, x, y, k, update] { multiply_columns_host(view, x, y, k, update); });
    } else {
      LocalOperator<T>::apply_columns(queue, x, y, k, update);
    }
  }
  bool fuses(const LocalOperator<T>& boundary) const override {
    if constexpr (fuses_with_exchange<View>) {
      const auto* other = dynamic_cast<const FormatOperator*>(&boundary);
      return other != nullptr && can_fuse(view_, other->view_);
    } else {
      return false;
    }
  }
  void apply_fused(Queue& queue, const LocalOperator<T>& boundary,
                   const FusedProduct<T>& product) const override {
    if constexpr (fuses_with_exchange<View>)
      launch_fused_cuda(view_, dynamic_cast<const FormatOperator&>(boundary).view_, product, queue.stream());
    else
      LocalOperator<T>::apply_fused(queue, boundary, product);
  }
  bool scales(const Queue& queue, int k) const override {
    const bool has_kernels = k == 1 ? sums_its_rows<View> : sums_its_columns<View>;
    return has_kernels && queue.takes_cuda_kernels();
  }
  bool sums(const Queue& queue, int k) const override {
    if constexpr (sums_its_rows<View>)
      if (k == 1) return scales(queue, k) && can_sum(view_);
    return scales(queue, k);
  }
  int apply_summed(Queue& queue, const T* x, T* y, const T* own_x, int k,
                   const RowWork<T>& sums) const override {
    if constexpr (sums_its_rows<View>)
      if (k == 1) return launch_summed_cuda(view_, x, y, own_x, sums, queue.stream());
    if constexpr (sums_its_columns<View>)
      if (k > 1) return launch_summed_columns_cuda(view_, x, y, own_x, k, sums, queue.stream());
    return LocalOperator<T>::apply_summed(queue, x, y, own_x, k, sums);
  }
  int apply_fused_summed(Queue& queue, const LocalOperator<T>& boundary,
                         const FusedProduct<T>& product) const override {
    if constexpr (fuses_with_exchange<View> && sums_its_rows<View>)
      return launch_fused_summed_cuda(view_, dynamic_cast<const FormatOperator&>(boundary).view_, product,
                                      queue.stream());
    else
      return LocalOperator<T>::apply_fused_summed(queue, boundary, product);
  }
  std::unique_ptr<LocalOperator<T>> relaunched(const FormatOptions& options) const override {
    View view = view_;
    if (!set_launch(view, options, footprint_)) return nullptr;
    return std::make_unique<FormatOperator>(view, arrays_, footprint_, traffic_);
  }
  FormatOptions launched_with(const FormatOptions& options) const override {
    FormatOptions all = options;
    get_launch(view_, all);
    return all;
  }
  using LocalOperator<T>::traffic;
  Traffic traffic(Update update) const override {
    Traffic result = traffic_;
    if (update == Update::add) result.vector_bytes += static_cast<double>(view_.rows) * sizeof(T);
    return result;
  }
  Footprint footprint() const override { return footprint_; }

 private:
  View view_;
  std::shared_ptr<const DeviceArrays> arrays_;
  Footprint footprint_;
  Traffic traffic_;
};

/// The operator on `arrays`: `stored` elements with padding. A product does not read `unread_bytes` of them.
template <class View>
auto make_format_operator(const View& view, DeviceArrays arrays, const Csr<typename View::Value>& block,
                          offset stored, double unread_bytes) {
  using T = typename View::Value;
  const offset padded_rows =
      rounded_up(block.rows, warp_size);  // ELLPACK pads rows too [Kreutzer 2012, footnote 2]
  const Footprint footprint{block.nonzeros(), stored, padded_rows * most_in_a_row(block.row_ptr),
                            arrays.bytes()};
  const Traffic traffic{static_cast<double>(footprint.bytes) - unread_bytes,
                        vector_bytes(block.rows, block.cols, sizeof(T)),
                        static_cast<double>(block.nonzeros()) * ValueTraits<T>::flops_per_nonzero};
  const View with_share =
      keep_share(view, static_cast<double>(arrays.cache_bytes()), traffic.matrix_bytes, traffic.vector_bytes);
  return std::make_unique<FormatOperator<View>>(
      with_share, std::make_shared<const DeviceArrays>(std::move(arrays)), footprint, traffic);
}

/// The same for a format that keeps a value and a column per element and never reads its padding.
template <class View>
auto make_format_operator(const View& view, DeviceArrays arrays, const Csr<typename View::Value>& block,
                          offset stored) {
  const double padding = static_cast<double>(stored - block.nonzeros()) *
                         static_cast<double>(sizeof(typename View::Value) + sizeof(lidx));
  return make_format_operator(view, std::move(arrays), block, stored, padding);
}

}  // namespace spmv
