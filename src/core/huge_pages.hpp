#pragma once

#include <cstddef>
#include <vector>

namespace spmv {

/// Of most processors that Linux runs on. Where it is another, the advice is for fewer or more pages than there are.
inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

/// Asks the kernel for large pages behind memory that has been allocated and not yet touched: the first touch of
/// gigabytes in pages of 4 KiB takes as long as reading them from a file. Advice only: it changes nothing but
/// times. Local.
void prefer_huge_pages(void* begin, std::size_t bytes);

/// Room for `count` elements, in large pages if it is much. `array` is empty. Local.
template <class V>
void reserve_in_huge_pages(std::vector<V>& array, std::size_t count) {
  array.reserve(count);
  prefer_huge_pages(array.data(), count * sizeof(V));
}

}  // namespace spmv
