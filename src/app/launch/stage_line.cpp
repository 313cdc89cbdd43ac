#include "app/launch/stage_line.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "app/say.hpp"
#include "core/printable.hpp"

namespace spmv {
namespace {

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

int width_of(char byte) {
  return continues(byte) ? 0 : static_cast<unsigned char>(byte) < 0x80U ? 1 : 2;
}

int width_of(std::string_view text) {
  int columns = 0;
  for (const char byte : text) columns += width_of(byte);
  return columns;
}

/// As many whole characters as take at most so many columns.
std::string_view beginning(std::string_view text, int columns) {
  std::size_t bytes = 0;
  for (; bytes < text.size(); ++bytes) {
    columns -= width_of(text[bytes]);
    if (columns < 0) break;
  }
  return text.substr(0, bytes);
}

/// "42 s", "3 min 5 s", "2 h 14 min".
std::string duration(double seconds) {
  constexpr long minute = 60, hour = 3600;
  const long s = std::lround(seconds);
  if (s < 2 * minute) return fmt::format("{} s", s);
  if (s < 2 * hour) return fmt::format("{} min {} s", s / minute, s % minute);
  return fmt::format("{} h {} min", s / hour, s % hour / minute);
}

int whole_percent(double share) {
  return static_cast<int>(std::clamp(share, 0.0, 1.0) * 100);
}

}  // namespace

double left_seconds(double elapsed_s, double first, double share) {
  return share > first ? elapsed_s * (1 - std::min(share, 1.0)) / (share - first) : 0;
}

std::string stage_line(const StageSoFar& stage, int columns) {
  std::string facts = ": ";
  if (stage.share > 0) facts += fmt::format("{} % done, ", whole_percent(stage.share));
  facts += duration(stage.elapsed_s) + " elapsed";
  if (stage.left_s > 0) facts += fmt::format(", about {} left", duration(stage.left_s));
  if (stage.predicted_s > 0) facts += fmt::format(" of about {} predicted", duration(stage.predicted_s));
  constexpr std::string_view cut = "...";
  std::string name = printable(stage.name);
  const int room = columns - 1 - width_of(facts);
  if (width_of(name) > room) name = std::string(beginning(name, room - width_of(cut))).append(cut);
  return std::string(beginning(name + facts, columns - 1));
}

std::string stage_note(const StageSoFar& stage) {
  std::string note = fmt::format("{} has taken {} so far", printable(stage.name), duration(stage.elapsed_s));
  if (stage.share > 0) note += fmt::format("; {} % is done", whole_percent(stage.share));
  if (stage.left_s > 0) note += fmt::format(", and about {} are left", duration(stage.left_s));
  if (stage.predicted_s > 0) note += fmt::format("; about {} were predicted", duration(stage.predicted_s));
  return note;
}

double next_shown_s(double elapsed_s, bool on_terminal) {
  constexpr double begin_s = 1, step_s = 0.25, note_s = 10;
  if (on_terminal) return elapsed_s < begin_s ? begin_s : elapsed_s + step_s;
  double next = note_s;
  while (next <= elapsed_s) next *= 2;
  return next;
}

void StageLine::start(bool on_terminal) {
  started_ = true;
  on_terminal_ = on_terminal;
  next_s_ = next_shown_s(0, on_terminal_);
}

void StageLine::end() {
  remove();
  started_ = false;
}

void StageLine::stage(const std::string& name, const StageFacts& facts) {
  if (name != name_) {
    name_ = name;
    first_share_ = facts.share;
    begin_ = Clock::now();
    next_s_ = next_shown_s(0, on_terminal_);
    remove();
  }
  if (facts.quiet) remove();
  facts_ = facts;
}

StageLine::Clock::time_point StageLine::due() const {
  if (!started_ || facts_.quiet) return Clock::time_point::max();
  return begin_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(next_s_));
}

std::string StageLine::show() {
  const double elapsed_s = std::chrono::duration<double>(Clock::now() - begin_).count();
  next_s_ = next_shown_s(elapsed_s, on_terminal_);
  const std::string detail = facts_.detail.empty() ? "" : " (" + facts_.detail + ")";
  const StageSoFar stage{name_ + detail, elapsed_s, facts_.share,
                         left_seconds(elapsed_s, first_share_, facts_.share), facts_.predicted_s};
  if (!on_terminal_) return stage_note(stage);
  if (rewrite_line(stage_line(stage, terminal_columns()))) removed_ = false;
  return {};
}

void StageLine::remove() {
  if (!removed_) removed_ = rewrite_line("");
}

}  // namespace spmv
