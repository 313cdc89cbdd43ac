#include <algorithm>

#include <omp.h>

#include "core/value_types.hpp"
#include "kernels/block/block.hpp"
#include "kernels/parts/balanced_split.hpp"
#include "kernels/parts/row_lanes.hpp"

namespace spmv {

template <class T>
void multiply_host(const BlockView<T>& a, const T* x, T* y, Update update) {
  const offset bands = (offset{a.rows} + half_warp - 1) / half_warp;
#pragma omp parallel
  {
    const int part = omp_get_thread_num();
    const int parts = omp_get_num_threads();
    const offset last = first_of_part(a.first_block, bands, part + 1, parts);
    for (offset band = first_of_part(a.first_block, bands, part, parts); band < last; ++band) {
      RowLanes<T, 1> sums[half_warp];
      for (offset block = a.first_block[band]; block < a.first_block[band + 1]; ++block) {
        const T* block_x = x + a.first_col[block];
        for (int i = 0; i < half_warp; ++i) {
          const offset begin = a.first_element[block] + a.row_start[block * half_warp + i] * half_warp;
          const offset end = begin + a.row_length[block * half_warp + i];
          for (offset at = begin; at < end; ++at) sums[i].add_product(0, a.value + at, block_x, a.col[at]);
        }
      }
      const offset first_row = band * half_warp;
      const int count = static_cast<int>(std::min<offset>(half_warp, a.rows - first_row));
      for (int i = 0; i < count; ++i) {
        T& target = y[a.row_list ? a.row_list[first_row + i] : first_row + i];
        target = update == Update::add ? target + sums[i].get(0) : sums[i].get(0);
      }
    }
  }
}

SPMV_INSTANTIATE(multiply_host);

}  // namespace spmv
