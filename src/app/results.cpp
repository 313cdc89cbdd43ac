#include "app/results.hpp"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "app/report/report.hpp"

namespace spmv {

void Results::go_to(const NamedFiles& files) {
  const std::lock_guard lock(mutex_);
  outputs_.emplace(files);
}

void Results::print_in_full(bool verbose) {
  const std::lock_guard lock(mutex_);
  verbose_ = verbose;
}

void Results::keep(const RunReport& so_far) {
  const std::lock_guard lock(mutex_);
  if (outputs_) kept_ = so_far;
}

void Results::write(const RunReport& report) {
  const std::lock_guard lock(mutex_);
  write_locked(report);
}

void Results::write(const Text& text, const Text& json, const Text& csv) {
  const std::lock_guard lock(mutex_);
  if (!outputs_ || written_) return;
  written_ = true;
  outputs_->write("--json", json);
  if (csv) outputs_->write("--write-dos", csv);
  outputs_->print(text());
}

void Results::on_early_end(std::function<std::string()> action) {
  const std::lock_guard lock(mutex_);
  early_end_ = std::move(action);
}

std::string Results::failures() const {
  const std::lock_guard lock(mutex_);
  return outputs_ ? outputs_->failures() : "";
}

std::string Results::write_incomplete(const std::string& because) {
  using namespace std::chrono_literals;
  const std::unique_lock lock(mutex_, 3s);
  if (!lock) return "the results were being written";
  if (early_end_) return early_end_();
  if (written_) return "the results had been written";
  if (!kept_ || kept_->modes.empty()) return "nothing had been measured";
  kept_->incomplete = because;
  write_locked(*kept_);
  const std::size_t count = kept_->modes.size();
  return fmt::format("{} result{} measured until then {} written, marked as incomplete{}{}", count,
                     count == 1 ? "" : "s", count == 1 ? "is" : "are",
                     outputs_->failures().empty() ? "" : "; ", outputs_->failures());
}

void Results::write_locked(const RunReport& report) {
  if (!outputs_ || written_) return;
  written_ = true;
  outputs_->write("--json", [&] { return to_json(report); });
  outputs_->write("--csv", [&] { return to_csv(report); });
  outputs_->write("--trace", [&] { return to_trace(report); });
  outputs_->print(verbose_ ? to_verbose_text(report) : to_text(report));
}

}  // namespace spmv
