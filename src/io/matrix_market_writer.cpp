#include "io/matrix_market_writer.hpp"

#include <algorithm>
#include <charconv>
#include <complex>
#include <type_traits>

#include <fmt/format.h>

#include "core/value_types.hpp"

namespace spmv {
namespace {

constexpr std::size_t longest_id = 20;      // of 64 bits
constexpr std::size_t longest_number = 25;  // -1.7976931348623157e+308

/// Writes a number and the character `after` to `at`, which has room for them. Returns their end.
template <class Number>
char* put(char* at, Number number, char after) {
  constexpr std::size_t room = std::is_floating_point_v<Number> ? longest_number : longest_id;
  at = std::to_chars(at, at + room, number).ptr;
  *at = after;
  return at + 1;
}

template <class Real>
char* put_value(char* at, Real value) {
  return put(at, static_cast<double>(value), '\n');
}

template <class Real>
char* put_value(char* at, std::complex<Real> value) {
  at = put(at, static_cast<double>(value.real()), ' ');
  return put(at, static_cast<double>(value.imag()), '\n');
}

}  // namespace

std::string matrix_market_head(const Shape& shape, gidx nonzeros, bool complex, const std::string& comment) {
  std::string line = comment;
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return fmt::format("%%MatrixMarket matrix coordinate {} general\n% {}\n{} {} {}\n",
                     complex ? "complex" : "real", line, shape.rows, shape.cols, nonzeros);
}

template <class T>
std::string matrix_market_lines(const RowBlock<T>& rows) {
  constexpr std::size_t longest_line = 2 * (longest_id + 1) + 2 * (longest_number + 1);
  std::string text;
  std::size_t used = 0;
  for (gidx i = 0; i < rows.rows(); ++i) {
    for (offset k = rows.row_ptr[i]; k < rows.row_ptr[i + 1]; ++k) {
      if (text.size() - used < longest_line) text.resize(2 * text.size() + 1024 * longest_line);
      char* at = text.data() + used;
      at = put(at, rows.first_row + i + 1, ' ');
      at = put(at, rows.col[k] + 1, ' ');
      used = static_cast<std::size_t>(put_value(at, rows.value[k]) - text.data());
    }
  }
  text.resize(used);
  return text;
}

SPMV_INSTANTIATE(matrix_market_lines);

}  // namespace spmv
