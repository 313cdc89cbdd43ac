#include "load/save_matrix.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "comm/parallel_file.hpp"
#include "core/value_types.hpp"
#include "io/binary/binary_rows.hpp"

namespace spmv {
namespace {

/// This rank's elements of a section, which has the elements of all ranks in the order of the ranks.
struct Elements {
  std::size_t count = 0;
  std::size_t bytes = 0;  // of one
  std::function<void(std::size_t first, std::size_t count, char* to)> encode;
};

/// Writes whole blocks with their checksums. The rank that has the first element of a block writes it; later ranks send
/// their elements of the block to that rank.
class SectionWriter {
 public:
  SectionWriter(const Communicator& communicator, NewParallelFile& file, const BinaryHeader& header,
                const SaveOptions& options)
      : communicator_(communicator), file_(file), header_(header), options_(options) {}

  /// Writes this rank's blocks. `what` they are, for people. Collective; throws AgreedError.
  void write(const BinarySection& section, const Elements& mine, const std::string& what) {
    what_ = what;
    const RowPartition held =
        RowPartition::from_counts(communicator_.all_gather(static_cast<gidx>(mine.count)));
    const auto per_block = static_cast<gidx>(header_.block_bytes / mine.bytes);
    const gidx first = held.first(communicator_.rank());
    // This rank's own blocks begin with its element number `head`.
    const auto head = static_cast<std::size_t>(
        std::min<gidx>(static_cast<gidx>(mine.count), (per_block - first % per_block) % per_block));
    const std::vector<char> tail = send_heads(held, mine, head, per_block);
    by_section_.emplace_back();
    communicator_.together([&] {
      const auto begin = (static_cast<std::uint64_t>(first) + head) * mine.bytes;
      if (head < mine.count) write_blocks(section, mine, head, begin, tail);
    });
  }

  /// Of every block that has been written, in their order, on rank 0. Collective.
  std::vector<std::uint32_t> checksums() {
    std::vector<std::uint32_t> all;
    for (const std::vector<std::uint32_t>& section : by_section_) {
      const auto received = communicator_.gather(section).data;
      all.insert(all.end(), received.begin(), received.end());
    }
    return all;
  }

 private:
  /// Sends the elements before `head` to the rank that has the first element of their block; returns what follows
  /// this rank's own elements in its last block. Collective.
  std::vector<char> send_heads(const RowPartition& held, const Elements& mine, std::size_t head,
                               gidx per_block) {
    std::vector<char> bytes(head * mine.bytes);
    std::vector<offset> counts(static_cast<std::size_t>(communicator_.size()), 0);
    if (head > 0) {
      mine.encode(0, head, bytes.data());
      const gidx begin = held.first(communicator_.rank()) / per_block * per_block;
      counts[static_cast<std::size_t>(held.owner(begin))] = static_cast<offset>(bytes.size());
    }
    return communicator_.all_to_all(bytes, counts).data;
  }

  /// The blocks from byte `begin` of the section on, which is where this rank's element `next` stands. Local.
  void write_blocks(const BinarySection& section, const Elements& mine, std::size_t next, std::uint64_t begin,
                    const std::vector<char>& tail) {
    std::vector<std::uint32_t>& checksums = by_section_.back();
    std::vector<char> block;
    for (; next < mine.count; begin += block.size()) {
      block.assign(
          static_cast<std::size_t>(std::min<std::uint64_t>(header_.block_bytes, section.padded - begin)),
          '\0');
      const std::size_t count = std::min(mine.count - next, block.size() / mine.bytes);
      mine.encode(next, count, block.data());
      next += count;
      if (next == mine.count)
        std::copy(tail.begin(), tail.end(), block.begin() + static_cast<std::ptrdiff_t>(count * mine.bytes));
      checksums.push_back(block_checksum(block.data(), block.size()));
      file_.write_at(section.begin + begin, block.data(), block.size());
      if (options_.stage)
        options_.stage("writing " + what_, static_cast<double>(next) / static_cast<double>(mine.count));
    }
  }

