// The numbers of a solver on the device: slots for sums and stored numbers, the partial sums that kernels leave, and the
// record that the host reads. With multivectors of several columns, each column has all of them for itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/backend.hpp"
#include "core/buffer.hpp"
#include "kernels/combine/combination_data.hpp"

namespace spmv {

/// Slots below this number may be summed.
inline constexpr int most_summed_slots = 8;
/// Partial sums of one slot: thread blocks or threads of the kernel that left them.
inline constexpr int most_parts = 4096;
/// Lines of the record: a line is overwritten after so many others.
inline constexpr std::uint64_t record_lines = 64;

/// The slots `first` to `first + count - 1`, whose sums are added up together; at most most_sums.
struct SummedSlots {
  int first;
  int count;
};

/// Sums that kernels have left in parts, as plain data: of slots that follow each other. Pointers are to those of column 0.
template <class S>
struct PartialSums {
  int columns = 1;
  int count = 0;
  S* slot = nullptr;  // of `count` slots
  const S* part[most_sums] = {};
  int parts[most_sums] = {};
};

/// A line of the record: numbers of one kernel, complete once `line` is its number (from 1).
struct RecordLine {
  double number[record_width];
  std::uint64_t line;
};

/// Where the slots and the parts of one column begin after those of the column before.
inline constexpr std::ptrdiff_t slots_apart = most_slots;
inline constexpr std::ptrdiff_t parts_apart = std::ptrdiff_t{most_summed_slots} * most_parts;

/// What kernels get: device memory, and the record in staging memory. Of column 0; those of the others follow.
template <class S>
struct ScalarsView {
  S* slot = nullptr;
  S* partial = nullptr;  // [slot][part]
  RecordLine* record = nullptr;
  int* stopped =
      nullptr;  // not 0 once a requirement of a combination in a loop did not hold; nullptr: in no loop

  constexpr ScalarsView of_column(int column) const {
    return {slot + column * slots_apart, partial + column * parts_apart,
            record + column * static_cast<std::ptrdiff_t>(record_lines),
            stopped == nullptr ? nullptr : stopped + column};
  }
};

/// Owns them. `T`: the value type of the vectors. Local.
template <class T>
class Scalars {
 public:
  using S = ScalarOf<T>;
  explicit Scalars(const std::shared_ptr<Backend>& backend, int columns = 1);
  int columns() const { return columns_; }
  ScalarsView<S> view() { return {slots_.data(), partial_.data(), record_.data(), stopped_.data()}; }
  /// Queues that combinations in a loop change something again. Local; returns when queued.
  void forget_stop(Queue& queue) { queue.fill(stopped_.data(), 0, stopped_.bytes()); }
  /// Queues that they change nothing more in a column, until forget_stop().
  void stop(Queue& queue, int column) { queue.fill(stopped_.data() + column, 1, sizeof(int)); }
  /// Where the parts of a sum of column 0 go: room for most_parts.
  S* partial(int slot) { return partial_.data() + static_cast<std::ptrdiff_t>(slot) * most_parts; }
  S* slot(int number, int column = 0) { return slots_.data() + column * slots_apart + number; }
  /// How many partial sums the last kernel queued left for a slot, in every column.
  int& parts(int slot) { return parts_[static_cast<std::size_t>(slot)]; }
  /// Whether line `number`, one of the last record_lines, is in the record of a column already.
  bool has_line(std::uint64_t number, int column = 0);
  /// The numbers of a line that is there.
  std::array<double, record_width> line(std::uint64_t number, int column = 0);

 private:
  RecordLine& line_at(std::uint64_t number, int column) {
    return record_.data()[static_cast<std::uint64_t>(column) * record_lines + number % record_lines];
  }
  int columns_;
  Buffer<S> slots_;
  Buffer<S> partial_;
  Buffer<RecordLine> record_;
  Buffer<int> stopped_;
  std::array<int, most_summed_slots> parts_{};
};

template <class T>
PartialSums<ScalarOf<T>> partial_sums(Scalars<T>& scalars, SummedSlots slots) {
  PartialSums<ScalarOf<T>> sums;
  sums.columns = scalars.columns();
  sums.count = slots.count;
  sums.slot = scalars.slot(slots.first);
  for (int i = 0; i < slots.count; ++i) {
    sums.part[i] = scalars.partial(slots.first + i);
    sums.parts[i] = scalars.parts(slots.first + i);
  }
  return sums;
}

}  // namespace spmv
