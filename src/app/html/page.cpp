#include "app/html/page.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/html/assets.hpp"
#include "app/html/chart.hpp"
#include "app/html/figure.hpp"
#include "app/html/values.hpp"
#include "app/html/words.hpp"

namespace spmv::html {
namespace {

constexpr std::size_t most_bytes = 2'000'000;
// What follows behind the last part that is weighed: the list of what has no room, and the end of the page.
constexpr std::size_t kept_free = 100'000;
// With less room than this nothing more is made.
constexpr std::size_t least_part = 2'000;
constexpr std::size_t longest_list = 100;  // of names, each of so many bytes

/// Runs that are shown together.
using Group = std::vector<const SavedRun*>;

/// Runs of one key, in the order in which keys come. `key_of` gives none for a run of no group.
template <class Key>
std::vector<Group> group_by(const std::vector<SavedRun>& runs,
                            std::optional<Key> (*key_of)(const Json& run)) {
  std::vector<Group> groups;
  std::vector<Key> keys;
  for (const SavedRun& run : runs) {
    const std::optional<Key> key = key_of(run.json);
    if (!key) continue;
    const auto number = static_cast<std::size_t>(std::find(keys.begin(), keys.end(), *key) - keys.begin());
    if (number == keys.size()) {
      keys.push_back(*key);
      groups.emplace_back();
    }
    groups[number].push_back(&run);
  }
  return groups;
}

/// Runs of one matrix, those on the most ranks first.
std::vector<Group> groups_of_one_matrix(const std::vector<SavedRun>& runs) {
  std::vector<Group> groups =
      group_by<MatrixFacts>(runs, [](const Json& run) { return std::optional(matrix_of(run)); });
  for (Group& group : groups)
    std::stable_sort(group.begin(), group.end(), [](const SavedRun* a, const SavedRun* b) {
      return ranks_of(a->json) > ranks_of(b->json);
    });
  return groups;
}

/// Runs of matrices that grow alike.
std::vector<Group> groups_that_grow(const std::vector<SavedRun>& runs) {
  return group_by<std::string>(runs, [](const Json& run) -> std::optional<std::string> {
    std::string name = text(run, "grows_as");
    if (name.empty()) return {};
    return name;
  });
}

std::string figure(const char* name, const char* title, const char* reads, const Drawing& drawing) {
  return fmt::format(
      "<figure class=\"figure-{0}\" data-figure=\"{0}\"><h3>{1}</h3><figcaption>{2}</figcaption>\n{3}<p class=\"reads\">{4}</p></figure>\n",
      name, title, escape(drawing.says), drawing.markup, reads);
}

/// What is not drawn, and why. `titles`: of all figures for which this is the reason.
std::string missing(const std::string& titles, const std::string& reason) {
  return fmt::format("<p class=\"missing\">{}: left out, because {}.</p>\n", titles, escape(reason));
}

/// What a run is, in one sentence.
std::string introduction(const Json& run) {
  const std::vector<const Json*> modes = timed_modes(run);
  std::string says = fmt::format("{} in {}", plural(ranks_of(run), "rank"),
                                 text(member(run, "format"), "interior").empty()
                                     ? "an unknown format"
                                     : "format " + text(member(run, "format"), "interior"));
  if (!modes.empty())
    says += fmt::format("; fastest product {} in mode {}", seconds(number_or_0(*modes.front(), "median_s")),
                        mode_title(run, *modes.front()));
  return says + ".";
}

std::string warnings(const Json& run) {
  std::string out;
  if (!text(run, "incomplete").empty())
    out += "<p class=\"warning\">INCOMPLETE: " + escape(text(run, "incomplete")) + "</p>\n";
  for (const Json* mode : timed_modes(run))
    if (number_or_0(*mode, "rows_wrong") > 0)
      out += fmt::format("<p class=\"warning\">WRONG: {} of mode {}</p>\n",
                         plural(number_or_0(*mode, "rows_wrong"), "row"), escape(mode_title(run, *mode)));
  return out;
}

std::string run_part(const SavedRun& run, bool alone) {
  std::string out = "<section class=\"run\">";
  if (!alone) out += "<h2>" + escape(introduction(run.json)) + "</h2>\n";
  out += "<p class=\"source\">From " + escape(run.source) + "</p>\n" + warnings(run.json);
  std::vector<std::pair<std::string, std::string>> reasons;  // with the titles of what each keeps away
  for (const RunFigure& row : run_figures()) {
    const Drawing drawing = row.draw(run.json);
    if (!drawing.markup.empty()) {
      out += figure(row.name, row.title, row.reads, drawing);
      continue;
    }
    const auto same = std::find_if(reasons.begin(), reasons.end(),
                                   [&](const auto& reason) { return reason.first == drawing.says; });
    if (same == reasons.end())
      reasons.emplace_back(drawing.says, row.title);
    else
      same->second += std::string("; ") + row.title;
  }
  for (const auto& [reason, titles] : reasons) out += missing(titles, reason);
  return out + "</section>\n";
}

std::string matrix_head(const MatrixFacts& matrix) {
  std::string out = "<h1>" + escape(matrix.name) + "</h1>\n<p>";
  out += matrix.cols > 0 ? fmt::format("{} × {}", count(matrix.rows), count(matrix.cols))
                         : plural(matrix.rows, "row");
  out += ", " + plural(matrix.nonzeros, "nonzero");
  if (!matrix.value.empty()) out += ", " + escape(matrix.value);
  if (!matrix.description.empty()) out += "<br>" + escape(matrix.description);
  return out + "</p>\n";
}

std::vector<const Json*> json_of(const Group& group) {
  std::vector<const Json*> runs;
  for (const SavedRun* run : group) runs.push_back(&run->json);
  return runs;
}

std::string weak_scaling_part(const Group& group) {
  const Drawing drawing = draw_weak_scaling(json_of(group));
  const char* const title = "Weak scaling";
  const std::string head = "<h1>" + escape(text(group.front()->json, "grows_as")) + "</h1>\n";
  if (drawing.markup.empty()) return head + missing(title, drawing.says);
  return head +
         figure(
             "weak_scaling", title,
             "A matrix that grows with the ranks, the fastest of each mode. Ideally a product takes as long on any number of ranks, as the dashed line "
             "does. Below: nonzeros for each second and rank, as a share of what the fewest ranks reach.",
             drawing);
}

std::string scaling_part(const Group& group) {
  const Drawing drawing = draw_scaling(json_of(group));
  const char* const title = "Strong scaling";
  // Each matrix of weak scaling is there on one number of ranks, which is no reason to speak of.
  const bool grows = !text(group.front()->json, "grows_as").empty();
  if (drawing.markup.empty()) return grows ? std::string() : missing(title, drawing.says);
  return figure(
      "scaling", title,
      "One matrix on more and more ranks, the fastest of each mode; both axes are logarithmic, and the dashed line is ideal. "
      "Below: the share of the ideal; at 50 % half of the ranks are spent on nothing.",
      drawing);
}

}  // namespace

std::string page(const std::vector<SavedRun>& runs) {
  const std::string title = runs.size() == 1 ? matrix_of(runs.front().json).name.substr(0, longest_list)
                                             : plural(static_cast<double>(runs.size()), "run");
  // Scripts of others, and whatever is not in this file, are not run and not asked for, should a name from outside ever become markup.
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src '{}'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{}: sparse matrix-vector products</title>\n<style>{}</style></head>\n<body><main>\n",
      assets::script_hash, escape(title), assets::style);
  std::vector<std::string> without_room;
  const auto add = [&](const std::string& name, const auto& make_part) {
    if (out.size() + least_part + kept_free <= most_bytes) {
      const std::string part = make_part();
      if (out.size() + part.size() + kept_free <= most_bytes) {
        out += part;
        return;
      }
    }
    without_room.push_back(name);
  };
  for (const Group& group : groups_that_grow(runs))
    add(text(group.front()->json, "grows_as"), [&] { return weak_scaling_part(group); });
  const std::vector<Group> groups = groups_of_one_matrix(runs);
  for (const Group& group : groups) {
    const MatrixFacts matrix = matrix_of(group.front()->json);
    add(matrix.name, [&] { return matrix_head(matrix) + scaling_part(group); });
    for (const SavedRun* run : group) add(run->source, [&] { return run_part(*run, runs.size() == 1); });
  }
  if (!without_room.empty()) {
    out += fmt::format(
        "<p class=\"missing\">Left out, because the page would be larger than two megabytes: {}</p><ul>\n",
        plural(static_cast<double>(without_room.size()), "part"));
    for (std::size_t i = 0; i < without_room.size() && i < longest_list; ++i)
      out += "<li>" + escape(without_room[i].substr(0, longest_list)) + "</li>\n";
    out += "</ul>\n";
  }
  return out +
         fmt::format(
             "<p class=\"source\">Made by spmv_dist. The formats, modes and the model are those of Kreutzer et al., Sparse matrix-vector multiplication "
             "on GPGPU clusters (2012).</p></main>\n<div id=\"tip\" hidden></div>\n<script>{}</script>\n</body></html>\n",
             assets::script);
}

}  // namespace spmv::html
