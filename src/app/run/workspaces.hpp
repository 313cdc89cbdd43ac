// What commands that solve have in common: a square matrix on its ranks, and a workspace in every mode and over every transport
// that the user wants.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/report/workspace_facts.hpp"
#include "app/run/placed_matrix.hpp"
#include "app/run/problem.hpp"
#include "app/run/run.hpp"
#include "dist/prepare/prepare_matrix.hpp"
#include "dist/prepare/product_trials.hpp"
#include "dist/solve/workspace.hpp"
#include "load/load_rows.hpp"

namespace spmv {

/// Options of a command that solves: all that it shares with the others. Without `verify`, no reference is made.
struct WorkspaceOptions : RunOptions {
  std::string json_file;
  bool any_mode = false;  // --mode auto: the fastest of `modes`; on one rank the first that works

  WorkspaceOptions();
  NamedFiles files() const {
    return {{"the matrix", matrix_file, FileUse::read},
            {"--tune-cache", tune_cache, FileUse::cache},
            {"--json", json_file}};
  }
  /// As RunOptions::check(). Local; throws Error(usage).
  void check();
};
/// Cache, modes, transports, layout, format, partition, order, backend and time-out.
void declare_workspace(CLI::App& app, WorkspaceOptions& options);
/// A tolerance that the user has not named.
inline constexpr double by_precision = -1;
/// --tolerance of what `summary` says.
void declare_tolerance(CLI::App& app, double& tolerance, const char* summary, const char* group);
/// The tolerance that the user has named, or one that can be reached in the precision of T. Pure.
template <class T>
constexpr double tolerance_for(double named) {
  if (named != by_precision) return named;
  return sizeof(RealOf<T>) == sizeof(float) ? 1e-5 : 1e-8;
}
/// --start-seed, of random start vectors.
void declare_start_seed(CLI::App& app, int& seed, const char* group);

/// Why a command stops early: "ended by SIGTERM while ...", or nothing if no signal came. Collective.
std::string ended_while(const Session& session, const std::string& what);
/// The exit code of a command that solves: ok or unsolved; or that of the signal that ended it, which rank 0 then names by
/// `incomplete`. Collective.
ExitCode verdict(const Session& session, const std::string& incomplete, bool solved);

/// An operator, and a workspace on its queue.
template <class T>
struct ReadyWorkspace {
  Operator<T> A;
  Workspace<T> on;

  ReadyWorkspace(const Communicator& communicator, DistMatrix<T>& matrix, const Mode<T>& mode,
                 const std::string& transport, const TransportRequest& request)
      : A(matrix, mode),
        on(communicator, matrix.backend(), matrix.compute_queue(), transport, request, matrix.columns()) {}
};

/// A matrix in single precision beside that of a workspace.
template <class T>
struct InnerWorkspace {
  explicit InnerWorkspace(DistributedRows<SingleOf<T>>&& of_matrix) : rows(std::move(of_matrix)) {}

  DistributedRows<SingleOf<T>> rows;
  std::unique_ptr<DistMatrix<SingleOf<T>>> matrix;
  std::unique_ptr<ReadyWorkspace<SingleOf<T>>> ready;
};

/// A matrix, and workspaces for it, one after another.
template <class T>
class Workspaces {
 public:
  using Work = std::function<void(Workspace<T>& on, const Operator<T>& A, const WorkspaceFacts& facts)>;
  using Refused = std::function<void(const WorkspaceFacts& facts)>;

  /// place_matrix() of a square matrix. `run`, `options`, which are its options, and `head` outlive this. Collective; throws
  /// AgreedError, of usage if the matrix is not square.
  Workspaces(const Run& run, const WorkspaceOptions& options, const MatrixSource& source, RunHead& head);

  const Problem<T>& problem() const { return placed_.problem; }
  /// Of this rank's memory, measured while all ranks measured.
  const Bandwidth& bandwidth() const { return placed_.bandwidth; }

