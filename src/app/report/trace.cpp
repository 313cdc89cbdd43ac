#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "app/report/fields.hpp"

namespace spmv {
namespace {

/// Threads of a rank's process, in the order in which they are shown.
enum class Track { mode, kernels, gather_kernel, d2h, h2d, mpi_main_thread, mpi_communication_thread };

const char* track_name(Track track) {
  constexpr std::array<const char*, 7> names = {
      "mode",     "kernels",           "kernels (gather)",          "copy D2H",
      "copy H2D", "MPI (main thread)", "MPI (communication thread)"};
  return names[static_cast<std::size_t>(track)];
}

Track track_of(Phase phase, bool comm_thread) {
  switch (phase) {
    case Phase::gather:
      return Track::gather_kernel;
    case Phase::d2h:
    case Phase::download_y:
      return Track::d2h;
    case Phase::h2d:
    case Phase::upload_x:
      return Track::h2d;
    case Phase::mpi:
      return comm_thread ? Track::mpi_communication_thread : Track::mpi_main_thread;
    default:
      return Track::kernels;
  }
}

Json slice(const std::string& name, const std::string& mode, std::size_t rank, Track track, double begin,
           double end) {
  return {{"name", name},
          {"cat", mode},
          {"ph", "X"},
          {"pid", rank},
          {"tid", static_cast<int>(track)},
          {"ts", begin * 1e6},
          {"dur", (end - begin) * 1e6}};
}

/// The name of a mode in the timeline, with its transport where the mode was measured over several.
std::string title(const RunReport& r, const ModeResult& mode) {
  const auto same_mode = std::count_if(r.modes.begin(), r.modes.end(),
                                       [&](const ModeResult& other) { return other.mode == mode.mode; });
  if (same_mode <= 1) return mode.mode;
  return fmt::format("{} over {}{}", mode.mode, mode.transport, mode.chosen ? " (auto)" : "");
}

/// Gives a process or a thread its name, and its place in the order in which viewers show them.
void name(Json& events, const std::string& what, std::size_t rank, int thread, int place,
          const std::string& text) {
  events.push_back(
      {{"name", what + "_name"}, {"ph", "M"}, {"pid", rank}, {"tid", thread}, {"args", {{"name", text}}}});
  events.push_back({{"name", what + "_sort_index"},
                    {"ph", "M"},
                    {"pid", rank},
                    {"tid", thread},
                    {"args", {{"sort_index", place}}}});
}

/// Arrows from phase to phase along the way of one rank's halo. The last one points at the product that needs
/// the halo.
void add_flow(Json& events, const ModeResult& mode, const std::string& title, std::size_t rank, double shift,
              int id) {
  std::vector<Interval> steps;
  for (const Phase phase :
       {Phase::gather, Phase::d2h, Phase::mpi, Phase::h2d, Phase::merged, Phase::boundary})
    for (const Interval& i : mode.timeline[rank])
      if (i.phase == phase) steps.push_back(i);
  if (steps.size() < 2) return;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const char* kind = k == 0 ? "s" : k + 1 == steps.size() ? "f" : "t";
    Json arrow = {{"name", "halo"},
                  {"cat", title},
                  {"ph", kind},
                  {"id", id},
                  {"pid", rank},
                  {"tid", static_cast<int>(track_of(steps[k].phase, mode.comm_thread))},
                  {"ts", (shift + steps[k].begin) * 1e6}};
    if (k > 0) arrow["bp"] = "e";  // belongs to the slice around it, not to the next
    events.push_back(std::move(arrow));
  }
}

}  // namespace

Json trace_events(const RunReport& r) {
  Json events = Json::array();
  std::set<std::pair<std::size_t, Track>> tracks;
  double shift = 0;
  int flows = 0;
  for (const ModeResult& mode : r.modes) {
    const std::string mode_title = title(r, mode);
    double end = 0;
    for (std::size_t rank = 0; rank < mode.timeline.size(); ++rank) {
      const std::vector<Interval>& intervals = mode.timeline[rank];
      if (intervals.empty()) continue;
      double rank_end = 0;
      for (const Interval& i : intervals) {
        const Track track = track_of(i.phase, mode.comm_thread);
        tracks.insert({rank, track});
        events.push_back(slice(phase_name(i.phase), mode_title, rank, track, shift + i.begin, shift + i.end));
        rank_end = std::max(rank_end, i.end);
      }
      tracks.insert({rank, Track::mode});
      Json whole = slice(mode_title, mode_title, rank, Track::mode, shift, shift + rank_end);
      whole["args"] = {{"layout", mode.layout}};
      events.push_back(std::move(whole));
      add_flow(events, mode, mode_title, rank, shift, ++flows);
      end = std::max(end, rank_end);
    }
    constexpr double gap = 1.1;  // between two modes, so that they are told apart
    shift += gap * end;
  }
  std::set<std::size_t> ranks;
  for (const auto& [rank, track] : tracks) {
    if (ranks.insert(rank).second)
      name(events, "process", rank, 0, static_cast<int>(rank), fmt::format("rank {}", rank));
    name(events, "thread", rank, static_cast<int>(track), static_cast<int>(track), track_name(track));
  }
  return events;
}

}  // namespace spmv
