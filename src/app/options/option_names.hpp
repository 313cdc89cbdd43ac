// The words that options take: the tables of the product, and those that stand for several of their rows.
#pragma once

#include <string>
#include <vector>

namespace spmv {

struct NamedText {
  const char* name;
  const char* summary;
};

const std::vector<NamedText>& value_types();
const std::vector<NamedText>& vector_places();
/// Every format of the table, and auto, which chooses among them.
const std::vector<NamedText>& format_names();
/// Every transport of the table; auto, which chooses among them; and all.
const std::vector<NamedText>& transport_names();
/// Every mode of the table, and all, which stands for them.
const std::vector<NamedText>& mode_names();
/// The layouts of those modes that have several, and auto, which measures them all.
const std::vector<NamedText>& layout_names();

/// Every backend of the table, and auto.
const std::vector<NamedText>& backend_names();
/// Every order of the table, and auto, which finds out whether another one is worth its cost.
const std::vector<NamedText>& order_names();

/// The names of a table's rows, with commas between them. Pure.
template <class Row>
std::string names(const std::vector<Row>& table) {
  std::string text;
  for (const Row& row : table) text += (text.empty() ? "" : ", ") + std::string(row.name);
  return text;
}

/// What --list prints: every table that has names for the user. Pure.
std::string full_listing();

}  // namespace spmv
