#include <vector>

#include "comm/parallel_file.hpp"
#include "core/value_types.hpp"
#include "io/petsc/petsc_rows.hpp"
#include "load/save_matrix.hpp"

namespace spmv {
namespace {

/// Writes `count` elements of `width` bytes from byte `begin` on, in pieces, and calls written() with the bytes of each.
/// Local.
template <class Encode, class Written>
void write_all(NewParallelFile& file, std::uint64_t begin, std::size_t width, std::size_t count,
               const Encode& encode, const Written& written) {
  std::vector<char> bytes;
  in_pieces(width, count, [&](std::size_t first, std::size_t here) {
    bytes.resize(here * width);
    encode(first, here, bytes.data());
    file.write_at(begin + static_cast<std::uint64_t>(first) * width, bytes.data(), bytes.size());
    written(bytes.size());
  });
}

}  // namespace

template <class T>
SavedMatrix save_petsc(const Communicator& communicator, const std::string& path, const Shape& shape,
                       const RowPartition& rows, const RowBlock<T>& block, const SaveOptions& options) {
  const PetscHeader header = petsc_header_for(shape, communicator.sum(block.nonzeros()), is_complex<T>);
  const auto before = static_cast<std::uint64_t>(communicator.sum_below(block.nonzeros()));
  const auto first_row = static_cast<std::uint64_t>(rows.first(communicator.rank()));
  const std::uint32_t width = header.index_bytes;
  const std::size_t all_bytes = static_cast<std::size_t>(block.rows()) * width +
                                block.col.size() * (width + std::size_t{header.value_bytes});
  std::size_t done_bytes = 0;
  const auto written = [&](std::size_t bytes) {
    done_bytes += bytes;
    if (options.stage)
      options.stage("writing the matrix", static_cast<double>(done_bytes) / static_cast<double>(all_bytes));
  };
  NewParallelFile file(communicator, path, options.drafted);
  communicator.together([&] {
    if (communicator.rank() == 0) {
      const std::string head = encode_petsc_header(header);
      file.write_at(0, head.data(), head.size());
    }
    std::vector<gidx> lengths;
    write_all(
        file, header.lengths_begin() + first_row * width, width, static_cast<std::size_t>(block.rows()),
        [&](std::size_t first, std::size_t count, char* to) {
          lengths.clear();
          for (std::size_t i = first; i < first + count; ++i)
            lengths.push_back(block.row_ptr[i + 1] - block.row_ptr[i]);
          encode_petsc_indices(lengths.data(), count, width, to);
        },
        written);
    write_all(
        file, header.columns_begin() + before * width, width, block.col.size(),
        [&](std::size_t first, std::size_t count, char* to) {
          encode_petsc_indices(block.col.data() + first, count, width, to);
        },
        written);
    write_all(
        file, header.values_begin() + before * header.value_bytes, header.value_bytes, block.value.size(),
        [&](std::size_t first, std::size_t count, char* to) {
          encode_petsc_values(block.value.data() + first, count, to);
        },
        written);
  });
  if (options.stage) options.stage("bringing " + path + " to the disk", 0);
  file.publish();
  return {header.nonzeros, static_cast<int>(width), static_cast<double>(header.end()) * 1e-6};
}

bool is_petsc_name(const std::string& path) {
  constexpr const char* ending = ".petsc";
  return path.ends_with(ending);
}

SPMV_INSTANTIATE(save_petsc);

}  // namespace spmv
