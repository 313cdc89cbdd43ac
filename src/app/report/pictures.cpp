#include "app/report/pictures.hpp"

#include <algorithm>
#include <cmath>

namespace spmv {

std::vector<RowLengthClass> row_length_classes(gidx shortest, gidx longest) {
  std::vector<RowLengthClass> classes;
  if (longest - shortest < Pictures::most_cells) {
    for (gidx length = shortest; length <= longest; ++length) classes.push_back({length, length, 0});
    return classes;
  }
  // The ends of the classes grow by a constant factor, but at least by one length.
  const double begin = std::log(static_cast<double>(std::max<gidx>(shortest, 1)));
  const double step = (std::log(static_cast<double>(longest) + 1) - begin) / (Pictures::most_cells - 1);
  gidx from = shortest;
  for (int k = 0; from <= longest; ++k) {
    const auto end = static_cast<gidx>(std::floor(std::exp(begin + k * step)));
    const gidx to = k + 1 == Pictures::most_cells ? longest : std::min(std::max(from, end - 1), longest);
    classes.push_back({from, to, 0});
    from = to + 1;
  }
  return classes;
}

}  // namespace spmv
