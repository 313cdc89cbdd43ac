#include "app/run/system_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "app/options/option_groups.hpp"
#include "app/say.hpp"
#include "core/printable.hpp"
#include "core/value_types.hpp"
#include "load/vectors.hpp"

namespace spmv {
namespace {

void declare_file(CLI::App& app, const char* name, std::string& file, const char* group,
                  const char* summary) {
  app.add_option(name, file, summary)->group(group);
}

}  // namespace

void declare_system_files(CLI::App& app, SystemFiles& files) {
  declare_file(
      app, "--read-b", files.read_b, "Input",
      "file with b: a matrix of one column, or of several that are solved side by side; Matrix Market or .spmv "
      "(default: A x of an x that is known)");
  declare_file(app, "--guess", files.guess, "Input",
               "file with the x to start from, as --read-b (default: 0)");
  declare_file(
      app, "--write-x", files.write_x, "Output",
      "write x of the first solver, in the rows' order as read: .spmv, or else a Matrix Market array");
  declare_file(
      app, "--checkpoint", files.checkpoint, "Output",
      "file that x is written to now and then; if it is there, it is the guess: .spmv, or else a Matrix "
      "Market array");
  declare_number(app, "--checkpoint-every", files.checkpoint_every_s,
                 "seconds from one checkpoint to the next", 0, 1e9)
      ->group("Output");
}

template <class T>
SystemVectors<T>::SystemVectors(const Run& run, const SystemFiles& files, const Workspaces<T>& workspaces)
    : run_(run), files_(files), workspaces_(workspaces) {
  const auto known_b = [&](unsigned number) { return workspaces.problem().reference[number].y; };
  b_ = files.read_b.empty() ? columns_of_x<T>(known_b, 0, run.options.columns) : read("b", files.read_b);
  if (has_checkpoint()) {
    guess_ = read("the checkpoint", files.checkpoint);
    if (run.first_rank()) say(fmt::format("note: starts from x in {}", printable(files.checkpoint)));
  } else if (!files.guess.empty()) {
    guess_ = read("the guess", files.guess);
  }
}

template <class T>
bool SystemVectors<T>::has_checkpoint() const {
  std::error_code ignored;
  return run_.communicator.any_of(run_.first_rank() && !files_.checkpoint.empty() &&
                                  std::filesystem::exists(files_.checkpoint, ignored));
}

template <class T>
std::vector<T> SystemVectors<T>::read(const std::string& what, const std::string& path) const {
  run_.watchdog.stage("reading " + what);
  LoadProgress progress;
  progress.stage = stage_listener(run_.watchdog);
  return workspaces_.to_owners(
      load_vector<T>(run_.communicator, path, workspaces_.readers(), progress, run_.options.columns));
}

template <class T>
double SystemVectors<T>::error_of(const std::vector<T>& x) const {
  if (!files_.read_b.empty()) return -1;
  const auto columns = static_cast<std::size_t>(run_.options.columns);
  const std::vector<T> known = columns_of_x<T>(
      [&](unsigned number) { return workspaces_.problem().x_of(number); }, 0, run_.options.columns);
  std::vector<double> off(columns), size(columns);
  for (std::size_t i = 0; i < x.size(); ++i) {
    off[i % columns] += std::norm(std::complex<double>(x[i]) - std::complex<double>(known[i]));
    size[i % columns] += std::norm(std::complex<double>(known[i]));
  }
  double largest = 0;
  for (std::size_t j = 0; j < columns; ++j)
    largest = std::max(largest, std::sqrt(run_.communicator.sum(off[j]) / run_.communicator.sum(size[j])));
  return largest;
}

template <class T>
void SystemVectors<T>::write_first(const std::vector<T>& x) {
  if (files_.write_x.empty() || written_) return;
  written_ = true;
  write(files_.write_x, x);
}

template <class T>
bool SystemVectors<T>::is_checkpoint_due() const {
  const std::chrono::duration<double> age = Clock::now() - last_checkpoint_;
  return !files_.checkpoint.empty() && run_.communicator.any_of(age.count() >= files_.checkpoint_every_s);
}

template <class T>
void SystemVectors<T>::write_checkpoint(const std::vector<T>& x) {
  if (files_.checkpoint.empty()) return;
  const auto start = Clock::now();
  write(files_.checkpoint, x);
  last_checkpoint_ = Clock::now();
  checkpoints_s_ += std::chrono::duration<double>(last_checkpoint_ - start).count();
}

template <class T>
void SystemVectors<T>::write(const std::string& path, const std::vector<T>& x) const {
  run_.watchdog.stage("writing x");
  workspaces_.write(path, x);
}

SPMV_INSTANTIATE_CLASS(SystemVectors);

}  // namespace spmv
