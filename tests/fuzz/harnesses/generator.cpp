#include "io/generate/generator.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/error.hpp"
#include "fuzz/harness.hpp"

namespace spmv::fuzz {
namespace {

/// Number `index` between the commas of `text`, or `otherwise`.
double number(std::string_view text, int index, double otherwise) {
  for (; index > 0; --index) {
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos) return otherwise;
    text.remove_prefix(comma + 1);
  }
  double value = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

void check_row(const RowSource& source, const Shape& shape, gidx row) {
  constexpr int longest = 100'000;
  const int length = source.row_length(row);
  require(length >= 0 && length <= source.longest_row(), "a row longer than the longest");
  require(length <= shape.cols, "a row longer than the matrix is wide");
  if (source.longest_row() > longest) return;
  const auto room = static_cast<std::size_t>(source.longest_row());
  std::vector<gidx> cols(room);
  std::vector<double> values(room);
  require(source.row(row, cols.data(), values.data()) == length, "a row of another length");
  for (int i = 0; i < length; ++i) {
    require(cols[i] >= 0 && cols[i] < shape.cols, "a column outside");
    require(i == 0 || cols[i] > cols[i - 1], "columns that do not ascend");
    require(std::isfinite(values[i]), "a value that is not finite");
  }
}

}  // namespace

bool is_slow_generator(std::string_view specification) {
  const auto behind = [&](std::string_view name) {
    const std::size_t at = specification.rfind(name);
    return at == std::string_view::npos ? std::string_view() : specification.substr(at + name.size());
  };
  return number(behind("holstein-hubbard:"), 0, 0) > 8 || number(behind("holstein-hubbard:"), 3, 0) > 100 ||
         number(behind("powerlaw:"), 2, 0) > 50;
}

void generator(std::string_view input) {
  if (is_slow_generator(input)) return;
  std::unique_ptr<RowSource> source;
  try {
    source = make_generator(std::string(input));
  } catch (const Error& error) {
    require(error.code() == ExitCode::usage, error.what());
    return;
  }
  const Shape shape = source->shape();
  require(shape.rows >= 0 && shape.cols >= 0, "a negative size");
  require(!source->describe().empty(), "no description");
  if (shape.rows == 0) return;
  for (const gidx row : {gidx{0}, gidx{1}, shape.rows / 3, shape.rows / 2, shape.rows - 1})
    if (row < shape.rows) check_row(*source, shape, row);
}

}  // namespace spmv::fuzz
