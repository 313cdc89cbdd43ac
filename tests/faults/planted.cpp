// Plants one fault into a process, to be preloaded into the program or a test: a call that fails, is interrupted or
// does only half of its work, or a signal that arrives at that very call.
//
//   SPMV_PLANT="RANK CALL NUMBER ACTION"   on this rank, at this call of that name, counted from 1; "NUMBER+": at that
//                                          call and every one behind it
//   SPMV_SITES=FILE                        this rank's different call sites, at its end, in FILE.RANK: a line of call,
//                                          number and count each. A site is a call and the functions it comes from.
//
// ACTION is `fail` (the way this call fails in practice), the name of an errno, `short` (half of the bytes are read or
// written), or a signal's name. Only what the program itself calls is counted, not what MPI calls for its own purposes.
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string_view>

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <hwloc.h>
#include <link.h>
#include <metis.h>
#include <mpi.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

struct Name {
  const char* text;
  int number;
};
constexpr std::array<Name, 10> errors = {{{"ENOSPC", ENOSPC},
                                          {"EIO", EIO},
                                          {"EINTR", EINTR},
                                          {"ENOMEM", ENOMEM},
                                          {"EACCES", EACCES},
                                          {"EMFILE", EMFILE},
                                          {"EAGAIN", EAGAIN},
                                          {"EDQUOT", EDQUOT},
                                          {"EROFS", EROFS},
                                          {"EINVAL", EINVAL}}};
constexpr std::array<Name, 5> signals = {{{"SIGKILL", SIGKILL},
                                          {"SIGSTOP", SIGSTOP},
                                          {"SIGTERM", SIGTERM},
                                          {"SIGINT", SIGINT},
                                          {"SIGABRT", SIGABRT}}};

/// What happens at a call.
struct Action {
  enum Kind { nothing, fail, brief } kind = nothing;
  int error = 0;  // 0: as this call fails in practice
};

struct Site {
  std::uint64_t hash;
  const char* call;
  long number;  // of its first call
  long count;
};

class Plant {
 public:
  static Plant& instance() {
    static Plant plant;
    return plant;
  }

  /// The program has made this call, of which `made` have been made with it.
  Action at(const char* call, long made) {
    if (sites_ != nullptr) record(call, made);
    if (call_ == nullptr || std::strcmp(call, call_) != 0 || (onward_ ? made < number_ : made != number_))
      return {};
    for (const Name& signal : signals)
      if (std::strcmp(action_, signal.text) == 0) {
        ::kill(::getpid(), signal.number);
        return {};
      }
    if (std::strcmp(action_, "short") == 0) return {Action::brief};
    for (const Name& error : errors)
      if (std::strcmp(action_, error.text) == 0) return {Action::fail, error.number};
    return {Action::fail};
  }

  /// Whether the call that returns to this address is the program's own: made by it, or for it by the C++ library or
  /// zlib.
  bool counts(void* returns_to) const {
    Dl_info where;
    if (dladdr(returns_to, &where) == 0 || where.dli_fname == nullptr) return false;
    const std::string_view file(where.dli_fname);
    return file.find("spmv") != std::string_view::npos || file.find("libstdc++") != std::string_view::npos ||
           file.find("libz.") != std::string_view::npos;
  }

  void write_sites() {
    if (sites_ == nullptr) return;
    char path[4096];
    std::snprintf(path, sizeof path, "%s.%d", sites_, rank_);
    if (FILE* file = std::fopen(path, "w")) {
      for (std::size_t i = 0; i < recorded_; ++i)
        std::fprintf(file, "%s %ld %ld\n", sites[i].call, sites[i].number, sites[i].count);
      std::fclose(file);
    }
  }

 private:
  Plant() {
    const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
    if (rank == nullptr) rank = std::getenv("PMI_RANK");
    if (rank != nullptr) rank_ = std::atoi(rank);
    void* warm[2];
    backtrace(warm, 2);  // its first call allocates
    sites_ = std::getenv("SPMV_SITES");
    unsetenv("SPMV_SITES");  // neither is for the processes that this one starts
    const char* const text = std::getenv("SPMV_PLANT");
    if (text == nullptr) return;
    int planted_rank = -1;
    char number[32];
    if (std::sscanf(text, "%d %63s %31s %31s", &planted_rank, name_, number, action_) != 4) std::abort();
    number_ = std::atol(number);
    onward_ = std::strchr(number, '+') != nullptr;
    if (planted_rank == rank_) call_ = name_;
    unsetenv("SPMV_PLANT");
  }

