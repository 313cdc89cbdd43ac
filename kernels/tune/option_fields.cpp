#include "kernels/tune/option_fields.hpp"

#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

namespace spmv {
namespace {

template <auto field>
OptionField row(const char* name) {
  return {name, [](const FormatOptions& options) { return static_cast<int>(options.*field); },
          [](FormatOptions& options, int value) {
            options.*field = static_cast<std::decay_t<decltype(options.*field)>>(value);
          }};
}

}  // namespace

const std::vector<OptionField>& option_fields() {
  static const std::vector<OptionField> table = {
      row<&FormatOptions::block_rows>("block_rows"),
      row<&FormatOptions::chunk_rows>("chunk_rows"),
      row<&FormatOptions::sigma>("sigma"),
      row<&FormatOptions::threads_per_row>("threads_per_row"),
      row<&FormatOptions::threads_per_block>("threads_per_block"),
      row<&FormatOptions::unroll>("unroll"),
      row<&FormatOptions::popular_first>("popular_first"),
      row<&FormatOptions::entry_block>("entry_block"),
  };
  return table;
}

std::string describe(const FormatOptions& options) {
  std::string text;
  for (const OptionField& field : option_fields())
    if (field.get(options) != field.get({}))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", field.name, field.get(options));
  return text;
}

bool same(const FormatOptions& a, const FormatOptions& b) {
  return std::all_of(option_fields().begin(), option_fields().end(),
                     [&](const OptionField& field) { return field.get(a) == field.get(b); });
}

}  // namespace spmv
