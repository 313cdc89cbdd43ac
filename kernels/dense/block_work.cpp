#include "kernels/dense/block_work.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/combine/combine_host.hpp"
#include "kernels/dense/block_host.hpp"

namespace spmv {
namespace {

/// Sets of coefficients on their way at the same time.
constexpr int most_sent = 4;
/// Partial sums on a device: a thread block for each.
constexpr int device_parts = 264;

}  // namespace

template <class T>
BlockWork<T>::BlockWork(const std::shared_ptr<Backend>& backend, int columns)
    : columns_(columns),
      parts_(backend->runs_host_code() ? host_parts() : device_parts),
      partial_(backend, static_cast<std::size_t>(parts_) * elements(most_listed), Memory::device),
      sums_(backend, elements(most_listed), Memory::device),
      sums_on_host_(backend, elements(most_listed), Memory::staging) {
  for (int i = 0; i < most_sent; ++i)
    sent_.push_back({Buffer<Element>(backend, elements(most_listed), Memory::staging),
                     Buffer<Element>(backend, elements(most_listed), Memory::device), backend->make_event()});
}

template <class T>
BlockList<T> BlockWork<T>::list(const std::vector<VectorRef<T>>& x, std::size_t first,
                                const VectorRef<T>& y) const {
  BlockList<T> list;
  list.columns = columns_;
  list.blocks = static_cast<int>(std::min<std::size_t>(most_listed, x.size() - first));
  list.rows = y.count / columns_;
  for (int b = 0; b < list.blocks; ++b) {
    const VectorRef<T>& block = x[first + static_cast<std::size_t>(b)];
    if (block.count != y.count) throw Error(ExitCode::internal, "blocks of vectors of different lengths");
    list.x[b] = block.at;
  }
  list.y = y.at;
  return list;
}

template <class T>
auto BlockWork<T>::gram(Queue& queue, const std::vector<VectorRef<T>>& x, const VectorRef<T>& y)
    -> std::vector<Element> {
  std::vector<Element> all;
  for (std::size_t first = 0; first < x.size(); first += most_listed) {
    const GramRequest<T> request{list(x, first, y), parts_, partial_.data(), sums_.data()};
    const std::size_t count = elements(static_cast<std::size_t>(request.of.blocks));
    if (queue.takes_cuda_kernels())
      launch_gram_cuda(request, queue.stream());
    else
      queue.run([=] { gram_host(request); });
    queue.copy(sums_on_host_.data(), sums_.data(), count * sizeof(Element), Copy::to_host);
    queue.synchronize();
    all.insert(all.end(), sums_on_host_.data(), sums_on_host_.data() + count);
  }
  return all;
}

template <class T>
void BlockWork<T>::combine(Queue& queue, const std::vector<VectorRef<T>>& x, const std::vector<Element>& c,
                           const VectorRef<T>& y, Update update) {
  if (c.size() != elements(x.size()))
    throw Error(ExitCode::internal, "a small matrix has not the size of its blocks");
  for (std::size_t first = 0; first < x.size(); first += most_listed)
    add_some(queue, {list(x, first, y), nullptr, y.at, first > 0 || update == Update::add},
             c.data() + elements(first));
}

template <class T>
void BlockWork<T>::add_some(Queue& queue, CombineRequest<T> request, const Element* c) {
  const std::size_t count = elements(static_cast<std::size_t>(request.of.blocks));
  Sent& sent = sent_[turn_++ % sent_.size()];
  sent.read->synchronize();
  std::copy_n(c, count, sent.staging.data());
  queue.copy(sent.device.data(), sent.staging.data(), count * sizeof(Element), Copy::to_device);
  queue.record(*sent.read);
  request.coefficient = sent.device.data();
  if (queue.takes_cuda_kernels()) return launch_combine_blocks_cuda(request, queue.stream());
  queue.run([request, threads = parts_] { combine_blocks_host(request, threads); });
}

SPMV_INSTANTIATE_CLASS(BlockWork);

}  // namespace spmv
