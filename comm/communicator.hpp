// The only way to MPI's collectives: a duplicated communicator whose every call is checked. The
// messages of transports are in transports/staging/messages.hpp.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

#include "core/as_error.hpp"
#include "core/error.hpp"
#include "core/types.hpp"

namespace spmv {

/// MPI's thread levels, in MPI's order.
enum class ThreadLevel { single, funneled, serialized, multiple };

/// Starts MPI and ends it. One per process, before any Communicator and after the last.
class MpiSession {
 public:
  /// Collective. Asks for ThreadLevel::multiple and takes what it gets.
  MpiSession(int& argc, char**& argv);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// Whether there is a session, begun and not ended. If so, MPI and the process are the session's to end.
  /// Local.
  static bool lives();
  /// What this MPI provides. Local.
  static ThreadLevel thread_level();
  /// One line: library and version. Local.
  static std::string library();
  /// Ends all ranks of MPI_COMM_WORLD with this exit code, where no Communicator can be had. Local.
  [[noreturn]] static void abort(ExitCode code);
};

/// A failure that every rank throws, with the same text and exit code.
class AgreedError : public Error {
 public:
  using Error::Error;
};

/// What the other ranks sent: elements grouped by source rank, in the order in which each sent them.
template <class T>
struct Received {
  std::vector<T> data;
  std::vector<offset> counts;  // one per source rank
};

/// A group of ranks that exchange messages of their own. Copies refer to the same MPI communicator, which is
/// freed with the last of them (Collective; not during an exception, and not after MPI has ended).
///
/// Every method is Collective unless it says Local, and throws Error(internal) if MPI fails. Every wait polls
/// with Patience.
class Communicator {
 public:
  /// A duplicate of MPI_COMM_WORLD.
  static Communicator world();
  /// A duplicate of the caller's own: `mpi_comm` points to an MPI_Comm, which may be freed afterwards.
  /// Collective on its ranks; throws Error(usage), on every one of them, where MPI does not run, or for
  /// MPI_COMM_NULL or an intercommunicator.
  static Communicator of(const void* mpi_comm);
  /// The same ranks; messages of the one never meet those of the other.
  Communicator duplicate() const;
  /// The ranks of this rank's node, node_of(), in the order of this communicator. MPI is not asked, see ranks_of_node_by_mpi().
  Communicator node() const;
  /// The ranks of this communicator that MPI_COMM_TYPE_SHARED stands for, ascending. Ranks of one node may get different answers:
  /// Open MPI 4.1.6 with PMIx 5.0.1 takes all ranks of one of the other nodes for this rank's, and its own for remote ones. May
  /// wait for ever in an MPI that has not been tried with such answers.
  std::vector<int> ranks_of_node_by_mpi() const;
  /// The ranks that give the same number, from 0, in the order of this communicator.
  Communicator split(int colour) const;
  /// The ranks that give the same text, in the order of this communicator.
  Communicator split(const std::string& text) const;

  int rank() const { return rank_; }  // Local
  int size() const { return size_; }  // Local

  void barrier() const;
  gidx sum(gidx mine) const;
  gidx max(gidx mine) const;
  gidx min(gidx mine) const;
  double sum(double mine) const;
  double max(double mine) const;
  /// Element-wise sums, the same bits on all ranks; every rank gives the same number of elements.
  std::vector<double> sum(std::vector<double> mine) const;
  /// Element-wise maximum; every rank gives the same number of elements.
  std::vector<double> max(std::vector<double> mine) const;
  /// Element-wise sum over all ranks below this one (zeros on rank 0).
  std::vector<gidx> sum_below(std::vector<gidx> mine) const;
  /// Whether it is true on any rank.
  bool any_of(bool mine) const { return max(gidx{mine}) == 1; }
  /// Whether it is true on every rank.
  bool all_of(bool mine) const { return min(gidx{mine}) == 1; }
  gidx sum_below(gidx mine) const { return sum_below(std::vector<gidx>{mine})[0]; }
  std::vector<gidx> sum(std::vector<gidx> mine) const;
  /// Every rank's element on every rank, by rank.
  template <class T>
  std::vector<T> all_gather(const T& mine) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(static_cast<std::size_t>(size_));
    all_gather_bytes(&mine, all.data(), sizeof(T));
    return all;
  }
  /// Every rank's text on every rank, by rank.
  std::vector<std::string> all_gather(const std::string& mine) const;
  /// Every rank's elements on rank 0, by rank; empty elsewhere.
  template <class T>
  Received<T> gather(const std::vector<T>& mine) const {
    std::vector<offset> counts(static_cast<std::size_t>(size_), 0);
    counts[0] = static_cast<offset>(mine.size());
    return all_to_all(mine, counts);
  }
  /// Every rank's text on rank 0, by rank; empty elsewhere.
  std::vector<std::string> gather(const std::string& mine) const;
  /// Rank 0's text on every rank.
  std::string broadcast(const std::string& text) const;
  /// Rank 0's elements on every rank; every rank gives the same number of elements.
  std::vector<double> broadcast(std::vector<double> elements) const;
  /// The text of the lowest rank that has one, on every rank; empty where no rank has any.
  std::string first_text(const std::string& mine) const;