  void record(const char* call, long made) {
    std::array<void*, 14> frames{};
    const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
    std::uint64_t hash = std::hash<std::string_view>()(call);
    for (int i = 2; i < count; ++i)
      hash = (hash ^ reinterpret_cast<std::uintptr_t>(frames[i])) * 0x9e3779b97f4a7c15ULL;
    const std::lock_guard lock(mutex_);
    Site* const end = sites.data() + recorded_;
    Site* const site = std::find_if(sites.data(), end, [&](const Site& each) { return each.hash == hash; });
    if (site != end)
      ++site->count;
    else if (recorded_ < sites.size())
      sites[recorded_++] = {hash, call, made, 1};
  }

  int rank_ = 0;
  const char* sites_ = nullptr;
  const char* call_ = nullptr;  // where the fault is; nullptr: not on this rank
  char name_[64] = "";
  char action_[32] = "";
  long number_ = 0;
  bool onward_ = false;
  std::mutex mutex_;
  std::array<Site, 16384> sites{};
  std::size_t recorded_ = 0;
};

/// One function that the program calls.
struct Call {
  const char* name;
  std::atomic<long> made{0};
};

std::atomic<bool> main_runs{
    false};  // what is made before main() begins counts for nothing: nobody could handle it
thread_local bool inside = false;  // what the plant itself calls does not count

Action at(Call& call, void* returns_to) {
  if (inside || !main_runs.load(std::memory_order_relaxed)) return {};
  inside = true;
  Action action;
  if (Plant::instance().counts(returns_to))
    action = Plant::instance().at(call.name, call.made.fetch_add(1) + 1);
  inside = false;
  return action;
}

/// The next definition of a function, which does the work.
template <class Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// A function that returns -1 and sets errno.
template <class Real, class... Arguments>
auto system_call(Call& call, void* returns_to, int usual_error, Real real,
                 Arguments... arguments) -> decltype(real(arguments...)) {
  const Action action = at(call, returns_to);
  if (action.kind == Action::nothing) return real(arguments...);
  errno = action.error != 0 ? action.error : usual_error;
  return -1;
}

/// One that reads or writes so many bytes, and may do less.
template <class Real>
ssize_t transfer(Call& call, void* returns_to, int usual_error, std::size_t bytes, const Real& real) {
  const Action action = at(call, returns_to);
  if (action.kind == Action::nothing) return real(bytes);
  if (action.kind == Action::brief) return real(bytes > 1 ? bytes / 2 : bytes);
  errno = action.error != 0 ? action.error : usual_error;
  return -1;
}

/// One that returns an error number, or that of MPI or METIS.
template <class Real, class... Arguments>
int returning(Call& call, void* returns_to, int failed, Real real, Arguments... arguments) {
  return at(call, returns_to).kind == Action::nothing ? real(arguments...) : failed;
}

void* allocate(std::size_t bytes, void* returns_to) {
  static Call call{"new"};
  return at(call, returns_to).kind == Action::nothing ? std::malloc(bytes > 0 ? bytes : 1) : nullptr;
}

__attribute__((constructor)) void begin() {
  Plant::instance();
}
__attribute__((destructor)) void end() {
  Plant::instance().write_sites();
}

using Main = int(int, char**, char**);
Main* real_main = nullptr;

int main_that_counts(int argc, char** argv, char** environment) {
  main_runs = true;
  return real_main(argc, argv, environment);
}

}  // namespace

// The C library's own start of a program, which calls main().
extern "C" int __libc_start_main(Main* main, int argc, char** argv, void (*init)(), void (*fini)(),
                                 void (*rtld_fini)(), void* stack_end) {
  using Start = int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*);
  real_main = main;
  auto* const start = reinterpret_cast<Start*>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(main_that_counts, argc, argv, init, fini, rtld_fini, stack_end);
}

// Memory

void* operator new(std::size_t bytes) {
  if (void* memory = allocate(bytes, __builtin_return_address(0))) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t bytes) {
  if (void* memory = allocate(bytes, __builtin_return_address(0))) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes, __builtin_return_address(0));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

extern "C" {

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  static Call call{"aligned_alloc"};
  if (at(call, __builtin_return_address(0)).kind != Action::nothing) {
    errno = ENOMEM;
    return nullptr;
  }
  return next(&aligned_alloc, "aligned_alloc")(alignment, bytes);
}

void* mmap(void* where, std::size_t bytes, int protection, int flags, int file, off_t from) {
  static Call call{"mmap"};
  if (at(call, __builtin_return_address(0)).kind == Action::nothing)
    return reinterpret_cast<void*>(syscall(SYS_mmap, where, bytes, protection, flags, file, from));
  errno = ENOMEM;
  return MAP_FAILED;
}

