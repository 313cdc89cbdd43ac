#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "io/generate/generators.hpp"
#include "io/generate/parameters.hpp"
#include "io/generate/permutation.hpp"

namespace spmv {
namespace {

class Shuffled final : public RowSource {
 public:
  Shuffled(std::unique_ptr<RowSource> source, gidx seed)
      : source_(std::move(source)),
        seed_(seed),
        place_(std::max(gidx{1}, source_->shape().rows), static_cast<std::uint64_t>(seed)) {}

  Shape shape() const override { return source_->shape(); }
  int longest_row() const override { return source_->longest_row(); }
  int row_length(gidx row) const override { return source_->row_length(place_.inverse(row)); }
  std::string describe() const override {
    return fmt::format("{}; rows and columns renumbered at random, seed {}", source_->describe(), seed_);
  }

  int row(gidx row, gidx* cols, double* values) const override {
    const int length = source_->row(place_.inverse(row), cols, values);
    std::vector<std::pair<gidx, double>> sorted;
    sorted.reserve(static_cast<std::size_t>(length));
    for (int j = 0; j < length; ++j) sorted.emplace_back(place_(cols[j]), values[j]);
    std::sort(sorted.begin(), sorted.end());
    for (int j = 0; j < length; ++j) std::tie(cols[j], values[j]) = sorted[static_cast<std::size_t>(j)];
    return length;
  }

 private:
  std::unique_ptr<RowSource> source_;
  gidx seed_;
  Permutation place_;  // from row ids of the source to new ones
};

}  // namespace

std::unique_ptr<RowSource> make_shuffled(const std::string& parameters) {
  const std::size_t comma = parameters.find(',');
  const gidx seed = parse_parameters(parameters.substr(0, comma), 1, {})[0];
  require_parameter(comma != std::string::npos, "a generator must follow the seed");
  auto source = make_generator(parameters.substr(comma + 1));
  require_parameter(source->shape().rows == source->shape().cols, "only a square matrix can be renumbered");
  return std::make_unique<Shuffled>(std::move(source), seed);
}

}  // namespace spmv
