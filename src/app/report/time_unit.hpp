// Times in tables: short, and all in one unit.
#pragma once

#include <string>

namespace spmv {

/// A number with four digits that count where it has a fraction. Pure.
std::string digits(double value);

/// The unit in which all times of a table are short.
class TimeUnit {
 public:
  /// For times of at most `longest` seconds. Pure.
  explicit TimeUnit(double longest);

  const char* name() const { return name_; }
  /// Pure.
  std::string text(double seconds) const { return digits(seconds * per_second_); }
  /// A dash if that is negative, or was not `measured`: at a signal parts are not, and parts that are measured alone may take
  /// longer than the whole on a machine that others use. Pure.
  std::string or_dash(double seconds, bool measured = true) const;

 private:
  const char* name_;
  double per_second_;
};

}  // namespace spmv
