// Measures formats on one device: work between two events, and formats in turns.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/backend.hpp"
#include "core/buffer.hpp"
#include "core/error.hpp"
#include "core/pick.hpp"
#include "core/reference.hpp"
#include "format_report.hpp"
#include "kernels/ordered_operator.hpp"
#include "kernels/tune/tuner.hpp"
#include "whole_matrix.hpp"

namespace spmv {

/// How long to measure: the number of rounds, and the approximate time of a round's batch of products.
struct Rounds {
  int count = 7;
  double batch_ms = 10;
};

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The device, and the time of work queued on it.
class Stopwatch {
 public:
  explicit Stopwatch(const std::string& backend_name)
      : backend_(pick(backends(), backend_name, "backend").make(DeviceRequest{})),
        queue_(backend_->make_queue(Priority::normal)),
        begin_(backend_->make_event()),
        end_(backend_->make_event()) {}

  const std::shared_ptr<Backend>& backend() const { return backend_; }
  Queue& queue() { return *queue_; }
  /// Mean seconds of `calls` calls, each of which queues work.
  double batch(int calls, const std::function<void()>& work) {
    queue_->record(*begin_);
    for (int i = 0; i < calls; ++i) work();
    queue_->record(*end_);
    end_->synchronize();
    return end_->seconds_since(*begin_) / calls;
  }
  /// The number of calls that take `batch_ms`, found after a warm-up.
  int calls_for(double batch_ms, const std::function<void()>& work) {
    batch(2, work);
    const double once = batch(2, work);
    return std::clamp(static_cast<int>(batch_ms * 1e-3 / std::max(once, 1e-9)), 1, 10'000);
  }
  /// Queues a copy within device memory; a host copies with as many threads as kernels use.
  template <class E>
  void queue_copy(E* to, const E* from, std::size_t count) {
    if (queue_->takes_cuda_kernels()) return queue_->copy(to, from, count * sizeof(E), Copy::on_device);
    queue_->run([=] {
#pragma omp parallel for simd schedule(static)
      for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
    });
  }
  /// Bytes per second of copies within device memory, counting reads and writes. By default of arrays of 1
  /// GiB, far larger than any cache.
  double copy_rate(const Rounds& rounds, std::size_t wanted_bytes = std::size_t{1} << 30) {
    const std::size_t bytes = std::min(wanted_bytes, backend_->memory().free_bytes / 8);
    const std::size_t count = bytes / sizeof(double);
    Buffer<double> from(backend_, count, Memory::device), to(backend_, count, Memory::device);
    queue_->fill(from.data(), 1, from.bytes());
    queue_->fill(to.data(), 2, to.bytes());
    const auto copy = [&] { queue_copy(to.data(), from.data(), count); };
    const int calls = calls_for(rounds.batch_ms, copy);
    std::vector<double> seconds;
    for (int round = 0; round < rounds.count; ++round) seconds.push_back(batch(calls, copy));
    std::sort(seconds.begin(), seconds.end());
    return 2.0 * static_cast<double>(from.bytes()) / seconds[seconds.size() / 2];
  }

 private:
  std::shared_ptr<Backend> backend_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Event> begin_, end_;
};

/// Measures one matrix in every format. Formats that fit into memory together take turns.
template <class T>
class Comparison {
 public:
  Comparison(const Rounds& rounds, const FormatOptions& options, Stopwatch& watch, const Csr<T>& block,
             const Reference<T>& reference, const Analysis& analysis)
      : rounds_(rounds),
        options_(options),
        watch_(watch),
        block_(block),
        reference_(reference),
        analysis_(analysis),
        x_(watch.backend(), static_cast<std::size_t>(block.cols), Memory::device),
        y_(watch.backend(), static_cast<std::size_t>(block.rows), Memory::device) {}

  /// Adds the tuner's choice for `request` under the name auto; its build time is that of the whole tuning.
  void add_auto(const TuneRequest& request) {
    FormatResult result;
    result.format = auto_format;
    const auto start = std::chrono::steady_clock::now();
    const bool square = block_.rows == block_.cols;
    Choice<T> choice = choose_format<T>({block_, {}, {}, watch_.backend(), square}, request, {});
    result.build_s = seconds_since(start);
    result.choices = choice.decision.reason;
    results_.push_back(result);
    add(results_.size() - 1, std::move(choice.op), choice.row_order);
  }

  /// Measures every format that can store the block, and what was added before.
  std::vector<FormatResult> run(const std::vector<const Format<T>*>& formats) {
    const std::size_t before = results_.size();
    results_.resize(before + formats.size());
    for (std::size_t i = before; i < results_.size(); ++i) {
      const Format<T>& format = *formats[i - before];
      results_[i].format = format.name;
      results_[i].cost = cost_of(format.name, analysis_, options_);
      const std::string reason = why_unusable(format, *watch_.backend());
      if (!reason.empty()) {
        refuse(i, reason);
      } else if (!try_to_build(format, i, !ready_.empty())) {
        measure_ready();  // frees memory
        try_to_build(format, i, false);
      }
      if (!ready_.empty() && watch_.backend()->memory().free_bytes < 4 * largest_) measure_ready();
    }
    measure_ready();
    return std::move(results_);
  }

 private:
  struct Ready {
    std::size_t result;
    std::unique_ptr<LocalOperator<T>> op;
    Buffer<T> x;                       // in the format's order of columns
    std::unique_ptr<Capture> capture;  // of captured_products products; nullptr: none, products are long
  };

