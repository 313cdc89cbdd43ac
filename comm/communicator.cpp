#include "comm/communicator.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <numeric>

#include <mpi.h>

#include "comm/mpi_check.hpp"
#include "comm/mpi_in_containers.hpp"
#include "comm/patience.hpp"
#include "comm/place/sharing.hpp"
#include "core/this_machine.hpp"

namespace spmv {

struct Communicator::Handle {
  explicit Handle(MPI_Comm made) : comm(made) {
    mpi_check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "set the error handler");
  }
  ~Handle() {
    attachments.clear();
    // Freeing is collective: if only one rank has failed, no other rank would join in.
    if (std::uncaught_exceptions() == 0 && !mpi_has_ended()) MPI_Comm_free(&comm);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  MPI_Comm comm;
  std::map<std::type_index, std::shared_ptr<void>> attachments;
};

namespace {

/// MPI starts and ends once for the whole process.
std::atomic<bool>& session_lives() {
  static std::atomic<bool> lives{false};
  return lives;
}

constexpr offset largest_message = offset{1} << 30;

/// Starts a collective and polls for its end with Patience. MPI's own wait would never let go of a thread
/// whose work was abandoned, and MPI could not end then. What the collective reads and writes belongs to the
/// caller, which does not return before it has ended: a thread that was abandoned stops here, with all of it
/// still there.
template <class Start>
void finish(const Start& start, const char* doing) {
  MPI_Request request = MPI_REQUEST_NULL;
  mpi_check(start(&request), doing);
  Patience patience;
  int done = 0;
  while (true) {
    mpi_check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), doing);
    if (done != 0) return;
    patience.pause();
  }
}

std::vector<gidx> reduce(MPI_Comm comm, std::vector<gidx> mine, MPI_Op op) {
  finish(
      [&](MPI_Request* request) {
        return MPI_Iallreduce(MPI_IN_PLACE, mine.data(), static_cast<int>(mine.size()), MPI_INT64_T, op, comm,
                              request);
      },
      "reduce integers");
  return mine;
}

std::vector<double> reduce(MPI_Comm comm, std::vector<double> mine, MPI_Op op) {
  finish(
      [&](MPI_Request* request) {
        return MPI_Iallreduce(MPI_IN_PLACE, mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, op, comm,
                              request);
      },
      "reduce numbers");
  return mine;
}

/// One call of `post` per message of at most largest_message bytes.
template <class Post>
void post_in_pieces(char* at, offset bytes, const Post& post) {
  for (offset done = 0; done < bytes; done += largest_message)
    post(at + done, static_cast<int>(std::min(largest_message, bytes - done)));
}

}  // namespace

MpiSession::MpiSession(int& argc, char**& argv) {
  prepare_mpi_for_containers();
  int provided = 0;
  mpi_check(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided), "start");
  session_lives() = true;
}

MpiSession::~MpiSession() {
  MPI_Finalize();
  session_lives() = false;
}

bool MpiSession::lives() {
  return session_lives();
}

ThreadLevel MpiSession::thread_level() {
  int provided = MPI_THREAD_SINGLE;
  mpi_check(MPI_Query_thread(&provided), "tell its thread level");
  if (provided == MPI_THREAD_MULTIPLE) return ThreadLevel::multiple;
  if (provided == MPI_THREAD_SERIALIZED) return ThreadLevel::serialized;
  return provided == MPI_THREAD_FUNNELED ? ThreadLevel::funneled : ThreadLevel::single;
}

std::string MpiSession::library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  mpi_check(MPI_Get_library_version(text, &length), "tell its version");
  std::string line(text, static_cast<std::size_t>(length));
  line.resize(std::min(line.size(), line.find_first_of(",\n")));
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line;
}

void MpiSession::abort(ExitCode code) {
  MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
  std::_Exit(static_cast<int>(code));
}