  const Communicator& communicator_;
  NewParallelFile& file_;
  const BinaryHeader& header_;
  const SaveOptions& options_;
  std::string what_;  // is being written
  std::vector<std::vector<std::uint32_t>> by_section_;
};

/// The row pointers of a rank's rows; the last rank has the end of the last row, too.
template <class T>
Elements row_pointers(const RowBlock<T>& block, offset before, bool last) {
  return {static_cast<std::size_t>(block.rows()) + (last ? 1 : 0), sizeof(offset),
          [&block, before](std::size_t first, std::size_t count, char* to) {
            encode_row_ptr(block.row_ptr.data() + first, count, before, to);
          }};
}

template <class T>
Elements columns(const RowBlock<T>& block, std::uint32_t column_bytes) {
  return {block.col.size(), column_bytes,
          [&block, column_bytes](std::size_t first, std::size_t count, char* to) {
            encode_columns(block.col.data() + first, count, column_bytes, to);
          }};
}

template <class T>
Elements values(const RowBlock<T>& block) {
  return {block.value.size(), sizeof(T), [&block](std::size_t first, std::size_t count, char* to) {
            encode_values(block.value.data() + first, count, to);
          }};
}

Elements part_numbers(const std::vector<int>& parts, std::uint32_t part_bytes) {
  return {parts.size(), part_bytes, [&parts, part_bytes](std::size_t first, std::size_t count, char* to) {
            encode_parts(parts.data() + first, count, part_bytes, to);
          }};
}

}  // namespace

template <class T>
bool all_ones(const Communicator& communicator, const RowBlock<T>& block) {
  const bool mine = std::all_of(block.value.begin(), block.value.end(), [](const T& v) { return v == T(1); });
  return communicator.all_of(mine);
}

template <class T>
SavedMatrix save_matrix(const Communicator& communicator, const std::string& path, const Shape& shape,
                        const RowPartition& rows, const RowBlock<T>& block, const SaveOptions& options) {
  BinaryHeader header;
  header.value = options.pattern ? StoredValue::pattern : stored_value<T>();
  header.column_bytes = column_bytes_for(shape.cols);
  header.block_bytes = options.block_bytes;
  header.rows = shape.rows;
  header.cols = shape.cols;
  header.nonzeros = communicator.sum(block.nonzeros());
  for (const NewPartition& partition : options.partitions) header.partitions.push_back(partition.name);
  const BinaryLayout layout = layout_of(header);
  const offset before = communicator.sum_below(block.nonzeros());
  const bool first = communicator.rank() == 0, last = communicator.rank() + 1 == rows.ranks();

  NewParallelFile file(communicator, path, options.drafted);
  SectionWriter writer(communicator, file, header, options);
  writer.write(layout.row_ptr, row_pointers(block, before, last), layout.row_ptr.name);
  writer.write(layout.col, columns(block, header.column_bytes), layout.col.name);
  if (!options.pattern) writer.write(layout.value, values(block), layout.value.name);
  for (std::size_t i = 0; i < layout.partitions.size(); ++i) {
    const std::uint32_t width = part_bytes_for(header.partitions[i].parts);
    const Assignment assignment = options.partitions[i].make();
    const std::string what = fmt::format("partition {} of {}", i + 1, layout.partitions.size());
    writer.write(layout.partitions[i].rows, part_numbers(assignment.rows, width), what);
    writer.write(layout.partitions[i].cols, part_numbers(assignment.cols, width), what + ", columns");
  }
  const std::vector<std::uint32_t> checksums = writer.checksums();
  communicator.together([&] {
    if (!first) return;
    const std::string table = encode_checksums(checksums);
    header.table_checksum = block_checksum(table.data(), table.size());
    const std::string head = encode_header(header);
    file.write_at(layout.table_begin, table.data(), table.size());
    file.write_at(0, head.data(), head.size());
  });
  if (options.stage) options.stage("bringing " + path + " to the disk", 0);
  file.publish();
  return {header.nonzeros, static_cast<int>(header.column_bytes),
          static_cast<double>(layout.file_bytes) * 1e-6};
}

SPMV_INSTANTIATE(all_ones);
SPMV_INSTANTIATE(save_matrix);

}  // namespace spmv
