// What the JSON of several reports has in common.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "kernels/tune/tuner.hpp"

namespace spmv {

using Json = nlohmann::ordered_json;

/// With its trials. Pure.
Json decision_json(const Decision& decision);

/// File names may be in any encoding; JSON is UTF-8. Pure.
std::string text_of(const Json& json, int indent);

}  // namespace spmv
