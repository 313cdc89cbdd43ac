// Memory, order and ownership on one kind of device. A backend knows bytes and order, never a value type.
//
//   host   plain memory; a queue runs its work at once, in the calling thread
//   debug  memory that faults when host code touches it while the device is idle; every queue is a worker thread
//   cuda   a GPU; a queue is a stream, staging memory is pinned
//
// All calls are Local and throw Error on failure. Objects made by a backend must not outlive it; they hold a
// reference to it where they need it, so a shared_ptr<Backend> in their owner is enough.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace spmv {

/// A point in a queue's work. Recorded again and again; a wait refers to the latest record before it.
class Event {
 public:
  virtual ~Event() = default;
  /// Blocks the calling host thread until the latest record has been reached. Returns at once if never
  /// recorded.
  virtual void synchronize() = 0;
  /// Seconds from `earlier` to this event. Both must have been reached.
  virtual double seconds_since(const Event& earlier) const = 0;
};

/// Work that was captured to be queued again and again at little cost: a CUDA graph.
class Capture {
 public:
  virtual ~Capture() = default;
};

enum class Copy { to_device, to_host, on_device };

/// Work in order. Calls return as soon as the work is queued, except on the host backend, which is done by
/// then. A queue is used by one host thread at a time.
class Queue {
 public:
  virtual ~Queue() = default;
  virtual void record(Event& event) = 0;
  /// Work queued after this call starts only when the latest record of `event` has been reached.
  virtual void wait(const Event& event) = 0;
  /// Blocks the calling host thread until everything queued so far is done; throws what that work failed
  /// with.
  virtual void synchronize() = 0;
  /// `bytes` bytes between host (best: staging) and device memory, or within device memory.
  virtual void copy(void* to, const void* from, std::size_t bytes, Copy direction) = 0;
  /// Every byte of a piece of device memory.
  virtual void fill(void* at, unsigned char byte, std::size_t bytes) = 0;
  /// Host code as device work. Only for backends whose device runs host code.
  virtual void run(std::function<void()> work) = 0;
  /// Captures what `work` queues here, and on no other queue, instead of doing it. `work` must not wait for
  /// anything. What it refers to must live as long as the capture.
  virtual std::unique_ptr<Capture> capture_work(std::function<void()> work) = 0;
  /// Queues captured work once more.
  virtual void replay(const Capture& capture) = 0;
  /// Whether work is CUDA kernels, launched on stream(); otherwise it is host code, given to run(). This is how
  /// an operation chooses its variant.
  virtual bool takes_cuda_kernels() const { return false; }
  /// The cudaStream_t of a queue that takes CUDA kernels; nullptr of any other.
  virtual void* stream() const { return nullptr; }
  /// Whether a call returns only when the work is done: the host's queue, which leaves the caller no time for
  /// anything beside it.
  virtual bool works_at_once() const { return false; }
  /// Work queued here after this call starts only when all present work of `stream` is done; `stream` is a
  /// CUDA stream of the caller's, nullptr the default stream. Throws Error(usage) if the device runs host
  /// code and has no streams.
  virtual void wait_for_stream(void* stream);
  /// The other way round: work queued in `stream` after this call starts only when all present work of this
  /// queue is done.
  virtual void hold_stream(void* stream);
};

/// Captured work of a device that runs host code: the code that queues it.
class WorkToRepeat final : public Capture {
 public:
  explicit WorkToRepeat(std::function<void()> work) : work_(std::move(work)) {}
  void queue_again() const { work_(); }

 private:
  std::function<void()> work_;
};

/// Urgent queues go first where the device has priorities: gathering and transfers must not wait behind a
/// kernel.
enum class Priority { normal, urgent };

/// Where memory lives: on the device, or in staging memory that host, MPI and the device's copies all reach.
enum class Memory { device, staging };

struct MemoryInfo {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
};

/// What one of `ranks` users of this memory may count on. Pure.
inline MemoryInfo share_of(MemoryInfo all, int ranks) {
  const std::size_t share = all.total_bytes / static_cast<std::size_t>(ranks);
  return {all.free_bytes < share ? all.free_bytes : share, share};
}

/// Device memory that ranks of the node share: one has allocated it, others have mapped it.
class SharedMemory {
 public:
  virtual ~SharedMemory() = default;
  virtual std::byte* data() const = 0;
};

/// Shared memory that was allocated here.
class LentMemory : public SharedMemory {
 public:
  /// What map_shared() of another process of the node takes, until end_lending().
  virtual std::string handle() const = 0;
  /// Releases what only mapping needs, such as an open file. Mapped memory stays mapped; no process can map it any more.
  virtual void end_lending() {}
};

