#include "dist/magnitudes.hpp"

#include "core/value_types.hpp"

namespace spmv {
namespace {

/// Of one row's values. Pure.
template <class T>
int magnitude_of(const T* first, const T* end) {
  double largest = 0;
  for (const T* value = first; value != end; ++value) {
    const double size = std::max(std::abs(double{std::real(*value)}), std::abs(double{std::imag(*value)}));
    if (size > largest && std::isfinite(size)) largest = size;
  }
  return largest == 0 ? Magnitudes::none : std::ilogb(largest) + 1;
}

}  // namespace

template <class T>
Magnitudes find_magnitudes(const Communicator& communicator, const Csr<T>& block) {
  Magnitudes found;
  communicator.together([&] { found.of_row.resize(static_cast<std::size_t>(block.rows)); });
  int largest = Magnitudes::none;
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (std::size_t row = 0; row < found.of_row.size(); ++row) {
    const int e =
        magnitude_of(block.value.data() + block.row_ptr[row], block.value.data() + block.row_ptr[row + 1]);
    found.of_row[row] = static_cast<std::int16_t>(e);
    largest = std::max(largest, e);
  }
  found.largest = static_cast<int>(communicator.max(gidx{largest}));
  return found;
}

SPMV_INSTANTIATE(find_magnitudes);

}  // namespace spmv
