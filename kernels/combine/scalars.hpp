// The numbers of a solver on the device: slots for sums and stored numbers, the partial sums that kernels leave, and the
// record that the host reads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/backend.hpp"
#include "core/buffer.hpp"
#include "kernels/combine/combination.hpp"

namespace spmv {

/// Slots below this number may be summed.
inline constexpr int most_summed_slots = most_sums;
/// Partial sums of one slot that a combination leaves at most, by its thread blocks or threads.
inline constexpr int most_parts = 2048;
/// Lines of the record: a line is overwritten after so many others.
inline constexpr std::uint64_t record_lines = 64;

/// The slots `first` to `first + count - 1`, whose sums are added up together; at most most_sums.
struct SummedSlots {
  int first;
  int count;
};

/// A line of the record: numbers of one kernel, complete once `line` is its number (from 1).
struct RecordLine {
  double number[record_width];
  std::uint64_t line;
};

/// What kernels get: device memory, and the record in staging memory.
template <class S>
struct ScalarsView {
  S* slot = nullptr;
  S* partial = nullptr;  // [slot][room]
  int room = 0;          // for parts of a slot
  RecordLine* record = nullptr;
};

/// Owns them. `T`: the value type of the vectors. Local.
template <class T>
class Scalars {
 public:
  using S = ScalarOf<T>;
  /// `room`: for the parts of a sum, at least most_parts.
  explicit Scalars(const std::shared_ptr<Backend>& backend, int room = most_parts);
  ScalarsView<S> view() { return {slots_.data(), partial_.data(), room_, record_.data()}; }
  /// Where the parts of a sum go.
  S* partial(int slot) { return partial_.data() + static_cast<std::ptrdiff_t>(slot) * room_; }
  int room() const { return room_; }
  /// Where parts are folded before they are summed, if they are many: room for most_parts of each slot.
  S* folded(int slot) { return folded_.data() + static_cast<std::ptrdiff_t>(slot) * most_parts; }
  S* slot(int number) { return slots_.data() + number; }
  /// How many partial sums the last kernel queued left for a slot.
  int& parts(int slot) { return parts_[static_cast<std::size_t>(slot)]; }
  /// Whether line `number`, one of the last record_lines, is in the record already.
  bool has_line(std::uint64_t number);
  /// The numbers of a line that is there.
  std::array<double, record_width> line(std::uint64_t number);

 private:
  RecordLine& line_at(std::uint64_t number) { return record_.data()[number % record_lines]; }
  int room_;
  Buffer<S> slots_;
  Buffer<S> partial_;
  Buffer<S> folded_;
  Buffer<RecordLine> record_;
  std::array<int, most_summed_slots> parts_{};
};

}  // namespace spmv