  /// Sends the first counts[0] elements of `data` to rank 0, the next counts[1] to rank 1, and so on, this
  /// rank included; `counts` has size() elements. Any size; messages over 1 GiB are cut.
  template <class T>
  Received<T> all_to_all(const std::vector<T>& data, const std::vector<offset>& counts) const {
    static_assert(std::is_trivially_copyable_v<T>);
    Received<T> received;
    received.counts = counts_from_all(counts);
    offset total = 0;
    for (const offset count : received.counts) total += count;
    received.data.resize(static_cast<std::size_t>(total));
    all_to_all_bytes(data.data(), counts, received.data.data(), received.counts, sizeof(T));
    return received;
  }

  /// Runs `work` on every rank; if it throws on any, all ranks throw the AgreedError of the lowest rank that
  /// failed. If `work` may throw on some ranks only, it must call nothing Collective afterwards, in which the
  /// others would wait forever.
  template <class Work>
  auto together(const Work& work) const {
    std::optional<Error> failure;
    using Result = std::decay_t<decltype(work())>;
    if constexpr (std::is_void_v<Result>) {
      failure = caught([&] { work(); });
      agree(failure);
    } else {
      std::optional<Result> result;
      failure = caught([&] { result.emplace(work()); });
      agree(failure);
      return std::move(*result);
    }
  }
  /// Throws the AgreedError of the lowest rank with a failure; returns if there is none.
  void agree(const std::optional<Error>& mine) const;

  /// Keeps an object that is costly to make, such as another library's communicator of the same ranks: one of
  /// each type, seen by all copies of this communicator and by no duplicate. It is released when it is
  /// detached or replaced, or just before MPI's communicator is freed. It must hold no copy of the
  /// communicator: the two would keep each other alive. Local, in one thread at a time; if ending the object
  /// is Collective, all ranks must detach it together.
  template <class T>
  void attach(std::shared_ptr<T> object) const {
    attachment(typeid(T)) = std::move(object);
  }
  /// The attached object of this type, or nullptr. Local.
  template <class T>
  std::shared_ptr<T> attached() const {
    return std::static_pointer_cast<T>(attachment(typeid(T)));
  }
  /// Does nothing where none is attached. Local.
  template <class T>
  void detach() const {
    attachment(typeid(T)).reset();
  }

  /// Ends all ranks at once, with this exit code. Local.
  [[noreturn]] void abort(ExitCode code) const;

  /// A pointer to the MPI_Comm, for transports; valid as long as a copy of this communicator lives. Local.
  void* handle() const;

 private:
  struct Handle;
  explicit Communicator(std::shared_ptr<Handle> handle);
  void all_gather_bytes(const void* mine, void* all, std::size_t bytes) const;
  std::vector<offset> counts_from_all(const std::vector<offset>& counts) const;
  void all_to_all_bytes(const void* send, const std::vector<offset>& send_counts, void* receive,
                        const std::vector<offset>& receive_counts, std::size_t element_bytes) const;
  std::shared_ptr<void>& attachment(std::type_index type) const;
  template <class Work>
  static std::optional<Error> caught(const Work& work) {
    try {
      work();
    } catch (const std::exception& thrown) {
      return as_error(thrown);
    }
    return std::nullopt;
  }

  std::shared_ptr<Handle> handle_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace spmv
