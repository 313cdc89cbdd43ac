// Values of a run's JSON, as figures need them: whatever is missing, null, of another type or no finite number is not there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/report/report_json.hpp"

namespace spmv::html {

/// What `object` has under this key; null where it has nothing, or is no object. Pure.
const Json& member(const Json& object, const char* key);

/// A number of a size that something can have, 1e-30 to 1e30, or 0; else nothing. Pure.
std::optional<double> number(const Json& value);
std::optional<double> number(const Json& object, const char* key);
/// The same, 0 for nothing. Pure.
double number_or_0(const Json& object, const char* key);

/// A text; empty for nothing. Pure.
std::string text(const Json& object, const char* key);

/// The numbers of a list of at most `most` values, 0 in place of what is none; empty for anything else. Pure.
std::vector<double> numbers(const Json& list, std::size_t most);

}  // namespace spmv::html
