// What the JSON of several reports has in common.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "kernels/tune/tuner.hpp"

namespace spmv {

using Json = nlohmann::ordered_json;

/// A decision of format auto with all its trials. Pure.
Json decision_json(const Decision& decision);

/// JSON is UTF-8, but names of files may be in any encoding: bytes that are not valid appear as \xe9. Pure.
std::string text_of(Json json, int indent);

}  // namespace spmv