  // Launches matter for products shorter than this; longer ones are not replayed.
  static constexpr double replay_below_s = 100e-6;
  static constexpr int captured_products = 20;

  void refuse(std::size_t i, const std::string& reason) {
    results_[i].status = Status::refused;
    results_[i].reason = reason;
  }

  /// False if memory was too little and `again` says that more may become free.
  bool try_to_build(const Format<T>& format, std::size_t i, bool again) {
    try {
      build(format, i);
    } catch (const Error& error) {
      if (error.code() == ExitCode::internal) throw;
      if (error.code() == ExitCode::memory && again) return false;
      refuse(i, error.what());
    } catch (const std::bad_alloc&) {
      if (again) return false;
      refuse(i, "the host has too little memory to build it");
    }
    return true;
  }

  void build(const Format<T>& format, std::size_t i) {
    FormatResult& result = results_[i];
    const auto start = std::chrono::steady_clock::now();
    auto made = make_ordered<T>(format, {block_, {}, options_, watch_.backend(), block_.rows == block_.cols});
    result.build_s = seconds_since(start);
    result.choices = made.op->choices();
    add(i, std::move(made.op), made.row_order);
  }

  /// Adds the operator to the measurement if its product is correct.
  void add(std::size_t i, std::unique_ptr<LocalOperator<T>> op, const std::vector<lidx>& order) {
    FormatResult& result = results_[i];
    result.footprint = op->footprint();
    result.traffic = op->traffic(Update::assign);
    largest_ = std::max(largest_, result.footprint.bytes);

    std::vector<T> x(static_cast<std::size_t>(block_.cols));
    const bool renamed = !order.empty() && block_.rows == block_.cols;
    for (lidx col = 0; col < block_.cols; ++col) x[col] = x_value<T>(renamed ? order[col] : col, 0);
    Ready ready{i, std::move(op), upload(watch_.backend(), x.data(), x.size()), nullptr};
    if (is_right(ready, order)) ready_.push_back(std::move(ready));
  }

  /// Multiplies once, into NaN, and compares.
  bool is_right(const Ready& ready, const std::vector<lidx>& order) {
    constexpr unsigned char nan_byte = 0xff;
    watch_.queue().fill(y_.data(), nan_byte, y_.bytes());
    take_x(ready);
    ready.op->apply(watch_.queue(), x_.data(), y_.data(), Update::assign);
    watch_.queue().synchronize();
    std::vector<T> y(y_.size()), natural(y_.size());
    download(*watch_.backend(), y.data(), y_.data(), y.size());
    for (std::size_t i = 0; i < y.size(); ++i) natural[order.empty() ? i : order[i]] = y[i];
    const Mismatch mismatch = compare(natural.data(), reference_);
    if (mismatch.rows_wrong == 0) return true;
    results_[ready.result].status = Status::wrong;
    results_[ready.result].reason =
        fmt::format("{} rows differ from the reference; worst is row {}, {:.3g} times the bound",
                    mismatch.rows_wrong, mismatch.worst_row, mismatch.worst_ratio);
    return false;
  }

  /// Copies the format's x to the place from which all formats read x.
  void take_x(const Ready& ready) { watch_.queue_copy(x_.data(), ready.x.data(), x_.size()); }

  /// Measures the formats that are ready in turns, and frees them.
  void measure_ready() {
    const auto product = [&](const Ready& ready) {
      return [&] { ready.op->apply(watch_.queue(), x_.data(), y_.data(), Update::assign); };
    };
    for (Ready& ready : ready_) {
      take_x(ready);
      FormatResult& result = results_[ready.result];
      result.batch = watch_.calls_for(rounds_.batch_ms, product(ready));
      if (!watch_.queue().takes_cuda_kernels() || result.batch * replay_below_s < rounds_.batch_ms * 1e-3)
        continue;
      ready.capture = watch_.queue().capture_work([&] {
        for (int i = 0; i < captured_products; ++i) product(ready)();
      });
    }
    for (int round = 0; round < rounds_.count; ++round)
      for (const Ready& ready : ready_) {
        FormatResult& result = results_[ready.result];
        take_x(ready);
        watch_.batch(1, product(ready));  // brings this format's data into the caches
        result.seconds.push_back(watch_.batch(result.batch, product(ready)));
        if (!ready.capture) continue;
        const auto replay = [&] { watch_.queue().replay(*ready.capture); };
        watch_.batch(1, replay);
        const int replays = std::max(1, result.batch / captured_products);
        result.replayed.push_back(watch_.batch(replays, replay) / captured_products);
      }
    for (const Ready& ready : ready_) {
      FormatResult& result = results_[ready.result];
      std::sort(result.seconds.begin(), result.seconds.end());
      std::sort(result.replayed.begin(), result.replayed.end());
    }
    ready_.clear();
  }

  const Rounds& rounds_;
  const FormatOptions& options_;
  Stopwatch& watch_;
  const Csr<T>& block_;
  const Reference<T>& reference_;
  const Analysis& analysis_;
  // The address of x changes a GPU's product by several percent, so all formats read x at the same address.
  Buffer<T> x_;
  Buffer<T> y_;
  std::vector<FormatResult> results_;
  std::vector<Ready> ready_;
  std::size_t largest_ = 0;  // bytes of the largest format so far
};

}  // namespace spmv
