// How long products of one block take in any format: what trials and the calibration measure with.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/backend.hpp"
#include "core/buffer.hpp"
#include "core/csr.hpp"
#include "core/error.hpp"
#include "core/pick.hpp"
#include "kernels/by_columns.hpp"
#include "kernels/combine/combination.hpp"
#include "kernels/combine/combine.hpp"
#include "kernels/ordered_operator.hpp"
#include "kernels/tune/signature.hpp"
#include "kernels/tune/trials.hpp"

namespace spmv {

/// Builds one block in any format, and measures its products.
template <class T>
class ProductTimer {
 public:
  /// Shorter products of a GPU are replayed, so many from a capture.
  static constexpr double replay_below_s = 50e-6;
  static constexpr int captured_products = 20;

  /// `request` as in make_ordered(); its options are not read. With sums, (x, y) and (y, y) are part of every product: only
  /// of one column, and where y has no more elements than x.
  explicit ProductTimer(BuildRequest<T> request, const ProductKind& kind = {})
      : request_(std::move(request)), kind_(kind), block_(request_.block), backend_(request_.backend) {}

  /// From now on builds read the block on the device, if that has plenty of room, instead of waiting for the bus. It only makes
  /// them faster.
  void keep_block_on_device() {
    constexpr double most_share = 0.25;  // of what is free
    const auto bytes = [](const auto& array) { return array.size() * sizeof(array[0]); };
    const std::size_t all = bytes(block_.row_ptr) + bytes(block_.col) + bytes(block_.value);
    if (static_cast<double>(all) > most_share * static_cast<double>(backend_->memory().free_bytes)) return;
    const auto keep = [&](const auto& array) {
      constexpr std::size_t least = std::size_t{1}
                                    << 20;  // what is smaller is copied as fast as it is allocated
      if (bytes(array) < least) return;
      if (auto copy = backend_->keep_copy(array.data(), bytes(array))) copies_.push_back(std::move(copy));
    };
    try {
      keep(block_.row_ptr);
      keep(block_.col);
      keep(block_.value);
    } catch (const Error& error) {
      if (error.code() != ExitCode::memory) throw;
      drop_block_on_device();
    }
  }
  /// Makes room; false if nothing was kept.
  bool drop_block_on_device() {
    const bool kept = !copies_.empty();
    copies_.clear();
    return kept;
  }

  OrderedOperator<T> build(const std::string& name, const FormatOptions& options) const {
    BuildRequest<T> request = request_;
    request.options = options;
    return make_ordered(pick(formats<T>(), name, "format"), std::move(request));
  }

  /// Seconds of one product: the least of a few batches that take about batch_s each, because whatever else a machine
  /// does can only make them longer. Short products are replayed from a capture: one after the other, each would take the
  /// time of a launch.
  double measure(const LocalOperator<T>& op, double batch_s) {
    if (!queue_) prepare();
    if (kind_.columns > 1 && !op.takes_columns() && !one_x_.size()) prepare_columns();
    batch(op, warm_up_products - 2);
    const double once = batch(op, 2);
    const int calls = std::clamp(static_cast<int>(batch_s / std::max(once, 1e-9)), 1, 10'000);
    std::vector<double> seconds;
    if (queue_->takes_cuda_kernels() && once < replay_below_s) {
      const auto capture = queue_->capture_work([&] { apply(op, captured_products); });
      const int replays = std::max(1, calls / captured_products);
      timed([&] { queue_->replay(*capture); });
      for (int i = 0; i < timed_batches; ++i)
        seconds.push_back(timed([&] {
                            for (int r = 0; r < replays; ++r) queue_->replay(*capture);
                          }) /
                          (replays * captured_products));
    } else {
      for (int i = 0; i < timed_batches; ++i) seconds.push_back(batch(op, calls));
    }
    return std::max(*std::min_element(seconds.begin(), seconds.end()), 1e-9);
  }

  /// Whether products with one column after another are to be measured, too: kernels for few columns read the block once, but
  /// do more for each element than those for one.
  bool may_be_faster_apart(const LocalOperator<T>& op) const {
    constexpr int most = 4;
    return kind_.columns > 1 && kind_.columns <= most && op.takes_columns();
  }

 private:
  void prepare() {
    const auto columns = static_cast<std::size_t>(kind_.columns);
    x_ = Buffer<T>(backend_, static_cast<std::size_t>(block_.cols) * columns, Memory::device);
    y_ = Buffer<T>(backend_, static_cast<std::size_t>(rows_of_y()) * columns, Memory::device);
    if (kind_.sums) scalars_.emplace(backend_);
    begin_ = backend_->make_event();
    end_ = backend_->make_event();
    queue_ = backend_->make_queue(Priority::normal);  // last: says that all is there
    queue_->fill(x_.data(), 0, x_.bytes());
  }
  void prepare_columns() {
    one_y_ = Buffer<T>(backend_, static_cast<std::size_t>(rows_of_y()), Memory::device);
    one_x_ = Buffer<T>(backend_, static_cast<std::size_t>(block_.cols), Memory::device);
  }
  lidx rows_of_y() const {
    const auto last = std::max_element(request_.row_list.begin(), request_.row_list.end());
    return last == request_.row_list.end() ? block_.rows : *last + 1;
  }
  void apply_columns(const LocalOperator<T>& op) {
    constexpr auto update = Update::assign;
    if (op.takes_columns()) return op.apply_columns(*queue_, x_.data(), y_.data(), kind_.columns, update);
    apply_by_columns(op, *queue_, x_.data(), y_.data(), kind_.columns, update,
                     ColumnScratch<T>{one_x_.data(), block_.cols, one_y_.data(), rows_of_y()});
  }
  void apply(const LocalOperator<T>& op, int calls) {
    for (int i = 0; i < calls; ++i) {
      if (kind_.columns > 1) {
        apply_columns(op);
        continue;
      }
      if (kind_.sums && op.sums(*queue_, 1)) {
        op.apply_summed(*queue_, x_.data(), y_.data(), x_.data(), 1,
                        {.xy = scalars_->partial(0), .yy = scalars_->partial(1), .room = most_parts});
        continue;
      }
      op.apply(*queue_, x_.data(), y_.data(), Update::assign);
      if (kind_.sums) sum_rows();
    }
  }
  /// As solvers do after products of formats that cannot.
  void sum_rows() {
    const VectorRef<T> x{x_.data(), block_.rows}, y{y_.data(), block_.rows};
    queue_combination(*queue_, Combination<T>().sum(0, x, y).sum(1, y, y), *scalars_, 0);
  }
  /// Seconds of what work() queues.
  template <class Work>
  double timed(const Work& work) {
    queue_->record(*begin_);
    work();
    queue_->record(*end_);
    queue_->synchronize();
    return end_->seconds_since(*begin_);
  }
  /// Mean of `calls` products, one after the other.
  double batch(const LocalOperator<T>& op, int calls) {
    return timed([&] { apply(op, calls); }) / calls;
  }

  BuildRequest<T> request_;
  const ProductKind kind_;
  const Csr<T>& block_;
  std::shared_ptr<Backend> backend_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Event> begin_, end_;
  std::vector<std::unique_ptr<KeptCopy>> copies_;  // of the block
  Buffer<T> x_, y_;                                // of all columns
  Buffer<T> one_x_, one_y_;                        // for formats that take one column at a time
  std::optional<Scalars<T>> scalars_;              // with sums
};

}  // namespace spmv