Communicator::Communicator(std::shared_ptr<Handle> handle) : handle_(std::move(handle)) {
  mpi_check(MPI_Comm_rank(handle_->comm, &rank_), "tell the rank");
  mpi_check(MPI_Comm_size(handle_->comm, &size_), "tell the number of ranks");
}

Communicator Communicator::world() {
  MPI_Comm comm = MPI_COMM_NULL;
  mpi_check(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "duplicate the communicator");
  return Communicator(std::make_shared<Handle>(comm));
}

Communicator Communicator::of(const void* mpi_comm) {
  int begun = 0, between_groups = 0;
  MPI_Initialized(&begun);
  if (begun == 0 || mpi_has_ended())
    throw Error(ExitCode::usage,
                "MPI is not running: a communicator is used between MPI_Init and MPI_Finalize");
  const MPI_Comm theirs = *static_cast<const MPI_Comm*>(mpi_comm);
  if (theirs == MPI_COMM_NULL)
    throw Error(ExitCode::usage,
                "the communicator is MPI_COMM_NULL: only ranks that belong to a communicator can use it");
  mpi_check(MPI_Comm_test_inter(theirs, &between_groups), "tell the kind of a communicator");
  if (between_groups != 0)
    throw Error(ExitCode::usage,
                "the communicator joins two groups of ranks: merge it by MPI_Intercomm_merge");
  MPI_Comm comm = MPI_COMM_NULL;
  mpi_check(MPI_Comm_dup(theirs, &comm), "duplicate the communicator");
  return Communicator(std::make_shared<Handle>(comm));
}

Communicator Communicator::duplicate() const {
  MPI_Comm comm = MPI_COMM_NULL;
  mpi_check(MPI_Comm_dup(handle_->comm, &comm), "duplicate a communicator");
  return Communicator(std::make_shared<Handle>(comm));
}

Communicator Communicator::node() const {
  return split(node_of({.host = host_name(), .boot_id = boot_id(), .cores = {}, .gpu = {}}));
}

std::vector<int> Communicator::ranks_of_node_by_mpi() const {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Group all = MPI_GROUP_NULL, node = MPI_GROUP_NULL;
  int size = 0;
  // With different keys Open MPI would split what it has made once more, and hang where the ranks of that disagree.
  mpi_check(MPI_Comm_split_type(handle_->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm),
            "find the ranks of this node");
  mpi_check(MPI_Comm_group(handle_->comm, &all), "tell the ranks of a communicator");
  mpi_check(MPI_Comm_group(comm, &node), "tell the ranks of a communicator");
  mpi_check(MPI_Group_size(node, &size), "tell the number of ranks");
  std::vector<int> of_node(static_cast<std::size_t>(size)), ranks(of_node.size());
  std::iota(of_node.begin(), of_node.end(), 0);
  mpi_check(MPI_Group_translate_ranks(node, size, of_node.data(), all, ranks.data()), "compare ranks");
  MPI_Group_free(&node);
  MPI_Group_free(&all);
  MPI_Comm_free(&comm);  // in Open MPI 4.1.6 this waits for no other rank
  return ranks;
}

Communicator Communicator::split(int colour) const {
  MPI_Comm comm = MPI_COMM_NULL;
  mpi_check(MPI_Comm_split(handle_->comm, colour, rank_, &comm), "split a communicator");
  return Communicator(std::make_shared<Handle>(comm));
}

Communicator Communicator::split(const std::string& text) const {
  const std::vector<std::string> texts = all_gather(text);
  return split(static_cast<int>(std::find(texts.begin(), texts.end(), text) - texts.begin()));
}

void Communicator::barrier() const {
  finish([&](MPI_Request* request) { return MPI_Ibarrier(handle_->comm, request); }, "wait for all ranks");
}

