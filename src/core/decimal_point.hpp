#pragma once

#include <locale.h>

namespace spmv {

/// While it lives, the C library's functions take and print numbers with a decimal point in this thread, whatever locale
/// the program has set: around calls of libraries that go by those functions. Local.
class DecimalPoint {
 public:
  DecimalPoint() : plain_(newlocale(LC_ALL_MASK, "C", nullptr)), before_(uselocale(plain_)) {}
  ~DecimalPoint() {
    uselocale(before_);
    if (plain_ != nullptr) freelocale(plain_);
  }
  DecimalPoint(const DecimalPoint&) = delete;
  DecimalPoint& operator=(const DecimalPoint&) = delete;

 private:
  locale_t plain_;
  locale_t before_;
};

}  // namespace spmv
