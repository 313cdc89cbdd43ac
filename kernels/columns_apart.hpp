// An operator that multiplies several vectors one after another, although its format has a kernel for all of them together.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "kernels/local_operator.hpp"

namespace spmv {

template <class T>
class ColumnsApart final : public LocalOperator<T> {
 public:
  explicit ColumnsApart(std::unique_ptr<LocalOperator<T>> op) : op_(std::move(op)) {}

  /// Gives back what it was made of, and is no operator any more.
  std::unique_ptr<LocalOperator<T>> together() { return std::move(op_); }

  void apply(Queue& queue, const T* x, T* y, Update update) const override {
    op_->apply(queue, x, y, update);
  }
  bool scales(const Queue& queue, int k) const override { return k == 1 && op_->scales(queue, k); }
  bool sums(const Queue& queue, int k) const override { return k == 1 && op_->sums(queue, k); }
  int apply_summed(Queue& queue, const T* x, T* y, const T* own_x, int k,
                   const RowWork<T>& sums) const override {
    return op_->apply_summed(queue, x, y, own_x, k, sums);
  }
  /// As it multiplies together: without this.
  std::unique_ptr<LocalOperator<T>> relaunched(const FormatOptions& options) const override {
    return op_->relaunched(options);
  }
  FormatOptions launched_with(const FormatOptions& options) const override {
    return op_->launched_with(options);
  }
  using LocalOperator<T>::traffic;
  Traffic traffic(Update update) const override { return op_->traffic(update); }
  Footprint footprint() const override { return op_->footprint(); }
  std::string choices() const override { return op_->choices(); }

 private:
  std::unique_ptr<LocalOperator<T>> op_;
};

}  // namespace spmv
