#include "kernels/tune/signature.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "core/xxh64.hpp"
#include "kernels/parts/half_size.hpp"
#include "kernels/parts/value_set.hpp"

namespace spmv {
namespace {

/// The stride of the numbers 0, stride, 2 stride, ... below `count`, at most `most` of them. Odd, so that they do not skip a
/// pattern that alternates.
offset stride_of(offset count, offset most) {
  return ((count + most - 1) / most) | 1;
}

/// Appends number(0), number(stride), number(2 stride), ... of `count` numbers. In parallel, because each is far from the
/// next in memory.
template <class Number>
void add_samples(std::vector<std::uint64_t>& numbers, offset count, offset stride, const Number& number) {
  const std::size_t begin = numbers.size();
  const offset samples = (count + stride - 1) / stride;
  numbers.resize(begin + static_cast<std::size_t>(samples));
#pragma omp parallel for schedule(static)
  for (offset k = 0; k < samples; ++k)
    numbers[begin + static_cast<std::size_t>(k)] = static_cast<std::uint64_t>(number(k * stride));
}

}  // namespace

template <class T>
std::string signature(const Csr<T>& block, const FormatOptions& options, const OptionNames& fixed,
                      const ProductKind& kind) {
  // Takes a fraction of a product, which does not matter even for a choice for a hundred products.
  constexpr offset most_ends = 1 << 16, most_values = 1 << 14;
  const offset most_columns = std::clamp<offset>(block.nonzeros() / 16, 1 << 12, 1 << 16);
  std::vector<std::uint64_t> numbers;
  // The end of a row depends on the lengths of all rows before.
  const offset end_stride = stride_of(block.rows, most_ends);
  add_samples(numbers, block.rows, end_stride,
              [&](offset k) { return block.row_ptr[std::min<offset>(k + end_stride, block.rows)]; });
  add_samples(numbers, block.nonzeros(), stride_of(block.nonzeros(), most_columns),
              [&](offset k) { return block.col[k]; });
  std::vector<T> values;
  const offset value_stride = stride_of(block.nonzeros(), most_values);
  for (offset k = 0; k < block.nonzeros(); k += value_stride) values.push_back(block.value[k]);
  const auto few = few_values(values).size();
  numbers.push_back(few == 0 ? 2U : few == 1 ? 0U : 1U);
  numbers.push_back(
      std::all_of(values.begin(), values.end(), [](const T& value) { return fits_half(value); }));
  std::string text =
      fmt::format("{} {}x{} {} {:016x}", value_name<T>(), block.rows, block.cols, block.nonzeros(),
                  xxh64(numbers.data(), numbers.size() * sizeof(std::uint64_t), 0));
  for (const OptionField& field : option_fields())
    if (contains(fixed, field.name)) text += fmt::format(" {}={}", field.name, field.get(options));
  if (kind.sums) text += " sums";
  if (kind.columns > 1) text += fmt::format(" columns={}", kind.columns);
  return text;
}

SPMV_INSTANTIATE(signature);

}  // namespace spmv
