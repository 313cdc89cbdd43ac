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

/// Calls add(k) for up to `most` numbers below `count`, spread evenly.
template <class Add>
void sample(offset count, offset most, const Add& add) {
  const offset stride = std::max<offset>(1, (count + most - 1) / most);
  for (offset k = 0; k < count; k += stride) add(k);
}

}  // namespace

template <class T>
std::string signature(const Csr<T>& block, const FormatOptions& options, const OptionNames& fixed) {
  // About as long as half a product: a choice for a hundred products must not notice it.
  const offset most_columns = std::clamp<offset>(block.nonzeros() / 16, 1 << 12, 1 << 20);
  constexpr offset most_values = 1 << 14;
  Fnv1a hash;
  for (lidx row = 0; row + 1 < block.rows; row += 2)  // two at a time: hashing them takes long
    hash.add(static_cast<std::uint64_t>(block.row_length(row)) << 32 |
             static_cast<std::uint64_t>(block.row_length(row + 1)));
  sample(block.nonzeros(), most_columns,
         [&](offset k) { hash.add(static_cast<std::uint64_t>(block.col[k])); });
  std::vector<T> values;
  sample(block.nonzeros(), most_values, [&](offset k) { values.push_back(block.value[k]); });
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
