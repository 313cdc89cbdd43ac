#include "app/report/run_head.hpp"

#include <fmt/format.h>

#include "app/report/sharing_words.hpp"
#include "app/report/wrap.hpp"
#include "core/printable.hpp"

namespace spmv {

double nonzeros_per_row(const RunHead& r) {
  return r.shape.rows > 0 ? static_cast<double>(r.partition.nonzeros) / static_cast<double>(r.shape.rows)
                          : 0.0;
}

std::string paragraph(const char* key, const std::string& text) {
  return wrapped(fmt::format("{:<11}", key), text);
}

std::string head_lines(const RunHead& r) {
  constexpr std::size_t longest_name = 48;
  std::string text =
      paragraph("matrix", fmt::format("{}: {} x {}, {} nonzeros, {:.2f} per row, {}",
                                      shortened(printable(r.matrix), longest_name), r.shape.rows,
                                      r.shape.cols, r.partition.nonzeros, nonzeros_per_row(r), r.value));
  text += paragraph("ranks",
                    fmt::format("{} on {} node{}, backend {}{}", r.ranks, r.nodes, r.nodes == 1 ? "" : "s",
                                r.backend, r.on_host ? "" : ", x and y on the " + r.vectors));
  if (const std::string shared = gpu_sharing(r.environment.shared_gpus); !shared.empty())
    text += paragraph("GPUs", shared);
  if (const std::string shared = core_sharing(r.environment.shared_cores); !shared.empty())
    text += paragraph("cores", shared);
  if (r.ranks > 1)
    text += paragraph(
        "partition",
        fmt::format(
            "{}: the fullest rank has {:.1f} % more nonzeros than the average; halo {} elements, {} at most on a "
            "rank, of {} neighbours at most",
            r.partitioner, 100 * (r.partition.nonzero_balance - 1), r.partition.halo_total,
            r.partition.halo_largest, r.partition.most_neighbours));
  return text;
}

}  // namespace spmv