gidx Communicator::sum(gidx mine) const {
  return reduce(handle_->comm, std::vector<gidx>{mine}, MPI_SUM)[0];
}
gidx Communicator::max(gidx mine) const {
  return reduce(handle_->comm, std::vector<gidx>{mine}, MPI_MAX)[0];
}
gidx Communicator::min(gidx mine) const {
  return reduce(handle_->comm, std::vector<gidx>{mine}, MPI_MIN)[0];
}
double Communicator::sum(double mine) const {
  return reduce(handle_->comm, std::vector<double>{mine}, MPI_SUM)[0];
}
double Communicator::max(double mine) const {
  return reduce(handle_->comm, std::vector<double>{mine}, MPI_MAX)[0];
}
std::vector<double> Communicator::max(std::vector<double> mine) const {
  return reduce(handle_->comm, std::move(mine), MPI_MAX);
}
std::vector<gidx> Communicator::sum(std::vector<gidx> mine) const {
  return reduce(handle_->comm, std::move(mine), MPI_SUM);
}

std::vector<double> Communicator::sum(std::vector<double> mine) const {
  const void* const own = rank_ == 0 ? MPI_IN_PLACE : mine.data();
  finish(
      [&](MPI_Request* request) {
        return MPI_Ireduce(own, mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_SUM, 0,
                           handle_->comm, request);
      },
      "sum numbers");
  return broadcast(std::move(mine));
}

std::vector<gidx> Communicator::sum_below(std::vector<gidx> mine) const {
  std::vector<gidx> below(mine.size(), 0);
  finish(
      [&](MPI_Request* request) {
        return MPI_Iexscan(mine.data(), below.data(), static_cast<int>(mine.size()), MPI_INT64_T, MPI_SUM,
                           handle_->comm, request);
      },
      "sum over the ranks below");
  if (rank_ == 0) std::fill(below.begin(), below.end(), 0);  // MPI leaves rank 0's result undefined
  return below;
}

void Communicator::all_gather_bytes(const void* mine, void* all, std::size_t bytes) const {
  const int count = static_cast<int>(bytes);
  finish(
      [&](MPI_Request* request) {
        return MPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, handle_->comm, request);
      },
      "gather elements");
}

std::vector<std::string> Communicator::all_gather(const std::string& mine) const {
  std::string padded = mine;  // to the length of the longest text of all ranks
  padded.resize(static_cast<std::size_t>(max(static_cast<gidx>(mine.size()))));
  const std::vector<gidx> lengths = all_gather(static_cast<gidx>(mine.size()));
  std::string all(padded.size() * lengths.size(), '\0');
  if (!padded.empty()) all_gather_bytes(padded.data(), all.data(), padded.size());
  std::vector<std::string> texts;
  for (std::size_t r = 0; r < lengths.size(); ++r)
    texts.push_back(all.substr(r * padded.size(), static_cast<std::size_t>(lengths[r])));
  return texts;
}

std::vector<std::string> Communicator::gather(const std::string& mine) const {
  const auto received = gather(std::vector<char>(mine.begin(), mine.end()));
  std::vector<std::string> texts;
  if (rank_ != 0) return texts;
  auto at = received.data.begin();
  for (const offset count : received.counts) {
    texts.emplace_back(at, at + count);
    at += count;
  }
  return texts;
}

std::string Communicator::broadcast(const std::string& text) const {
  gidx length = static_cast<gidx>(text.size());
  finish([&](MPI_Request* request) { return MPI_Ibcast(&length, 1, MPI_INT64_T, 0, handle_->comm, request); },
         "broadcast");
  std::string copy = text;
  copy.resize(static_cast<std::size_t>(length));
  finish(
      [&](MPI_Request* request) {
        return MPI_Ibcast(copy.data(), static_cast<int>(length), MPI_CHAR, 0, handle_->comm, request);
      },
      "broadcast");
  return copy;
}

std::vector<double> Communicator::broadcast(std::vector<double> elements) const {
  finish(
      [&](MPI_Request* request) {
        return MPI_Ibcast(elements.data(), static_cast<int>(elements.size()), MPI_DOUBLE, 0, handle_->comm,
                          request);
      },
      "broadcast");
  return elements;
}

