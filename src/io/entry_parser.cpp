#include "io/entry_parser.hpp"

#include "core/value_types.hpp"
#include "io/parse.hpp"

namespace spmv {
namespace {

using Layout = MatrixMarketHeader::Layout;
using Field = MatrixMarketHeader::Field;
using Symmetry = MatrixMarketHeader::Symmetry;

/// Moves p to the first token of the line. If the line has no data, moves p to the next line and returns true.
inline bool pass_if_no_data(const char*& p, const char* end) {
  if (is_digit(*p)) return false;
  p = skip_blanks(p);
  if (*p != '%' && !is_line_end(*p)) return false;
  p = *p == '%' ? skip_line(p, end) : finish_line(p);
  return true;
}

/// A 1-based id to a 0-based one.
inline const char* parse_id(const char* p, gidx size, gidx& id, const char* what) {
  const char* const stop = parse_integer(p, id, what);
  if (id < 1 || id > size) fault_at(p, "{} {} is outside 1..{}; correct it or the size line", what, id, size);
  --id;
  return stop;
}

template <Field field, class T>
inline const char* parse_value(const char* p, const char* end, T& value, gidx& beyond) {
  using R = RealOf<T>;
  R real = 1;
  if constexpr (field == Field::integer) p = parse_whole(p, real, beyond);
  if constexpr (field == Field::real || field == Field::complex) p = parse_real(p, end, real);
  value = T(real);
  if constexpr (field == Field::complex) {
    R imaginary = 0;
    p = parse_real(skip_to_next(p, "the imaginary part"), end, imaginary);
    value = T(real, imaginary);
  }
  return p;
}

template <Field field, class T>
gidx parse_coordinates(std::string_view lines, gidx limit, const MatrixMarketHeader& header,
                       std::vector<Entry<T>>& entries, gidx& beyond) {
  const gidx rows = header.rows;
  const gidx cols = header.cols;
  const Symmetry symmetry = header.symmetry;
  const char* p = lines.data();
  const char* const end = p + lines.size();
  gidx count = 0;
  while (p != end && count < limit) {
    if (pass_if_no_data(p, end)) continue;
    const char* const line = p;
    Entry<T> entry;
    p = skip_to_next(parse_id(p, rows, entry.row, "row"), "the column");
    p = parse_id(p, cols, entry.col, "column");
    if constexpr (field != Field::pattern) p = skip_to_next(p, "the value");
    p = finish_line(parse_value<field>(p, end, entry.value, beyond));
    entries.push_back(entry);
    ++count;
    if (symmetry == Symmetry::general) continue;
    if (entry.row != entry.col) {
      entries.push_back({entry.col, entry.row, mirrored(entry.value, symmetry)});
    } else if (const char* why = why_not_on_diagonal(entry.value, symmetry))
      fault_at(line, "{}", why);
  }
  return count;
}

template <Field field, class T>
gidx parse_values(std::string_view lines, gidx limit, std::vector<Entry<T>>& entries, gidx& beyond) {
  const char* p = lines.data();
  const char* const end = p + lines.size();
  gidx count = 0;
  while (p != end && count < limit) {
    if (pass_if_no_data(p, end)) continue;
    Entry<T> entry{0, 0, T(0)};
    p = finish_line(parse_value<field>(p, end, entry.value, beyond));
    entries.push_back(entry);
    ++count;
  }
  return count;
}

template <Field field, class T>
gidx parse_layout(std::string_view lines, gidx limit, const MatrixMarketHeader& header,
                  std::vector<Entry<T>>& entries, gidx& beyond) {
  return header.layout == Layout::coordinate ? parse_coordinates<field>(lines, limit, header, entries, beyond)
                                             : parse_values<field>(lines, limit, entries, beyond);
}

}  // namespace

const char* skip_data_lines(std::string_view lines, gidx& count) {
  const char* p = lines.data();
  const char* const end = p + lines.size();
  while (p != end && count > 0) {
    if (pass_if_no_data(p, end)) continue;
    p = skip_line(p, end);
    --count;
  }
  return p;
}

template <class T>
gidx parse_data_lines(std::string_view lines, gidx limit, const MatrixMarketHeader& header,
                      std::vector<Entry<T>>& entries, gidx& beyond) {
  switch (header.field) {
    case Field::real:
      return parse_layout<Field::real>(lines, limit, header, entries, beyond);
    case Field::integer:
      return parse_layout<Field::integer>(lines, limit, header, entries, beyond);
    case Field::pattern:
      return parse_layout<Field::pattern>(lines, limit, header, entries, beyond);
    case Field::complex:
      break;
  }
  if constexpr (is_complex<T>) {
    return parse_layout<Field::complex>(lines, limit, header, entries, beyond);
  } else {
    fault_at(lines.data(), "a complex value cannot become a real one");
  }
}

SPMV_INSTANTIATE(parse_data_lines);

}  // namespace spmv
