#include "app/run/vectors.hpp"

#include <functional>

#include <fmt/format.h>

#include "app/run/load.hpp"
#include "app/run/unfinished_file.hpp"
#include "app/say.hpp"
#include "core/printable.hpp"
#include "core/value_types.hpp"
#include "dist/prepare/fetch_elements.hpp"
#include "kernels/row_order.hpp"
#include "load/vectors.hpp"

namespace spmv {

template <class T>
std::vector<T> read_x(const Run& run, const RowPartition& cols) {
  if (run.options.read_x.empty()) return {};
  run.watchdog.stage("reading x");
  LoadProgress progress;
  progress.stage = stage_listener(run.watchdog);
  return load_vector<T>(run.communicator, run.options.read_x, cols, progress);
}

template <class T>
std::array<Reference<T>, distinct_x> make_reference(const Run& run, const RowBlock<T>& block,
                                                    const RowPartition& cols, const std::vector<T>& x) {
  std::array<Reference<T>, distinct_x> reference;
  if (!run.options.verify) return reference;
  const auto begin = [&](unsigned number) {
    run.watchdog.stage("computing the reference", {.share = static_cast<double>(number) / distinct_x});
  };
  if (run.options.read_x.empty()) {
    for (unsigned number = 0; number < distinct_x; ++number) {
      begin(number);
      reference[number] = reference_product(block, number);
    }
    return reference;
  }
  const FetchedElements<T> elements(run.communicator, cols, x, block.col);
  for (unsigned number = 0; number < distinct_x; ++number) {
    begin(number);
    reference[number] = reference_product_of(
        block, std::function<T(gidx)>([&](gidx column) { return given_x(elements(column), number); }));
  }
  return reference;
}

template <class T>
void write_y(const Run& run, Product<T>& product, const Mode<T>& mode, const Problem<T>& problem,
             const ModeResult& result) {
  const std::string& path = run.options.write_y;
  if (path.empty()) return;
  run.watchdog.stage("writing y");
  product.poison(0);
  product.run(mode, 0, nullptr);
  const std::vector<T> y = product.y();
  const gidx wrong =
      run.options.verify ? run.communicator.sum(compare(y.data(), problem.reference[0]).rows_wrong) : 0;
  if (wrong > 0 || result.rows_wrong > 0) {
    if (run.communicator.rank() == 0)
      say(fmt::format("note: {} is not written: mode {} gave a wrong result", printable(path), mode.name));
    return;
  }
  save_vector(run.communicator, path, RowPartition::even(problem.rows.shape.rows, run.communicator.size()),
              problem.from_read.carry_back(reorder(y, inverse(problem.order.order))),
              save_options(run, path));
}

SPMV_INSTANTIATE(read_x);
SPMV_INSTANTIATE(make_reference);
SPMV_INSTANTIATE(write_y);

}  // namespace spmv
