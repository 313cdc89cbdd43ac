#include "core/huge_pages.hpp"

#include <cstdint>

#include <sys/mman.h>

namespace spmv {

void prefer_huge_pages(void* begin, std::size_t bytes) {
  constexpr std::uintptr_t page = huge_page_bytes;
  const auto first = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page;
  const auto last = (reinterpret_cast<std::uintptr_t>(begin) + bytes) / page * page;
  // A kernel that has none says so, and nothing follows from that.
  if (first < last) static_cast<void>(::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE));
}

}  // namespace spmv
