#include "kernels/combine/number.hpp"

namespace spmv {

Number::Number(Operation operation, const Number& a, const Number& b)
    : Number(operation, 0, 0, a.node_, b.node_) {
  if (a.node_->operation != Operation::constant || b.node_->operation != Operation::constant) return;
  const double x = a.node_->constant, y = b.node_->constant;
  if (operation == Operation::plus) *this = x + y;
  if (operation == Operation::minus) *this = x - y;
  if (operation == Operation::times) *this = x * y;
  if (operation == Operation::over) *this = x / y;
}

Number slot(int number) {
  if (number < 0 || number >= most_slots)
    throw Error(ExitCode::internal, "a number names a slot that does not exist");
  return {Number::Operation::slot, 0, number, nullptr, nullptr};
}

int NumberSteps::of(const Node& node, Formula& f) {
  if (const auto found = steps_.find(node); found != steps_.end()) return found->second;
  int a = node->slot, b = 0;
  if (node->operation == Number::Operation::slot) slots_.insert(node->slot);
  if (node->a != nullptr) {
    a = of(node->a, f);
    b = of(node->b, f);
  }
  const int step = f.add(node->operation, a, b, node->constant);
  steps_.emplace(node, step);
  return step;
}

}  // namespace spmv
