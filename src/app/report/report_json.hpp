// What the JSON of several reports has in common.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "kernels/tune/tuner.hpp"

namespace spmv {

using Json = nlohmann::ordered_json;

/// Version of a run's JSON, which src/python/spmv_dist/schema.json describes. It grows when a field changes its meaning or goes.
inline constexpr int results_schema = 1;

/// A decision of format auto with all its trials. Pure.
Json decision_json(const Decision& decision);

/// JSON is UTF-8, but names of files may be in any encoding: bytes that are not valid appear as \xe9. Pure.
std::string text_of(Json json, int indent);

/// `object`, the text of an object that is not empty, with one more section, on a line of its own: thousands of numbers that nobody
/// reads would otherwise take a line each. Pure.
std::string with_section(std::string object, const std::string& name, const Json& section);

}  // namespace spmv
