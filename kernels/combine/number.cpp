#include "kernels/combine/number.hpp"

namespace spmv {

Number slot(int number) {
  if (number < 0 || number >= most_slots)
    throw Error(ExitCode::internal, "a number names a slot that does not exist");
  return {Number::Operation::slot, 0, number, nullptr, nullptr};
}

Value NumberSteps::of(const Node& node, Formula& f) {
  const auto found = steps_.find(node);
  if (found != steps_.end()) return found->second;
  const Value step = made(*node, f);
  steps_.emplace(node, step);
  return step;
}

Value NumberSteps::made(const Number::Node& node, Formula& f) {
  using Operation = Number::Operation;
  switch (node.operation) {
    case Operation::constant:
      return f.constant(node.constant);
    case Operation::imaginary:
      return f.imaginary(node.constant);
    case Operation::slot:
      slots_.insert(node.slot);
      return f.slot(node.slot);
    default:
      break;
  }
  const Value a = of(node.a, f), b = of(node.b, f);
  switch (node.operation) {
    case Operation::plus:
      return a + b;
    case Operation::minus:
      return a - b;
    case Operation::times:
      return a * b;
    case Operation::over:
      return a / b;
    case Operation::root:
      return f.root(a);
    case Operation::conjugate:
      return f.conjugate(a);
    case Operation::less:
      return a < b;
    default:
      return f.where(a, b);
  }
}

}  // namespace spmv