/// A device copy of a host array that is kept as long as this lives: see Backend::keep_copy().
class KeptCopy {
 public:
  virtual ~KeptCopy() = default;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::unique_ptr<Queue> make_queue(Priority priority) = 0;
  virtual std::unique_ptr<Event> make_event() = 0;
  /// At least one byte is allocated, aligned to 256 bytes; contents are undefined.
  virtual void* allocate(std::size_t bytes, Memory memory) = 0;
  virtual void release(void* at, Memory memory) noexcept = 0;
  /// Copies `bytes` bytes of any host memory at `from` to device memory at `to`, with all cores; blocks until they are
  /// there. For setting up: products copy by their queues.
  virtual void upload(void* to, const void* from, std::size_t bytes);
  /// Copies a host array to the device, because it will be uploaded several times. As long as the result lives, upload() of
  /// the whole array copies it on the device; until then the array must live and not change. nullptr if that would be no
  /// faster. Throws Error(memory).
  virtual std::unique_ptr<KeptCopy> keep_copy(const void* /*from*/, std::size_t /*bytes*/) { return nullptr; }
  /// Device address of the copy that is kept of this array, valid as long as it is kept; nullptr if none is.
  virtual const void* kept_copy(const void* /*from*/, std::size_t /*bytes*/) const { return nullptr; }
  /// Makes host memory that something else has allocated usable as staging memory, until unpin() with the
  /// same address.
  virtual void pin(void* /*at*/, std::size_t /*bytes*/) {}
  virtual void unpin(void* /*at*/) noexcept {}
  /// Device memory, filled with zeros, that other processes of the node can map. They must unmap it before it is freed.
  /// Throws Error(memory), or Error(environment) on a device that shares none.
  virtual std::unique_ptr<LentMemory> allocate_shared(std::size_t bytes);
  /// Maps memory that another process has allocated. Throws Error(environment) if that is impossible, or if the handle
  /// names other memory here.
  virtual std::unique_ptr<SharedMemory> map_shared(const std::string& handle);
  /// Memory of the device that this rank may use now: what is free, at most an equal share of the whole for
  /// each rank that uses the device. On the host: of the machine, within the limits of its control group.
  virtual MemoryInfo memory() const = 0;
  /// An equal share of the GPU's last-level cache for each rank that uses it, in bytes; 0 if the device runs host code.
  virtual std::size_t cache_bytes() const { return 0; }
  /// Makes the calling thread use this device. Every thread that touches the backend calls it once.
  virtual void use_in_this_thread() {}
  /// The same for a caller that uses a device of its own: returns that device, which leave() takes back.
  virtual int enter() { return 0; }
  virtual void leave(int /*before*/) noexcept {}
  /// Whether queued work can use the memory at this address, allocated by anyone, as device memory; false: it is
  /// host memory. Throws Error(usage) for memory of another device.
  virtual bool reaches(const void* /*at*/) const { return true; }
  /// Whether the device is this machine's processor: its memory is the host's, and its queues take host code.
  virtual bool runs_host_code() const { return true; }
  /// Whether queued work can use any memory of the host as device memory.
  virtual bool shares_memory_with_host() const { return false; }
  /// One line for reports, such as the GPU's name and memory.
  virtual std::string describe() const = 0;
  /// What times depend on: the processor, or the GPU and its driver. The same for devices of one kind.
  virtual std::string identity() const { return describe(); }
  virtual const char* name() const = 0;
  /// The GPU's name alone; empty where the device runs host code.
  virtual std::string gpu_name() const { return {}; }
  /// The highest clock of the GPU's multiprocessors, in MHz; 0 where the device runs host code.
  virtual double gpu_clock_mhz() const { return 0; }
  /// The same for two ranks of a node exactly if they use the same device (its PCI address); empty where the
  /// device runs host code.
  virtual std::string device_id() const { return {}; }
  /// Unique among all devices: the UUID of a GPU, or of a part of one (MIG), as nvidia-smi -L shows it; empty if the device
  /// runs host code.
  virtual std::string device_uuid() const { return {}; }
  /// Whether work of several processes runs on this device side by side (MPS); otherwise they have it in turns.
  virtual bool runs_beside_others() const { return false; }
  /// The number of ranks, this one included, that use this device: memory() gives each an equal share. Before
  /// the call a backend uses the number that it was made with.
  virtual void share_device(int /*ranks*/) {}
  /// Empty if this device reads and writes memory of another one of the node without the host, else the
  /// reason.
  virtual std::string why_no_peer(const std::string& /*device_id*/) const {
    return "the device runs host code";
  }
};

/// What a rank knows when it chooses its device.
struct DeviceRequest {
  int rank_on_node = 0;    // ranks of one node take its GPUs round robin
  int ranks_on_node = 1;   // and share their memory, as they share the host's
  unsigned jitter_us = 0;  // debug: every queued piece of work first sleeps up to this long, pseudo-randomly
  int device = -1;         // cuda: number of the GPU to use; -1: round robin
};

/// Table row: a backend by name.
struct BackendEntry {
  const char* name;
  const char* summary;
  /// Empty when usable here, otherwise the reason and the fix.
  std::string (*why_unusable)();
  /// Throws Error(environment) when unusable.
  std::shared_ptr<Backend> (*make)(const DeviceRequest& request);
};

const std::vector<BackendEntry>& backends();

std::shared_ptr<Backend> make_host_backend(const DeviceRequest& request);
std::shared_ptr<Backend> make_debug_backend(const DeviceRequest& request);
/// Defined in backend_cuda.cu, or in cuda_off.cpp for a build without CUDA.
std::shared_ptr<Backend> make_cuda_backend(const DeviceRequest& request);
std::string why_no_cuda();
/// Number of the GPU that the calling thread uses by itself; -1: there is none.
int gpu_of_this_thread();
/// device_id() of every GPU that this process sees.
std::vector<std::string> visible_gpus();

}  // namespace spmv