std::string Communicator::first_text(const std::string& mine) const {
  const std::vector<std::string> all = gather(mine);  // on rank 0
  const auto first =
      std::find_if(all.begin(), all.end(), [](const std::string& text) { return !text.empty(); });
  return broadcast(first == all.end() ? std::string() : *first);
}

std::vector<offset> Communicator::counts_from_all(const std::vector<offset>& counts) const {
  std::vector<offset> received(counts.size());
  finish(
      [&](MPI_Request* request) {
        return MPI_Ialltoall(counts.data(), 1, MPI_INT64_T, received.data(), 1, MPI_INT64_T, handle_->comm,
                             request);
      },
      "tell all ranks what they will get");
  return received;
}

void Communicator::all_to_all_bytes(const void* send, const std::vector<offset>& send_counts, void* receive,
                                    const std::vector<offset>& receive_counts,
                                    std::size_t element_bytes) const {
  constexpr int tag = 1;
  const auto width = static_cast<offset>(element_bytes);
  std::vector<MPI_Request> requests;
  const auto next = [&] {
    requests.push_back(MPI_REQUEST_NULL);
    return &requests.back();
  };
  auto* to = static_cast<char*>(receive);
  char* own_place = nullptr;
  for (int source = 0; source < size_; ++source) {
    const offset bytes = receive_counts[static_cast<std::size_t>(source)] * width;
    if (source == rank_)
      own_place = to;
    else
      post_in_pieces(to, bytes, [&](char* at, int count) {
        mpi_check(MPI_Irecv(at, count, MPI_BYTE, source, tag, handle_->comm, next()), "receive");
      });
    to += bytes;
  }
  auto* from = const_cast<char*>(static_cast<const char*>(send));
  for (int target = 0; target < size_; ++target) {
    const offset bytes = send_counts[static_cast<std::size_t>(target)] * width;
    if (target == rank_) {
      if (own_place != nullptr && bytes > 0) std::memcpy(own_place, from, static_cast<std::size_t>(bytes));
    } else {
      post_in_pieces(from, bytes, [&](char* at, int count) {
        mpi_check(MPI_Isend(at, count, MPI_BYTE, target, tag, handle_->comm, next()), "send");
      });
    }
    from += bytes;
  }
  Patience patience;
  for (int done = 0; done == 0;) {
    mpi_check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
              "finish an all-to-all");
    if (done == 0) patience.pause();
  }
}

void Communicator::agree(const std::optional<Error>& mine) const {
  const gidx failed = min(mine ? gidx{rank_} : gidx{size_});
  if (failed == size_) return;
  std::string message = mine && failed == rank_ ? mine->what() : "";
  int code = mine ? static_cast<int>(mine->code()) : 0;
  int length = static_cast<int>(message.size());
  const int root = static_cast<int>(failed);
  finish([&](MPI_Request* request) { return MPI_Ibcast(&code, 1, MPI_INT, root, handle_->comm, request); },
         "share an error");
  finish([&](MPI_Request* request) { return MPI_Ibcast(&length, 1, MPI_INT, root, handle_->comm, request); },
         "share an error");
  message.resize(static_cast<std::size_t>(length));
  finish(
      [&](MPI_Request* request) {
        return MPI_Ibcast(message.data(), length, MPI_CHAR, root, handle_->comm, request);
      },
      "share an error");
  throw AgreedError(static_cast<ExitCode>(code), message);
}

std::shared_ptr<void>& Communicator::attachment(std::type_index type) const {
  return handle_->attachments[type];
}

void Communicator::abort(ExitCode code) const {
  MPI_Abort(handle_->comm, static_cast<int>(code));
  std::_Exit(static_cast<int>(code));
}

void* Communicator::handle() const {
  return &handle_->comm;
}

}  // namespace spmv
