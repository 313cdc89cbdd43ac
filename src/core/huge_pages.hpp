#pragma once

#include <cstddef>
#include <vector>

namespace spmv {

/// The size on most processors that Linux runs on; on others the advice covers too few or too many pages.
inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

/// Asks the kernel for large pages for memory that is allocated and not yet touched: the first touch of gigabytes
/// in pages of 4 KiB takes as long as reading them from a file. Advice that changes only times. Local.
void prefer_huge_pages(void* begin, std::size_t bytes);

/// Reserves room for `count` elements in the empty `array`, in large pages if it is large. Local.
template <class V>
void reserve_in_huge_pages(std::vector<V>& array, std::size_t count) {
  array.reserve(count);
  prefer_huge_pages(array.data(), count * sizeof(V));
}

}  // namespace spmv
