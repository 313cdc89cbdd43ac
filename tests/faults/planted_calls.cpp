// Functions of the C library and other libraries, with planted faults: see planted.cpp.
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "planted.hpp"

using planted::Action;
using planted::at;
using planted::Call;
using planted::next;
using planted::returning;
using planted::system_call;

namespace {

/// A function that reads or writes a number of bytes, or fewer.
template <class Real>
ssize_t transfer(Call& call, void* returns_to, int usual_error, std::size_t bytes, const Real& real) {
  const Action action = at(call, returns_to);
  if (action.kind == Action::nothing) return real(bytes);
  if (action.kind == Action::brief) return real(bytes > 1 ? bytes / 2 : bytes);
  errno = action.error != 0 ? action.error : usual_error;
  return -1;
}

void* allocate(std::size_t bytes, void* returns_to) {
  static Call call{"new"};
  return at(call, returns_to).kind == Action::nothing ? std::malloc(bytes > 0 ? bytes : 1) : nullptr;
}

// Arguments are only passed on, so their types do not matter.
using Metis = int(void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*);

Metis*& real_metis() {
  static Metis* function = nullptr;
  return function;
}

int planted_metis(void* vertices, void* constraints, void* first, void* neighbours, void* weights,
                  void* sizes, void* edge_weights, void* parts, void* shares, void* imbalances, void* options,
                  void* cut, void* part) {
  constexpr int memory_error = -3;
  static Call call{"METIS_PartGraphKway"};
  return returning(call, SPMV_RETURNS, memory_error, real_metis(), vertices, constraints, first, neighbours,
                   weights, sizes, edge_weights, parts, shares, imbalances, options, cut, part);
}

/// The C library's dlsym, found by the symbol versions that it has had, because this file hides the name.
auto* real_dlsym() {
  using Find = void*(void*, const char*);
  static Find* const function = [] {
    for (const char* version : {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"})
      if (void* const found = dlvsym(RTLD_NEXT, "dlsym", version)) return reinterpret_cast<Find*>(found);
    std::abort();
  }();
  return function;
}

}  // namespace

// Memory

void* operator new(std::size_t bytes) {
  if (void* memory = allocate(bytes, SPMV_RETURNS)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t bytes) {
  if (void* memory = allocate(bytes, SPMV_RETURNS)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes, SPMV_RETURNS);
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

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  static Call call{"posix_memalign"};
  if (at(call, SPMV_RETURNS).kind != Action::nothing) return ENOMEM;
  return next(&posix_memalign, "posix_memalign")(memory, alignment, bytes);
}

void* mmap(void* where, std::size_t bytes, int protection, int flags, int file, off_t from) {
  static Call call{"mmap"};
  if (at(call, SPMV_RETURNS).kind == Action::nothing)
    return reinterpret_cast<void*>(syscall(SYS_mmap, where, bytes, protection, flags, file, from));
  errno = ENOMEM;
  return MAP_FAILED;
}

// Files

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
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
  const int result = static_cast<int>(syscall(SYS_close, file));  // even a failing close closes the file
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

int hwloc_topology_load(void* topology) {
  static Call call{"hwloc_topology_load"};
  return system_call(call, SPMV_RETURNS, ENOSYS, next(&hwloc_topology_load, "hwloc_topology_load"), topology);
}

// The program loads METIS and finds its functions by dlsym.
void* dlsym(void* handle, const char* name) noexcept {
  void* const found = real_dlsym()(handle, name);
  if (found == nullptr || std::strcmp(name, "METIS_PartGraphKway") != 0) return found;
  real_metis() = reinterpret_cast<Metis*>(found);
  return reinterpret_cast<void*>(planted_metis);
}

}  // extern "C"
