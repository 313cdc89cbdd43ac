// `new` and `delete` of the binary and of the libraries below it.
#include "failing_memory.hpp"

#include <cstdlib>
#include <new>

int& spmv::test::failing_allocation() {
  thread_local int number = 0;
  return number;
}

void* operator new(std::size_t bytes) {
  constexpr std::size_t large = 10000;
  int& number = spmv::test::failing_allocation();
  if (bytes >= large && number > 0 && --number == 0) throw std::bad_alloc();
  void* const memory = std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
/// As in std::stable_sort: what is freed below must come from malloc, too.
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return std::malloc(bytes > 0 ? bytes : 1);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
  std::free(memory);
}
