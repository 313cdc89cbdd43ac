#include "io/archive.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/shell_words.hpp"
#include "io/input_checks.hpp"
#include "io/tar.hpp"

namespace spmv {
namespace {

/// The part after the last slash.
std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// Whether a member is a Matrix Market file, by its name. Archives from macOS have an additional ._NAME for every NAME.
bool is_matrix(const TarMember& member) {
  const std::string_view name = last_part(member.name);
  const std::string_view end = name.substr(name.size() - std::min<std::size_t>(name.size(), 4));
  return member.is_file && !name.starts_with("._") && (end == ".mtx" || end == ".MTX");
}

/// The file with the name of its folder, which is the matrix in archives of SuiteSparse; else the first file.
const std::string& likely_matrix(const std::vector<std::string>& names) {
  const auto named_as_folder = [](std::string_view name) {
    const std::string_view stem = last_part(name).substr(0, last_part(name).size() - 4);
    name.remove_suffix(std::min(name.size(), last_part(name).size() + 1));
    return last_part(name) == stem;
  };
  const auto found = std::find_if(names.begin(), names.end(), named_as_folder);
  return found == names.end() ? names.front() : *found;
}

/// The first names, for a message.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
    text.append(i == 0 ? "" : ", ").append(printable(names[i]));
  return names.size() <= most ? text : fmt::format("{} and {} more", text, names.size() - most);
}

class MemberText : public TextSource {
 public:
  MemberText(std::string archive, std::unique_ptr<TextSource> bytes)
      : archive_(std::move(archive)), tar_(std::move(bytes), archive_) {
    find_first();
  }
  const std::string& name() const { return names_.front(); }

  std::size_t read(char* to, std::size_t size) override {
    const std::size_t got = tar_.read(to, size);
    if (got == 0 && size > 0) require_no_other();
    return got;
  }
  std::uint64_t file_bytes_done() const override { return tar_.source().file_bytes_done(); }

 private:
  void find_first() {
    std::vector<std::string> others;
    while (const auto member = tar_.next()) {
      if (is_matrix(*member)) {
        names_.push_back(member->name);
        return;
      }
      if (member->is_file) others.push_back(member->name);
    }
    fail("no .mtx file is in it{}{}", others.empty() ? "" : ", but " + listed(others),
         others.empty() ? "" : "; extract one with: " + command(others.front()));
  }
  void require_no_other() {
    while (const auto member = tar_.next())
      if (is_matrix(*member)) names_.push_back(member->name);
    if (names_.size() == 1) return;
    fail("{} .mtx files are in it: {}; extract the one to be read with: {}", names_.size(), listed(names_),
         command(likely_matrix(names_)));
  }
  std::string command(const std::string& member) const {
    return printable(shell_words({"tar", "-xf", archive_, member}));
  }
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<const Args&...> what, const Args&... args) const {
    refuse(archive_, "is a tar archive, and {}", fmt::format(what, args...));
  }

  std::string archive_;
  TarReader tar_;
  std::vector<std::string> names_;  // of the Matrix Market files found so far
};

}  // namespace

ArchivedText open_archived(const std::string& archive, std::unique_ptr<TextSource> bytes) {
  auto text = std::make_unique<MemberText>(archive, std::move(bytes));
  std::string name = text->name();
  return {std::move(name), std::move(text)};
}

}  // namespace spmv
