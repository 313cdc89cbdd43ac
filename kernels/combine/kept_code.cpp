#include "kernels/combine/kept_code.hpp"

#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "core/output_file.hpp"
#include "core/xxh64.hpp"

namespace spmv {
namespace {

std::string hash(const std::string& bytes) {
  return fmt::format("{:016x}", xxh64(bytes.data(), bytes.size(), 0));
}

/// What a file holds before the code: text and how it was compiled, to be read by people, too.
std::string beginning(const std::string& text, const std::string& how) {
  return fmt::format("// {}\n{}", how, text) + '\0';
}

}  // namespace

std::string KeptCode::path(const std::string& text, const std::string& how) const {
  return fmt::format("{}/{}.kernel", folder_, hash(beginning(text, how)));
}

std::optional<std::string> KeptCode::find(const std::string& text, const std::string& how) const {
  if (folder_.empty()) return {};
  const std::string file = path(text, how);
  if (is_special_file(file) || belongs_to_another_user(file)) return {};
  std::ifstream stream(file, std::ios::binary);
  const std::string whole(std::istreambuf_iterator<char>(stream), {}), expected = beginning(text, how);
  const std::size_t hash_size = hash("").size();
  if (whole.size() < hash_size + expected.size()) return {};
  const std::string rest = whole.substr(0, whole.size() - hash_size);
  if (whole.substr(rest.size()) != hash(rest) || !rest.starts_with(expected)) return {};
  return rest.substr(expected.size());
}

void KeptCode::keep(const std::string& text, const std::string& how, const std::string& code) const {
  if (folder_.empty()) return;
  try {
    std::filesystem::create_directories(folder_);
    const std::string whole = beginning(text, how) + code;
    NewFile file(path(text, how));
    file.write(whole + hash(whole));
    file.take_place();
  } catch (const std::exception&) {  // it is compiled again the next time
  }
}

}  // namespace spmv
