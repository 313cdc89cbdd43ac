#include "app/run/load.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "app/say.hpp"
#include "load/load_partitions.hpp"

namespace spmv {
namespace {

/// A bar on rank 0's stderr with the time that is left, if that is a terminal. It appears only when reading takes longer
/// than a second.
class ProgressBar {
 public:
  explicit ProgressBar(bool wanted) : wanted_(wanted && isatty(STDERR_FILENO) == 1) {}
  ~ProgressBar() {
    if (shown_) fmt::print(stderr, "\n");
  }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(double share) {
    const auto now = Clock::now();
    if (!wanted_ || now - start_ < std::chrono::seconds(1) || now - last_ < std::chrono::milliseconds(100))
      return;
    constexpr int width = 50;
    const int full = static_cast<int>(std::clamp(share, 0.0, 1.0) * width);
    const double elapsed_s = std::chrono::duration<double>(now - start_).count();
    fmt::print(stderr, "\rreading [{:=<{}}{: <{}}] {:3.0f} %, {:4.0f} s left", "", full, "", width - full,
               share * 100, share > 0 ? elapsed_s * (1 - share) / share : 0);
    last_ = now;
    shown_ = true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool wanted_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

}  // namespace

MatrixSource find_source(const Run& run) {
  run.watchdog.stage("looking at the matrix");
  const Options& options = run.options;
  return options.generate.empty() ? find_file(run.communicator, options.matrix_file)
                                  : find_generator(run.communicator, options.generate);
}

std::string value_type(const Options& options, const MatrixSource& source) {
  return options.value == "auto" ? source.value : options.value;
}

template <class T>
RowBlock<T> load_with_progress(const Run& run, const MatrixSource& source, const RowPartition& rows) {
  run.watchdog.stage("loading the matrix");
  ProgressBar bar(run.communicator.rank() == 0);
  return load_rows<T>(
      run.communicator, source, rows,
      {[&](const std::string& text) { run.watchdog.stage(text); }, [&](double share) { bar.show(share); },
       [&](const std::string& sentence) {
         if (run.communicator.rank() == 0) say("warning: " + sentence);
       }});
}

std::vector<ReadyPartition> ready_partitions(const Run& run, const MatrixSource& source,
                                             const Ownership& read, const PartitionRequest& request) {
  return load_ready(run.communicator, source, read, request,
                    run.automatic_partition() ? std::string() : run.options.partition);
}

SPMV_INSTANTIATE(load_with_progress);

}  // namespace spmv
