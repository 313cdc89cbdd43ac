#include <algorithm>

#include <fmt/format.h>

#include "app/html/figure.hpp"
#include "app/html/values.hpp"
#include "app/html/words.hpp"

namespace spmv::html {

const std::vector<RunFigure>& run_figures() {
  static const std::vector<RunFigure> figures = {
      {"modes", "Modes side by side",
       "Bars reach to the median time of a product, of the slowest rank: shorter is better. The line on a bar is the range that the "
       "sentence names; where two ranges overlap, this run does not tell which of the two is faster.",
       draw_modes},
      {"overlap", "What limits the overlap",
       "The way of the halo is everything from gathering elements of x to having those of other ranks in place. What of it runs beside the "
       "product that needs no halo costs nothing; what sticks out makes the product longer.",
       draw_overlap},
      {"timeline", "One product on every rank",
       "For each rank the upper line is its computation, the lower one the way of its halo; time goes to the right, the same for all modes. "
       "In a good overlap the lower line ends before the first part of the upper one does.",
       draw_timeline},
      {"roofline", "Roofline",
       "To the right: floating point operations for each byte that moves between memory and cores. Upward: operations per second. The slanted "
       "line is what the measured bandwidth of memory allows; the rate of the arithmetic units, which would cut it off far above, is not measured.",
       draw_roofline},
      {"spy", "Where the nonzeros are, and whose",
       "Each cell stands for a block of rows and columns, the stronger its colour the more nonzeros it has (by the logarithm). Colours are ranks. "
       "Left: as the matrix was read. Right: as the ranks have it; what lies off the blocks along the diagonal needs elements of x of another rank.",
       draw_spy},
      {"communication", "Who sends to whom",
       "Bytes of x from the rank of a row to the rank of a column, in one product; the stronger the colour the more.",
       draw_communication},
      {"imbalance", "How even the shares are",
       "For each rank its nonzeros and its halo, relative to the average of all: the rank with the longest bars makes all others wait.",
       draw_imbalance},
      {"row_lengths", "Row lengths", "How many rows have how many nonzeros. Upward: rows, in powers of ten.",
       draw_row_lengths},
      {"environment", "Where and how it was measured", "What somebody needs who wants to measure it again.",
       draw_environment},
  };
  return figures;
}

std::string mode_title(const Json& run, const Json& mode) {
  std::string name = text(mode, "mode");
  const Json& modes = member(run, "modes");
  const auto same =
      std::count_if(modes.begin(), modes.end(), [&](const Json& m) { return text(m, "mode") == name; });
  if (same <= 1) return name;
  const Json& chosen = member(mode, "transport_chosen");
  return fmt::format("{} over {}{}", name, text(mode, "transport"),
                     chosen.is_boolean() && chosen.get<bool>() ? " (auto)" : "");
}

std::vector<const Json*> timed_modes(const Json& run) {
  std::vector<const Json*> modes;
  for (const Json& mode : member(run, "modes"))
    if (number_or_0(mode, "median_s") > 0) modes.push_back(&mode);
  std::stable_sort(modes.begin(), modes.end(), [](const Json* a, const Json* b) {
    return number_or_0(*a, "median_s") < number_or_0(*b, "median_s");
  });
  return modes;
}

MatrixFacts matrix_of(const Json& run) {
  const Json& matrix = member(run, "matrix");
  return {text(matrix, "name"),        text(matrix, "description"), text(matrix, "value"),
          number_or_0(matrix, "rows"), number_or_0(matrix, "cols"), number_or_0(matrix, "nonzeros")};
}

double ranks_of(const Json& run) {
  return number_or_0(member(run, "environment"), "ranks");
}

}  // namespace spmv::html
