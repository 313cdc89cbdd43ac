// SPMV_TEST_MATRICES names a folder with matrices from outside this repository: edge/ and real/, each with a
// manifest.tsv that says what a correct reader makes of every file.
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace spmv::test {

/// One file: column name to text.
using ManifestRow = std::map<std::string, std::string>;

inline std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
  return fields;
}

/// Empty if the file does not exist.
inline std::vector<ManifestRow> read_manifest(const std::string& path) {
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  const std::vector<std::string> names = fields_of(line);
  std::vector<ManifestRow> rows;
  while (std::getline(stream, line)) {
    const std::vector<std::string> fields = fields_of(line);
    for (ManifestRow& row = rows.emplace_back(); const std::string& name : names) {
      const std::size_t column = static_cast<std::size_t>(&name - names.data());
      row[name] = column < fields.size() ? fields[column] : "";
    }
  }
  return rows;
}

}  // namespace spmv::test
