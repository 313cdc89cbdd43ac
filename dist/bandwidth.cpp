#include "dist/bandwidth.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "core/buffer.hpp"
#include "core/statistics.hpp"

namespace spmv {

Bandwidth measure_bandwidth(const Communicator& communicator, Backend& backend, double working_set) {
  const std::size_t share = backend.memory().free_bytes / 16;
  constexpr double least = 8 << 20, most = 256 << 20;
  const auto wanted = static_cast<std::size_t>(std::clamp(communicator.max(working_set) / 2, least, most));
  const std::size_t bytes = std::min(wanted, share);
  const auto owner = std::shared_ptr<Backend>(std::shared_ptr<Backend>{}, &backend);
  Buffer<std::byte> device(owner, bytes, Memory::device);
  Buffer<std::byte> other(owner, bytes, Memory::device);
  const std::size_t staged_bytes = std::min(bytes, std::size_t{32} << 20);
  Buffer<std::byte> staging(owner, staged_bytes, Memory::staging);
  const auto queue = backend.make_queue(Priority::normal);
  const auto begin = backend.make_event();
  const auto end = backend.make_event();
  queue->fill(device.data(), 1, bytes);
  queue->fill(other.data(), 2, bytes);
  std::fill_n(staging.data(), staged_bytes, std::byte{3});
  queue->synchronize();

  const auto copy_in_parallel = [to = other.data(), from = device.data(), bytes] {
    constexpr std::size_t piece = std::size_t{1} << 20;
    const auto pieces = static_cast<std::ptrdiff_t>((bytes + piece - 1) / piece);
#pragma omp parallel for schedule(static)
    for (std::ptrdiff_t p = 0; p < pieces; ++p) {
      const std::size_t at = static_cast<std::size_t>(p) * piece;
      std::copy_n(from + at, std::min(piece, bytes - at), to + at);
    }
  };
  const auto rate = [&](std::size_t moved, const auto& work) {
    std::vector<double> times;
    constexpr int repetitions = 7;
    for (int i = 0; i < repetitions; ++i) {
      communicator.barrier();
      queue->record(*begin);
      work();
      queue->record(*end);
      queue->synchronize();
      times.push_back(end->seconds_since(*begin));
    }
    return static_cast<double>(moved) / median(times);
  };
  Bandwidth bandwidth;
  bandwidth.copy = rate(2 * bytes, [&] {
    if (queue->takes_cuda_kernels())
      queue->copy(other.data(), device.data(), bytes, Copy::on_device);
    else
      queue->run(copy_in_parallel);
  });
  bandwidth.to_device =
      rate(staged_bytes, [&] { queue->copy(device.data(), staging.data(), staged_bytes, Copy::to_device); });
  bandwidth.to_host =
      rate(staged_bytes, [&] { queue->copy(staging.data(), device.data(), staged_bytes, Copy::to_host); });
  return bandwidth;
}

double tuning_bandwidth(const Communicator& communicator, Backend& backend, const Bandwidth& measured) {
  constexpr double beyond_caches = 1e12;
  return backend.runs_host_code() ? measured.copy
                                  : measure_bandwidth(communicator, backend, beyond_caches).copy;
}

}  // namespace spmv
