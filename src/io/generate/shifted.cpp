#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "io/generate/generators.hpp"
#include "io/generate/parameters.hpp"

namespace spmv {
namespace {

class Shifted final : public RowSource {
 public:
  Shifted(std::unique_ptr<RowSource> source, double shift) : source_(std::move(source)), shift_(shift) {}

  Shape shape() const override { return source_->shape(); }
  int longest_row() const override { return source_->longest_row() + 1; }
  std::string describe() const override {
    return fmt::format("{}; {} added to the diagonal", source_->describe(), shift_);
  }

  int row_length(gidx row) const override {
    std::vector<gidx> cols(static_cast<std::size_t>(longest_row()));
    std::vector<double> values(cols.size());
    return this->row(row, cols.data(), values.data());
  }

  int row(gidx row, gidx* cols, double* values) const override {
    const int length = source_->row(row, cols, values);
    const auto place = std::lower_bound(cols, cols + length, row) - cols;
    if (place < length && cols[place] == row) {
      values[place] += shift_;
      return length;
    }
    std::copy_backward(cols + place, cols + length, cols + length + 1);
    std::copy_backward(values + place, values + length, values + length + 1);
    cols[place] = row;
    values[place] = shift_;
    return length + 1;
  }

 private:
  std::unique_ptr<RowSource> source_;
  double shift_;
};

}  // namespace

std::unique_ptr<RowSource> make_shifted(const std::string& parameters) {
  const std::size_t comma = parameters.find(',');
  const double shift = parse_real_parameters(parameters.substr(0, comma), 1, {})[0];
  require_parameter(comma != std::string::npos, "a generator must follow the shift");
  auto source = make_generator(parameters.substr(comma + 1));
  require_parameter(source->shape().rows == source->shape().cols,
                    "only a square matrix has a diagonal to shift");
  return std::make_unique<Shifted>(std::move(source), shift);
}

}  // namespace spmv