// Files

#define SPMV_RETURNS __builtin_return_address(0)

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
  va_end(list);
  static Call call{"open"};
  return system_call(call, SPMV_RETURNS, EMFILE, next(&open, "open"), path, flags, mode);
}
int memfd_create(const char* name, unsigned flags) noexcept {
  static Call call{"memfd_create"};
  return system_call(call, SPMV_RETURNS, ENOSPC, next(&memfd_create, "memfd_create"), name, flags);
}
int mkostemp(char* name, int flags) {
  static Call call{"mkostemp"};
  return system_call(call, SPMV_RETURNS, EACCES, next(&mkostemp, "mkostemp"), name, flags);
}
int close(int file) {
  static Call call{"close"};
  const Action action = at(call, SPMV_RETURNS);
  const int result = static_cast<int>(syscall(SYS_close, file));  // closed it is even where that fails
  if (action.kind == Action::nothing) return result;
  errno = action.error != 0 ? action.error : EIO;
  return -1;
}
int fsync(int file) {
  static Call call{"fsync"};
  return system_call(call, SPMV_RETURNS, EIO, next(&fsync, "fsync"), file);
}
int rename(const char* from, const char* to) noexcept {
  static Call call{"rename"};
  return system_call(call, SPMV_RETURNS, EIO, next(&rename, "rename"), from, to);
}
int unlink(const char* path) noexcept {
  static Call call{"unlink"};
  return system_call(call, SPMV_RETURNS, EIO, next(&unlink, "unlink"), path);
}
int ftruncate(int file, off_t bytes) noexcept {
  static Call call{"ftruncate"};
  return system_call(call, SPMV_RETURNS, ENOSPC, next(&ftruncate, "ftruncate"), file, bytes);
}
int fchmod(int file, mode_t mode) noexcept {
  static Call call{"fchmod"};
  return system_call(call, SPMV_RETURNS, EIO, next(&fchmod, "fchmod"), file, mode);
}
int fstat(int file, struct stat* found) noexcept {
  static Call call{"fstat"};
  return system_call(call, SPMV_RETURNS, EIO, next(&fstat, "fstat"), file, found);
}
ssize_t read(int file, void* to, std::size_t bytes) {
  static Call call{"read"};
  return transfer(call, SPMV_RETURNS, EIO, bytes,
                  [&](std::size_t some) { return syscall(SYS_read, file, to, some); });
}
ssize_t pread(int file, void* to, std::size_t bytes, off_t from) {
  static Call call{"pread"};
  return transfer(call, SPMV_RETURNS, EIO, bytes,
                  [&](std::size_t some) { return syscall(SYS_pread64, file, to, some, from); });
}
ssize_t write(int file, const void* from, std::size_t bytes) {
  static Call call{"write"};
  return transfer(call, SPMV_RETURNS, ENOSPC, bytes,
                  [&](std::size_t some) { return syscall(SYS_write, file, from, some); });
}

// Threads and processes

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) {
  static Call call{"pthread_create"};
  return returning(call, SPMV_RETURNS, EAGAIN, next(&pthread_create, "pthread_create"), thread, attributes,
                   start, argument);
}
int pipe2(int* ends, int flags) noexcept {
  static Call call{"pipe2"};
  return system_call(call, SPMV_RETURNS, EMFILE, next(&pipe2, "pipe2"), ends, flags);
}
int posix_spawn(pid_t* id, const char* path, const posix_spawn_file_actions_t* files,
                const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
  static Call call{"posix_spawn"};
  return returning(call, SPMV_RETURNS, EAGAIN, next(&posix_spawn, "posix_spawn"), id, path, files, attributes,
                   arguments, environment);
}
int sched_setaffinity(pid_t id, std::size_t bytes, const cpu_set_t* cores) noexcept {
  static Call call{"sched_setaffinity"};
  return system_call(call, SPMV_RETURNS, EINVAL, next(&sched_setaffinity, "sched_setaffinity"), id, bytes,
                     cores);
}

// Libraries

int hwloc_topology_load(hwloc_topology_t topology) {
  static Call call{"hwloc_topology_load"};
  return system_call(call, SPMV_RETURNS, ENOSYS, next(&hwloc_topology_load, "hwloc_topology_load"), topology);
}
int METIS_PartGraphKway(idx_t* vertices, idx_t* constraints, idx_t* first, idx_t* neighbours, idx_t* weights,
                        idx_t* sizes, idx_t* edge_weights, idx_t* parts, real_t* shares, real_t* imbalances,
                        idx_t* options, idx_t* cut, idx_t* part) {
  static Call call{"METIS_PartGraphKway"};
  return returning(call, SPMV_RETURNS, METIS_ERROR_MEMORY, next(&METIS_PartGraphKway, "METIS_PartGraphKway"),
                   vertices, constraints, first, neighbours, weights, sizes, edge_weights, parts, shares,
                   imbalances, options, cut, part);
}

