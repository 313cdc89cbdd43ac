// A number that the device computes when a combination runs, from constants, slots and other numbers, so that no solver waits for
// a sum on the host. For example alpha = (r, r) / (p, s), from sums in two slots:
//
//   const Number rr = slot(0), ps = slot(1), alpha = rr / ps;
#pragma once

#include <map>
#include <memory>
#include <set>
#include <utility>

#include "kernels/combine/formula.hpp"

namespace spmv {

class Number {
 public:
  using Operation = Formula::Operation;  // those up to where

  Number(double constant)  // NOLINT(google-explicit-constructor): 2 * slot(0)
      : Number(Operation::constant, constant, 0, nullptr, nullptr) {}
  /// Constants alone make a constant.
  Number(Operation operation, const Number& a, const Number& b);
  /// What a slot holds when the combination starts. Throws Error(internal) for one that does not exist.
  friend Number slot(int number);
  /// `number` times i; for combinations of complex vectors only.
  friend Number imaginary(double number) { return {Operation::imaginary, number, 0, nullptr, nullptr}; }

  friend Number operator+(const Number& a, const Number& b) { return {Operation::plus, a, b}; }
  friend Number operator-(const Number& a, const Number& b) { return {Operation::minus, a, b}; }
  friend Number operator-(const Number& a) { return 0 - a; }
  friend Number operator*(const Number& a, const Number& b) { return {Operation::times, a, b}; }
  friend Number operator/(const Number& a, const Number& b) { return {Operation::over, a, b}; }
  /// 1 where the real part of a is less than that of b, else 0, also for NaN.
  friend Number operator<(const Number& a, const Number& b) { return {Operation::less, a, b}; }
  friend Number operator>(const Number& a, const Number& b) { return b < a; }
  /// The square root of the real part.
  friend Number root(const Number& a) { return {Operation::root, a, a}; }
  friend Number conjugate(const Number& a) { return {Operation::conjugate, a, a}; }
  /// `value` where `condition` is not 0, and 0 elsewhere, even where `value` is no number.
  friend Number where(const Number& condition, const Number& value) {
    return {Operation::where, condition, value};
  }
  bool is_one() const { return node_->operation == Operation::constant && node_->constant == 1; }

 private:
  friend class NumberSteps;
  struct Node {
    Operation operation;
    double constant;
    int slot;
    std::shared_ptr<const Node> a, b;
  };
  Number(Operation operation, double constant, int slot, std::shared_ptr<const Node> a,
         std::shared_ptr<const Node> b)
      : node_(std::make_shared<const Node>(Node{operation, constant, slot, std::move(a), std::move(b)})) {}
  std::shared_ptr<const Node> node_;
};

Number slot(int number);
Number imaginary(double number);

/// Numbers as steps of a formula, each once.
class NumberSteps {
 public:
  /// The step with this number.
  int of(const Number& number, Formula& f) { return of(number.node_, f); }
  /// The slots that the numbers read.
  const std::set<int>& slots() const { return slots_; }

 private:
  using Node = std::shared_ptr<const Number::Node>;
  int of(const Node& node, Formula& f);

  std::map<Node, int> steps_;
  std::set<int> slots_;
};

}  // namespace spmv
