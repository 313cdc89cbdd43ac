#include "load/one_triangle.hpp"

#include <complex>
#include <limits>

#include "core/value_types.hpp"
#include "dist/prepare/assemble.hpp"

namespace spmv {

template <class T>
void require_one_triangle(const Communicator& communicator, const std::string& path,
                          const MatrixMarketHeader& header, const MatrixMarketPart<T>& part,
                          const RowPartition& rows) {
  const Triangles named = triangles(part, header);
  const auto everywhere = communicator.sum(std::vector<gidx>{named.lower, named.upper});
  if (everywhere[0] == 0 || everywhere[1] == 0) return;
  const RowBlock<std::complex<float>> marks = assemble(communicator, rows, by_triangle(part, header));
  constexpr gidx none = std::numeric_limits<gidx>::max();
  TwiceNamed twice{0, none, none};
  for (gidx row = 0; row < marks.rows(); ++row)
    for (offset k = marks.row_ptr[static_cast<std::size_t>(row)];
         k < marks.row_ptr[static_cast<std::size_t>(row) + 1]; ++k) {
      const std::complex<float> mark = marks.value[static_cast<std::size_t>(k)];
      if (mark.real() == 0 || mark.imag() == 0) continue;
      if (twice.pairs++ == 0) {
        twice.row = marks.first_row + row;
        twice.col = marks.col[static_cast<std::size_t>(k)];
      }
    }
  twice.pairs = communicator.sum(twice.pairs);
  const gidx first = communicator.min(twice.row);
  twice.col = communicator.min(twice.row == first ? twice.col : none);
  twice.row = first;
  communicator.together([&] { refuse_both_triangles(path, header, twice); });
}

SPMV_INSTANTIATE(require_one_triangle);

}  // namespace spmv
