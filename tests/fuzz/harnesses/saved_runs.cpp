#include "app/html/page.hpp"
#include "core/error.hpp"
#include "fuzz/harness.hpp"

namespace spmv::fuzz {
namespace {

/// How often `part` is in `text`.
int times_in(std::string_view text, std::string_view part) {
  int times = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

void make_page_of(const std::string& input, bool lines) {
  std::vector<html::SavedRun> runs;
  try {
    runs = html::parse_runs(input, "results.json", lines);
  } catch (const Error& error) {
    require(error.code() == ExitCode::input, error.what());
    require(std::string_view(error.what()).find("results.json") != std::string_view::npos,
            "a file without a name");
    return;
  }
  require(!runs.empty(), "nothing was read");
  const std::string page = html::page(runs);
  constexpr std::size_t most_bytes = 2'000'000;
  require(page.size() <= most_bytes, "a page larger than two megabytes");
  require(times_in(page, "<script") == 1 && times_in(page, "</script") == 1, "a script of others");
  // Behind an attribute's quote, which no text from outside has: a name may well be "nan%".
  for (const std::string attribute : {"=\"", "=\"left:", "=\"top:"})
    for (const char* none : {"nan%", "inf%"})
      require(times_in(page, attribute + none) == 0, "a place that is none");
}

}  // namespace

void saved_runs(std::string_view input) {
  make_page_of(std::string(input), false);
  make_page_of(std::string(input), true);
}

}  // namespace spmv::fuzz
