// What several reports have in common.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/csr.hpp"
#include "dist/partition/part_shares.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {

using Json = nlohmann::ordered_json;

/// Version of a run's JSON, which src/python/spmv_dist/schema.json describes. It grows when a field changes its meaning or is
/// removed.
inline constexpr int results_schema = 1;

/// A decision of format auto with all its trials. Pure.
Json decision_json(const Decision& decision);

/// JSON is UTF-8, but names of files may be in any encoding: bytes that are not valid appear as \xe9. Pure.
std::string text_of(Json json, int indent);

/// The text of an object that is not empty, with one more section on a single line: its thousands of numbers would
/// otherwise take a line each. Pure.
std::string with_section(std::string object, const std::string& name, const Json& section);

/// Of which matrix a report is.
struct MatrixFacts {
  std::string matrix;  // name of the file or specification of the generator
  std::string description;
  std::string value;  // name of the value type
  Shape shape;
  gidx nonzeros = 0;
};

/// The object "matrix" of a report's JSON. Pure.
Json matrix_json(const MatrixFacts& facts);
/// Name, size and value type in a line, and the description, if there is one, in another. Pure.
std::string matrix_lines(const MatrixFacts& facts);

/// Largest and sum of one number over all ranks.
struct Spread {
  gidx most = 0;
  gidx sum = 0;
};

/// Pure.
Spread spread(const std::vector<PartShare>& shares, gidx PartShare::*number);

/// Nonzeros of the rank that has most over those of an average one. Pure.
double balance(const std::vector<PartShare>& shares);

/// Everything, an object for each rank. Pure.
Json shares_json(const std::vector<PartShare>& shares);

}  // namespace spmv