  /// Calls work(on, A, facts) in each mode over each transport that the user wants; with mode auto in one mode over one
  /// transport. Completes the head. `refused` is told of each that the user has named and that cannot be set up here. What
  /// work() throws ends it, and so does a request to end that work() has heeded. Collective; throws AgreedError if none can be
  /// set up.
  void each(const Work& work, const Refused& refused);
  /// For what each() calls: the matrix in single precision, in a format of its own, with the queue, mode, layout and transports of
  /// the present workspace. It lasts until the next workspace is set up. Collective; throws AgreedError.
  const InnerWorkspace<T>& make_inner(const std::string& format);

  /// Calls work(one, A) with the matrix and transport of the present workspace `on`, but for one column. What it returns is returned.
  /// Collective; throws AgreedError if the transport cannot be set up again.
  template <class Work>
  auto in_one_column(Workspace<T>& on, const Work& work) {
    OneColumn one(*this, on);
    return work(one.ready->on, std::as_const(one.ready->A));
  }

  /// The rows that each rank has read.
  RowPartition readers() const {
    return RowPartition::even(problem().rows.shape.rows, run_.communicator.size());
  }
  /// A multivector of the run's columns, by rows: from the ranks that read the rows to those that own them, in natural order, and
  /// back. Collective.
  std::vector<T> to_owners(const std::vector<T>& as_read) const;
  std::vector<T> to_readers(const std::vector<T>& natural) const;
  /// Writes a vector of this rank's elements in natural order to a file, in the order of the matrix's rows: a .spmv file, or
  /// else a Matrix Market array; completely or not at all. Collective; throws AgreedError.
  void write(const std::string& path, const std::vector<T>& natural) const;
  /// The same of one column of a multivector.
  void write_column(const std::string& path, const std::vector<T>& natural, std::size_t column) const;

 private:
  /// The matrix for one column until this ends.
  struct OneColumn {
    OneColumn(Workspaces& of, Workspace<T>& on);
    ~OneColumn() { put_back(); }
    OneColumn(const OneColumn&) = delete;
    OneColumn& operator=(const OneColumn&) = delete;
    void put_back() {
      ready.reset();
      matrix.swap_columns(of_run);
    }
    DistMatrix<T>& matrix;
    typename DistMatrix<T>::ForColumns of_run;
    std::optional<ReadyWorkspace<T>> ready;
  };

  /// Products with their sums, in all layouts of all these modes. Collective; throws AgreedError if none can be set up.
  std::vector<ProductTrial> try_products(const std::vector<const Mode<T>*>& modes,
                                         const std::string& transport);
  /// The modes and transports to work with; with mode auto and several ranks the mode in which a product is fastest, over the
  /// first transport that can be set up. Collective; throws AgreedError if none can.
  std::vector<std::pair<std::string, std::string>> choices();
  using Ready = ReadyWorkspace<T>;
  /// Sets up `ready`, in the layout that the user wants or in that in which a product is fastest, found by trial once for each
  /// mode. Collective; throws AgreedError.
  WorkspaceFacts set_up_fastest(std::optional<Ready>& ready, const Mode<T>& mode,
                                const std::string& transport);
  void set_up(std::optional<Ready>& ready, const Mode<T>& mode, const std::string& transport,
              const std::string& layout);
  using Trials = std::shared_ptr<std::vector<TransportReport>>;

  const Run& run_;
  const WorkspaceOptions& options_;
  RunHead& head_;
  PlacedMatrix<T> placed_;
  MatrixBuilder<T> builder_;
  std::unique_ptr<DistMatrix<T>> matrix_;
  std::map<std::string, std::vector<ProductTrial>> layout_trials_;  // by mode
  std::vector<ProductTrial> mode_trials_;                           // for mode auto
  // Of transports, tried once: for the halo and for sums.
  Trials halo_trials_ = std::make_shared<std::vector<TransportReport>>();
  Trials sums_trials_ = std::make_shared<std::vector<TransportReport>>();
  std::string mode_, transport_;  // at work
  std::unique_ptr<InnerWorkspace<T>> inner_;
  std::atomic<const Workspace<SingleOf<T>>*> inner_on_{nullptr};  // for the watchdog
};

/// time_queued() on the queue of the workspace.
template <class T>
double time_of(Workspace<T>& on, const std::function<void()>& work) {
  return time_queued(on.communicator(), on.queue(), work);
}

}  // namespace spmv
