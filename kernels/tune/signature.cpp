#include "kernels/tune/signature.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "core/fnv1a.hpp"
#include "core/value_types.hpp"
#include "kernels/parts/half_size.hpp"
#include "kernels/parts/value_set.hpp"

namespace spmv {
namespace {

/// The stride of the numbers 0, stride, 2 stride, ... below `count`, at most `most` of them. Odd, so that they do not skip a
/// pattern that alternates.
offset stride_of(offset count, offset most) {
  return ((count + most - 1) / most) | 1;
}

/// A hash of whole numbers one after the other: one multiplication for each, where Fnv1a takes eight.
std::uint64_t mixed(std::uint64_t state, std::uint64_t number) {
  state = (state ^ number) * 0x9e3779b97f4a7c15U;
  return state ^ state >> 32;
}

/// Hash of number(0) .. number(count - 1). Parts of them, the same on any number of threads, are hashed side by side.
template <class Number>
std::uint64_t hash_in_parts(offset count, const Number& number) {
  constexpr offset part = 1 << 13;
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>((count + part - 1) / part));
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < hashes.size(); ++p) {
    std::uint64_t hash = 0x243f6a8885a308d3U;
    const offset first = static_cast<offset>(p) * part;
    for (offset k = first; k < std::min(first + part, count); ++k) hash = mixed(hash, number(k));
    hashes[p] = hash;
  }
  Fnv1a all;
  for (const std::uint64_t hash : hashes) all.add(hash);
  return all.value();
}

}  // namespace

template <class T>
std::string signature(const Csr<T>& block, const FormatOptions& options, const OptionNames& fixed) {
  // Takes a fraction of a product, which does not matter even for a choice for a hundred products.
  constexpr offset most_ends = 1 << 16, most_values = 1 << 14;
  const offset most_columns = std::clamp<offset>(block.nonzeros() / 16, 1 << 12, 1 << 16);
  Fnv1a hash;
  // The end of a row depends on the lengths of all rows before.
  const offset end_stride = stride_of(block.rows, most_ends);
  hash.add(hash_in_parts((block.rows + end_stride - 1) / end_stride, [&](offset k) {
    return static_cast<std::uint64_t>(block.row_ptr[std::min<offset>((k + 1) * end_stride, block.rows)]);
  }));
  const offset col_stride = stride_of(block.nonzeros(), most_columns);
  hash.add(hash_in_parts((block.nonzeros() + col_stride - 1) / col_stride,
                         [&](offset k) { return static_cast<std::uint64_t>(block.col[k * col_stride]); }));
  std::vector<T> values;
  const offset value_stride = stride_of(block.nonzeros(), most_values);
  for (offset k = 0; k < block.nonzeros(); k += value_stride) values.push_back(block.value[k]);
  const auto few = few_values(values).size();
  hash.add(few == 0 ? 2U : few == 1 ? 0U : 1U);
  hash.add(std::all_of(values.begin(), values.end(), [](const T& value) { return fits_half(value); }) ? 1U
                                                                                                      : 0U);
  std::string text = fmt::format("{} {}x{} {} {:016x}", value_name<T>(), block.rows, block.cols,
                                 block.nonzeros(), hash.value());
  for (const OptionField& field : option_fields())
    if (contains(fixed, field.name)) text += fmt::format(" {}={}", field.name, field.get(options));
  return text;
}

SPMV_INSTANTIATE(signature);

}  // namespace spmv
