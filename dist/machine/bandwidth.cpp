#include "dist/machine/bandwidth.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <vector>

#include "comm/halo_exchange.hpp"
#include "core/buffer.hpp"
#include "core/statistics.hpp"

namespace spmv {
namespace {

/// Every rank's `elements` to the next rank and to the one before.
HaloPlan ring(int me, int ranks, lidx elements) {
  HaloPlan plan;
  plan.owned = 2 * elements;
  for (const int rank : std::set<int>{(me + 1) % ranks, (me + ranks - 1) % ranks}) {
    plan.neighbours.push_back({rank, plan.send_total(), elements, plan.ghosts, elements});
    plan.send_index.resize(plan.send_index.size() + static_cast<std::size_t>(elements), 0);
    plan.ghosts += elements;
  }
  return plan;
}

/// Seconds of an exchange with the neighbours of a ring, the median of some; the slowest rank's. Collective.
double time_ring(const Communicator& communicator, const std::shared_ptr<Backend>& backend, lidx elements) {
  using Element = double;
  const ExchangeSetup setup{
      communicator, communicator.node(),
      std::make_shared<const HaloPlan>(ring(communicator.rank(), communicator.size(), elements)), backend,
      sizeof(Element)};
  const bool one_node = setup.node.size() == communicator.size();
  const auto exchange =
      make_preferred(one_node ? &Transport::within_node : &Transport::between_nodes, setup, false);
  const Buffer<std::byte> sent(backend, sizeof(Element) * setup.plan->send_index.size(), Memory::device);
  Buffer<std::byte> halo(backend, sizeof(Element) * static_cast<std::size_t>(setup.plan->ghosts),
                         Memory::device);
  const auto queue = backend->make_queue(Priority::normal);
  const auto ready = backend->make_event(), arrived = backend->make_event();
  std::vector<double> times;
  // On a GPU queued exchanges follow each other as in products: the host, which waits for the last one, is no part of
  // their time.
  const int in_a_row = exchange->is_queued() && !backend->runs_host_code() ? 10 : 1;
  constexpr int repetitions = 5;
  for (int i = 0; i < repetitions; ++i) {
    communicator.barrier();
    const auto begin = std::chrono::steady_clock::now();
    for (int e = 0; e < in_a_row; ++e) {
      queue->record(*ready);
      exchange->start(sent.data(), *ready, nullptr);
      exchange->finish(halo.data(), *arrived, nullptr);
      queue->wait(*arrived);
    }
    queue->synchronize();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    times.push_back(took.count() / in_a_row);
  }
  return communicator.max(median(times));
}

}  // namespace

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
  std::vector<double> times;
  const auto rate = [&](std::size_t moved, const auto& work) {
    times.clear();
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
  bandwidth.spread = (quantile(times, 0.75) - quantile(times, 0.25)) / median(times);
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

ExchangeRate measure_exchange(const Communicator& communicator, const std::shared_ptr<Backend>& backend) {
  constexpr lidx small = 8, largest = lidx{1} << 22;
  const double neighbours = communicator.size() > 2 ? 2 : 1;
  const double small_s = time_ring(communicator, backend, small);
  // As large as it takes for the time to be the bytes' and not the message's.
  lidx large = lidx{1} << 15;
  double large_s = time_ring(communicator, backend, large);
  while (large_s < 3 * small_s && large < largest) {
    large *= 4;
    large_s = time_ring(communicator, backend, large);
  }
  // On a busy machine the difference may be anything; the large one alone is never too good.
  const double bytes = neighbours * (large - small) * sizeof(double);
  const double bytes_s = large_s > 2 * small_s ? large_s - small_s : large_s;
  return {bytes / bytes_s, small_s / neighbours};
}

}  // namespace spmv
