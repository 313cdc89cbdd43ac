#include "kernels/format_options.hpp"

#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

namespace spmv {
namespace {

template <auto member>
int get(const FormatOptions& options) {
  return static_cast<int>(options.*member);
}

template <auto member>
void set(FormatOptions& options, int value) {
  options.*member = static_cast<std::decay_t<decltype(options.*member)>>(value);
}

/// Powers of two from `least` to `most`.
std::vector<int> powers_of_two(int least, int most) {
  std::vector<int> values;
  for (int value = least; value <= most; value *= 2) values.push_back(value);
  return values;
}

/// 0, and the sizes of blocks.
std::vector<int> entry_blocks() {
  std::vector<int> values = {0};
  for (int b = least_entry_block; b <= most_entry_block; ++b) values.push_back(b);
  return values;
}

}  // namespace

const std::vector<OptionField>& option_fields() {
  static const std::vector<OptionField> table = {
      {.name = "block_rows",
       .flag = "--block-rows",
       .summary = "pJDS: rows padded together, b_r",
       .least = 1,
       .most = 1 << 20,
       .allowed = {},
       .get = get<&FormatOptions::block_rows>,
       .set = set<&FormatOptions::block_rows>},
      {.name = "chunk_rows",
       .flag = "--chunk-rows",
       .summary = "SELL: rows of a slice, C; a power of two",
       .allowed = powers_of_two(1, 1 << 20),
       .get = get<&FormatOptions::chunk_rows>,
       .set = set<&FormatOptions::chunk_rows>},
      {.name = "sigma",
       .flag = "--sigma",
       .summary = "SELL: rows sorted together; 1: none",
       .least = 1,
       .most = 1 << 30,
       .allowed = {},
       .get = get<&FormatOptions::sigma>,
       .set = set<&FormatOptions::sigma>},
      {.name = "threads_per_row",
       .flag = "--threads-per-row",
       .summary = "T, a power of two up to 32; 0: by the length of the rows",
       .allowed = {0, 1, 2, 4, 8, 16, 32},
       .get = get<&FormatOptions::threads_per_row>,
       .set = set<&FormatOptions::threads_per_row>},
      {.name = "threads_per_block",
       .flag = "--threads-per-block",
       .summary = "CUDA: 64, 128, 256 or 512; 0: by the format",
       .allowed = {0, 64, 128, 256, 512},
       .get = get<&FormatOptions::threads_per_block>,
       .set = set<&FormatOptions::threads_per_block>},
      {.name = "unroll",
       .flag = "--unroll",
       .summary = "CUDA: elements of a row in flight together, 4 or 8; 0: by the length of the rows",
       .allowed = {0, 4, 8},
       .get = get<&FormatOptions::unroll>,
       .set = set<&FormatOptions::unroll>},
      {.name = "entry_block",
       .flag = "--entry-block",
       .summary = "b of b x b blocks, 2 to 6; 0: what needs least bytes",
       .allowed = entry_blocks(),
       .get = get<&FormatOptions::entry_block>,
       .set = set<&FormatOptions::entry_block>},
      {.name = "popular_first",
       .flag = "--popular-first",
       .summary = "csr, csr_packed: rows whose columns occur most come first",
       .most = 1,
       .allowed = {},
       .is_switch = true,
       .get = get<&FormatOptions::popular_first>,
       .set = set<&FormatOptions::popular_first>},
  };
  return table;
}

bool is_allowed(const OptionField& field, std::int64_t value) {
  if (field.allowed.empty()) return value >= field.least && value <= field.most;
  return std::find(field.allowed.begin(), field.allowed.end(), value) != field.allowed.end();
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