// MPI: a function for each of its functions that the program calls, all alike.
#define SPMV_MPI_CALL(name, parameters, arguments)                            \
  int MPI_##name parameters {                                                 \
    static Call call{"MPI_" #name};                                           \
    if (at(call, SPMV_RETURNS).kind != Action::nothing) return MPI_ERR_OTHER; \
    return PMPI_##name arguments;                                             \
  }
SPMV_MPI_CALL(Init_thread, (int* argc, char*** argv, int required, int* provided),
              (argc, argv, required, provided))
SPMV_MPI_CALL(Finalize, (), ())
SPMV_MPI_CALL(Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made))
SPMV_MPI_CALL(Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm* made), (comm, colour, key, made))
SPMV_MPI_CALL(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made),
              (comm, type, key, info, made))
SPMV_MPI_CALL(Comm_free, (MPI_Comm * comm), (comm))
SPMV_MPI_CALL(Comm_create_keyval,
              (MPI_Comm_copy_attr_function * copy, MPI_Comm_delete_attr_function* remove, int* key,
               void* extra),
              (copy, remove, key, extra))
SPMV_MPI_CALL(Comm_set_attr, (MPI_Comm comm, int key, void* value), (comm, key, value))
SPMV_MPI_CALL(Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler), (comm, handler))
SPMV_MPI_CALL(Comm_rank, (MPI_Comm comm, int* rank), (comm, rank))
SPMV_MPI_CALL(Comm_size, (MPI_Comm comm, int* size), (comm, size))
SPMV_MPI_CALL(Query_thread, (int* provided), (provided))
SPMV_MPI_CALL(Get_library_version, (char* text, int* length), (text, length))
SPMV_MPI_CALL(Iallgather,
              (const void* send, int count, MPI_Datatype type, void* receive, int each, MPI_Datatype received,
               MPI_Comm comm, MPI_Request* request),
              (send, count, type, receive, each, received, comm, request))
SPMV_MPI_CALL(Iallreduce,
              (const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
               MPI_Request* request),
              (send, receive, count, type, op, comm, request))
SPMV_MPI_CALL(Ialltoall,
              (const void* send, int count, MPI_Datatype type, void* receive, int each, MPI_Datatype received,
               MPI_Comm comm, MPI_Request* request),
              (send, count, type, receive, each, received, comm, request))
SPMV_MPI_CALL(Ibarrier, (MPI_Comm comm, MPI_Request* request), (comm, request))
SPMV_MPI_CALL(Ibcast,
              (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request),
              (data, count, type, root, comm, request))
SPMV_MPI_CALL(Iexscan,
              (const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
               MPI_Request* request),
              (send, receive, count, type, op, comm, request))
SPMV_MPI_CALL(Irecv,
              (void* to, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Request* request),
              (to, count, type, source, tag, comm, request))
SPMV_MPI_CALL(Isend,
              (const void* from, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm,
               MPI_Request* request),
              (from, count, type, target, tag, comm, request))
SPMV_MPI_CALL(Recv_init,
              (void* to, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Request* request),
              (to, count, type, source, tag, comm, request))
SPMV_MPI_CALL(Send_init,
              (const void* from, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm,
               MPI_Request* request),
              (from, count, type, target, tag, comm, request))
SPMV_MPI_CALL(Startall, (int count, MPI_Request* requests), (count, requests))
SPMV_MPI_CALL(Request_free, (MPI_Request * request), (request))
SPMV_MPI_CALL(Test, (MPI_Request * request, int* done, MPI_Status* status), (request, done, status))
SPMV_MPI_CALL(Testall, (int count, MPI_Request* requests, int* done, MPI_Status* statuses),
              (count, requests, done, statuses))
SPMV_MPI_CALL(Testsome, (int count, MPI_Request* requests, int* finished, int* which, MPI_Status* statuses),
              (count, requests, finished, which, statuses))
SPMV_MPI_CALL(Type_contiguous, (int count, MPI_Datatype of, MPI_Datatype* made), (count, of, made))
SPMV_MPI_CALL(Type_commit, (MPI_Datatype * type), (type))
SPMV_MPI_CALL(Type_free, (MPI_Datatype * type), (type))

}  // extern "C"
