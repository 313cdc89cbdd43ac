// Coefficients of a combination as a small program, which the kernel runs where the sums are: on the device. So no solver
// waits for a sum on the host, and a new solver needs no CUDA code.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "core/error.hpp"
#include "kernels/parts/scalar.hpp"

namespace spmv {

/// Slots of a solver's numbers on the device.
inline constexpr int most_slots = 32;
/// Numbers of one line of the record that a kernel keeps for the host.
inline constexpr int record_width = 4;

/// Steps in order; step i leaves its result in register i. Plain data: kernels get it by value.
class Formula {
 public:
  enum class Operation : std::uint8_t {
    constant,   // number
    imaginary,  // number times i
    slot,       // slots[a]
    plus,       // a + b
    minus,      // a - b
    times,      // a * b
    over,       // a / b
    root,       // the square root of the real part of a
    conjugate,  // of a
    less,       // 1 where the real part of a is less than that of b, else 0, also for NaN
    where,      // b where a is not 0, else 0
    store,      // slots[b] = a
    record,     // number b of the record = the real part of a
    require,    // that a is neither 0 nor NaN
  };
  struct Step {
    Operation operation = Operation::constant;
    std::uint8_t a = 0;
    std::uint8_t b = 0;
    double number = 0;
  };
  static constexpr int most_steps = 64;

  /// Appends a step and returns its number. Throws Error(internal) if there are too many.
  int add(Operation operation, int a, int b = 0, double number = 0) {
    if (count_ == most_steps) throw Error(ExitCode::internal, "a formula has too many steps");
    step_[count_] = {operation, static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b), number};
    return count_++;
  }
  /// Keeps the result of a step in a slot for later kernels. No formula of the same kernel may read that slot.
  void store(int slot, int step) { add(Operation::store, step, checked(slot, most_slots)); }
  /// Shows its real part to the host, as number `column` of the line that this kernel records.
  void record(int column, int step) {
    add(Operation::record, step, checked(column, record_width));
    records_ = true;
  }

  /// Where its result is 0 or no number, the combination changes nothing: no vector, no sum and no slot. It records its line
  /// all the same. Several conditions must all hold.
  void require(int step) {
    add(Operation::require, step);
    requires_ = true;
  }

  constexpr int steps() const { return count_; }
  constexpr bool records() const { return records_; }
  constexpr bool requires_something() const { return requires_; }
  constexpr const Step& step(int i) const { return step_[i]; }

 private:
  static int checked(int number, int end) {
    if (number < 0 || number >= end)
      throw Error(ExitCode::internal, "a formula names a slot that does not exist");
    return number;
  }
  Step step_[most_steps];
  int count_ = 0;
  bool records_ = false;
  bool requires_ = false;
  template <class S>
  friend constexpr bool evaluate(const Formula&, const S*, S*);
};

constexpr bool is_nan(double a) {
  return a != a;
}
constexpr bool is_nan(ComplexScalar a) {
  return is_nan(a.re) || is_nan(a.im);
}

/// Runs the steps but `store` and `record`: register[i] is the result of step i. Returns whether all that is required holds. On
/// host and device.
template <class S>
constexpr bool evaluate(const Formula& formula, const S* slots, S* registers) {
  using Operation = Formula::Operation;
  bool holds = true;
  for (int i = 0; i < formula.count_; ++i) {
    const Formula::Step step = formula.step_[i];
    const S a = step.operation == Operation::slot ? slots[step.a] : registers[step.a];
    const S b = registers[step.b];
    switch (step.operation) {
      case Operation::constant:
        registers[i] = scalar_of<S>(step.number);
        break;
      case Operation::imaginary:
        registers[i] = imaginary_of<S>(step.number);
        break;
      case Operation::plus:
        registers[i] = a + b;
        break;
      case Operation::minus:
        registers[i] = a - b;
        break;
      case Operation::times:
        registers[i] = a * b;
        break;
      case Operation::over:
        registers[i] = a / b;
        break;
      case Operation::root:
        registers[i] = scalar_of<S>(sqrt(real_part(a)));
        break;
      case Operation::conjugate:
        registers[i] = conjugate(a);
        break;
      case Operation::less:
        registers[i] = scalar_of<S>(real_part(a) < real_part(b) ? 1 : 0);
        break;
      case Operation::where:
        registers[i] = is_zero(a) ? scalar_of<S>(0) : b;
        break;
      case Operation::require:
        holds = holds && !is_zero(a) && !is_nan(a);
        break;
      case Operation::slot:
      case Operation::store:
      case Operation::record:
        registers[i] = a;
        break;
    }
  }
  return holds;
}

}  // namespace spmv
