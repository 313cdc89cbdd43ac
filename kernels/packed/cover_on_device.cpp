#include <algorithm>
#include <vector>

#include "core/value_types.hpp"
#include "cuda_launch.hpp"
#include "kernels/packed/build.hpp"
#include "kernels/packed/cover.hpp"
#include "kernels/parts/format_checks.hpp"
#include "kernels/row_order.hpp"

namespace spmv {
namespace {

/// Block rows whose keys are sorted together.
struct BatchSize {
  lidx first;
  lidx last;  // after the last one
  offset keys;
  offset most_keys;  // of the longest one
};

std::vector<BatchSize> make_batches(const BlockRows& rows, offset most_keys) {
  std::vector<BatchSize> batches;
  for (lidx r = 0; r < rows.count(); ++r) {
    const offset keys = rows.begin(offset{r} + 1) - rows.begin(r);
    if (batches.empty() || batches.back().keys + keys > most_keys) batches.push_back({r, r, 0, 0});
    BatchSize& batch = batches.back();
    batch.last = r + 1;
    batch.keys += keys;
    batch.most_keys = std::max(batch.most_keys, keys);
  }
  return batches;
}

template <class Step>
void run(Queue& queue, const Step& step) {
  launch_build_cuda(step, queue.stream());
}

/// Where block columns are found.
struct BlockColumns {
  BlockColumns(lidx block_rows, offset nonzeros, const std::shared_ptr<Backend>& backend)
      : arrays(backend),
        device_row_ptr(arrays.allocate<offset>(static_cast<std::size_t>(block_rows) + 1)),
        col(arrays.allocate<lidx>(static_cast<std::size_t>(nonzeros))) {
    row_ptr.reserve(static_cast<std::size_t>(block_rows) + 1);
  }

  DeviceArrays arrays;
  offset* device_row_ptr;
  lidx* col;  // row_ptr.back() of them are used
  std::vector<offset> row_ptr{0};
};

/// `rows` on the host and on the device are the same.
template <class T>
BlockColumns find_block_columns(const BlockSource<T>& from, const BlockRows& rows,
                                const BlockRows& device_rows, offset most_keys,
                                const std::shared_ptr<Backend>& backend) {
  BlockColumns found(rows.count(), rows.begin(rows.count()), backend);
  const std::vector<BatchSize> batches = make_batches(rows, most_keys);
  offset keys = 0;
  lidx most_rows = 0;
  for (const BatchSize& size : batches) {
    keys = std::max(keys, size.keys);
    most_rows = std::max(most_rows, size.last - size.first);
  }
  DeviceArrays scratch(backend);
  auto* const key = scratch.allocate<lidx>(static_cast<std::size_t>(keys));
  auto* const sorted = scratch.allocate<lidx>(static_cast<std::size_t>(keys));
  auto* const count = scratch.allocate<lidx>(static_cast<std::size_t>(most_rows));
  std::vector<lidx> counts(static_cast<std::size_t>(most_rows));
  const auto queue = backend->make_queue(Priority::normal);
  for (const BatchSize& size : batches) {
    const KeyBatch batch{device_rows, size.first, size.last, key};
    const KeyBatch in_order{device_rows, size.first, size.last, sorted};
    SortKeys sort{batch, size.keys, size.most_keys, sorted, nullptr, 0};
    sort.scratch_bytes = sort_scratch_bytes(sort);
    DeviceArrays for_sort(backend);
    sort.scratch = for_sort.allocate<std::byte>(sort.scratch_bytes);
    run(*queue, ListKeys<T>{from, batch});
    run(*queue, sort);
    run(*queue, CountKeys{in_order, count});
    const auto batch_rows = static_cast<std::size_t>(size.last - size.first);
    queue->copy(counts.data(), count, batch_rows * sizeof(lidx), Copy::to_host);
    queue->synchronize();
    for (std::size_t r = 0; r < batch_rows; ++r) found.row_ptr.push_back(found.row_ptr.back() + counts[r]);
    queue->copy(found.device_row_ptr + size.first, found.row_ptr.data() + size.first,
                (batch_rows + 1) * sizeof(offset), Copy::to_device);
    run(*queue, TakeKeys{in_order, found.device_row_ptr, found.col});
    queue->synchronize();
  }
  return found;
}

}  // namespace

template <class T>
double cover_bytes(const Csr<T>& block, const RowOrder& order, const PackRequest& request,
                   const Backend& backend) {
  const BlockRows rows{block.row_ptr.data(), block.rows, request.b};
  const double nonzeros = static_cast<double>(block.nonzeros());
  const double longest = static_cast<double>(longest_row(block)) * request.b;
  const double keys = std::min(nonzeros, std::max(longest, static_cast<double>(request.most_keys)));
  constexpr int copies_of_keys = 3;  // keys, sorted, and what sorting takes beside them
  return BlockOnDevice<T>::bytes(block, order, backend) + nonzeros * sizeof(lidx) +
         keys * copies_of_keys * sizeof(lidx) +
         static_cast<double>(rows.count()) * (sizeof(offset) + 3 * sizeof(lidx)) +
         (order.rows.empty() ? 0 : (block.rows + 1.0) * sizeof(offset));
}

template <class T>
DeviceElements<T> cover_on_device(const Csr<T>& block, const RowOrder& order, const PackRequest& request,
                                  const std::function<void(const std::vector<offset>& row_ptr)>& check,
                                  const std::shared_ptr<Backend>& backend) {
  const int b = request.b;
  const BlockOnDevice<T> copy(block, order, backend);
  DeviceArrays more(backend);
  const std::vector<offset> moved =
      order.rows.empty() ? std::vector<offset>{} : row_ptr_in_order(block.row_ptr, order.rows);
  const std::vector<offset>& row_ptr = order.rows.empty() ? block.row_ptr : moved;
  const BlockRows rows{row_ptr.data(), block.rows, b};
  const BlockRows device_rows{order.rows.empty() ? copy.source().row_ptr : more.add(row_ptr), block.rows, b};
  BlockColumns found = find_block_columns(copy.source(), rows, device_rows, request.most_keys, backend);
  check(found.row_ptr);

  const offset scalars = found.row_ptr.back() * b * b;
  T* const value = found.arrays.template allocate<T>(static_cast<std::size_t>(scalars));
  auto* const hole_met = more.allocate<unsigned>(1);
  const auto queue = backend->make_queue(Priority::normal);
  queue->fill(hole_met, 0, sizeof(unsigned));
  run(*queue, FillHoles<T>{scalars, value});
  run(*queue, PlaceValues<T>{copy.source(), b, found.device_row_ptr, found.col, value, hole_met});
  queue->synchronize();
  unsigned met = 0;
  download(*backend, &met, hole_met, 1);
  if (met != 0) throw hole_in_block();
  const BlockSource<T> from{rows.count(), found.device_row_ptr, found.col, value};
  return {std::move(found.arrays), from, std::move(found.row_ptr), scalars > block.nonzeros()};
}

SPMV_INSTANTIATE(cover_bytes);
SPMV_INSTANTIATE(cover_on_device);

}  // namespace spmv
