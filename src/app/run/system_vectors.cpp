#include "app/run/system_vectors.hpp"

#include <cmath>
#include <complex>

#include "app/run/unfinished_file.hpp"
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
      "file with b: a matrix of one column, Matrix Market or .spmv (default: A x of an x that is known)");
  declare_file(app, "--guess", files.guess, "Input",
               "file with the x to start from, as --read-b (default: 0)");
  declare_file(
      app, "--write-x", files.write_x, "Output",
      "write x of the first solver, in the rows' order as read: .spmv, or else a Matrix Market array");
}

template <class T>
SystemVectors<T>::SystemVectors(const Run& run, const SystemFiles& files, const Workspaces<T>& workspaces)
    : run_(run), files_(files), workspaces_(workspaces) {
  b_ = files.read_b.empty() ? workspaces.problem().reference[0].y : read("b", files.read_b);
  if (!files.guess.empty()) guess_ = read("the guess", files.guess);
}

template <class T>
std::vector<T> SystemVectors<T>::read(const std::string& what, const std::string& path) const {
  run_.watchdog.stage("reading " + what);
  LoadProgress progress;
  progress.stage = stage_listener(run_.watchdog);
  return workspaces_.to_owners(load_vector<T>(run_.communicator, path, workspaces_.readers(), progress));
}

template <class T>
double SystemVectors<T>::error_of(const std::vector<T>& x) const {
  if (!files_.read_b.empty()) return -1;
  const std::vector<T> known = workspaces_.problem().x_of(0);
  double off = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    off += std::norm(std::complex<double>(x[i]) - std::complex<double>(known[i]));
    size += std::norm(std::complex<double>(known[i]));
  }
  return std::sqrt(run_.communicator.sum(off) / run_.communicator.sum(size));
}

template <class T>
void SystemVectors<T>::write_first(const std::vector<T>& x) {
  if (files_.write_x.empty() || written_) return;
  written_ = true;
  write(files_.write_x, x);
}

template <class T>
void SystemVectors<T>::write(const std::string& path, const std::vector<T>& x) const {
  run_.watchdog.stage("writing x");
  save_vector(run_.communicator, path, workspaces_.readers(), workspaces_.to_readers(x),
              save_options(run_, path));
}

SPMV_INSTANTIATE_CLASS(SystemVectors);

}  // namespace spmv
