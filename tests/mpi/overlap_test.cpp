// Products in a row without waiting in between, on backends whose queues really run concurrently: where an
// event is missing and the order is luck, jitter and ThreadSanitizer show it.
#include <algorithm>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "comm/place/cores.hpp"
#include "core/pick.hpp"
#include "dist/dist_matrix.hpp"
#include "dist/modes.hpp"
#include "support/make_matrix.hpp"
#include "support/mode_layouts.hpp"
#include "support/mpi_test.hpp"
#include "support/problem.hpp"
#include "support/thorough.hpp"
#include "support/usable_transports.hpp"

namespace spmv::test {
namespace {

/// A matrix of the battery with small whole numbers, so that its powers are exact.
RowBlock<double> whole_numbers(RowBlock<double> block, gidx first_row) {
  for (gidx i = 0; i < block.rows(); ++i)
    for (offset k = block.row_ptr[i]; k < block.row_ptr[i + 1]; ++k)
      block.value[k] = static_cast<double>(scramble(first_row + i, block.col[k], 5) - 2);
  return block;
}

std::vector<double> times(const RowBlock<double>& block, const std::vector<double>& x) {
  std::vector<double> y(x.size(), 0);
  for (gidx i = 0; i < block.rows(); ++i)
    for (offset k = block.row_ptr[i]; k < block.row_ptr[i + 1]; ++k) y[i] += block.value[k] * x[block.col[k]];
  return y;
}

/// x <- A x, repeated, for one matrix and every way to multiply. Made once per matrix, because partitioning
/// takes longer than the products.
class Chain {
 public:
  static constexpr int products = 4;

  /// Collective.
  Chain(const Communicator& communicator, const GlobalMatrix& global)
      : communicator_(communicator), moved_(move(communicator, global)) {
    const RowBlock<double> whole = whole_numbers(whole_rows<double>(global), 0);
    expected_.resize(static_cast<std::size_t>(global.shape.rows));
    for (std::size_t i = 0; i < expected_.size(); ++i) expected_[i] = static_cast<double>(i % 7) - 3;
    for (const gidx id : moved_.original_col) start_.push_back(expected_[static_cast<std::size_t>(id)]);
    for (int i = 0; i < products; ++i) expected_ = times(whole, expected_);
  }

  /// Queues all products; the host waits only at the end. Collective.
  void check(const ModeLayout<double>& way, const std::string& format, const std::string& transport,
             const std::shared_ptr<Backend>& backend, int comm_core) const {
    const Mode<double>& mode = *way.mode;
    DistOptions options;
    options.layout = way.layout;
    options.format = options.nonlocal_format = format;
    options.transport = transport;
    options.tune.options.block_rows = 4;
    options.comm_core = comm_core;
    const auto built = make_matrix(communicator_, moved_, mode, options, backend);
    if (!built) return;
    DistMatrix<double>& matrix = *built;
    Buffer<double> x = matrix.make_x();
    Buffer<double> y = matrix.make_y();
    const std::vector<double> start = matrix.to_basis(start_);
    matrix.poison(x.data(), y.data());
    Queue& queue = matrix.compute_queue();
    const std::size_t bytes = start.size() * sizeof(double);
    queue.copy(x.data(), start.data(), bytes, Copy::to_device);
    for (int i = 0; i < products; ++i) {
      mode.product(matrix, x.data(), y.data(), nullptr);
      queue.copy(x.data(), y.data(), bytes, Copy::on_device);
    }
    queue.synchronize();
    std::vector<double> result(start.size());
    download(*backend, result.data(), y.data(), result.size());
    result = matrix.from_basis(result);
    for (std::size_t i = 0; i < result.size(); ++i)
      ASSERT_EQ(result[i], expected_[static_cast<std::size_t>(moved_.original_row[i])])
          << "row " << moved_.original_row[i];
  }

 private:
  /// This rank's rows in METIS's partition. Collective.
  static DistributedRows<double> move(const Communicator& communicator, const GlobalMatrix& global) {
    const int me = communicator.rank();
    const RowPartition rows = RowPartition::even(global.shape.rows, communicator.size());
    RowBlock<double> block =
        assemble(communicator, rows, dealt_entries<double>(global, me, communicator.size()));
    block = whole_numbers(std::move(block), rows.first(me));
    const Ownership read{rows, rows};
    const auto& partitioner = pick(partitioners(), "metis", "partitioner");
    const Move move(communicator, assign_rows(communicator, partitioner, read, block, {}).rows);
    return redistribute(communicator, read, block, {move, move});
  }

  const Communicator& communicator_;
  DistributedRows<double> moved_;
  std::vector<double> start_;     // x on this rank's columns
  std::vector<double> expected_;  // after all products, for every row
};

class Overlap : public BackendsTest {
 protected:
  /// Every mode in every layout over every transport. Formats take turns from number `turn` on, because only
  /// the arrival of the halo lies between products. On GPUs, where a format's own kernel may exchange, every
  /// format meets every layout, and transports take turns instead.
  void check_chains(int comm_core, std::size_t turn) {
    const Communicator& communicator = world();
    for (const GlobalMatrix& matrix : matrix_battery(communicator.size())) {
      if (matrix.name != "ring" && matrix.name != "opposite lengths" && matrix.name != "all need rank 0")
        continue;
      const Chain chain(communicator, matrix);
      for (const TestBackend& backend : product_backends()) {
        const std::shared_ptr<Backend> looked_at = backend.make(communicator);
        const auto transports = usable_transports(communicator, looked_at);
        const auto formats = usable_formats(*looked_at);
        const bool every_format = thorough() || looked_at->make_queue(Priority::normal)->takes_cuda_kernels();
        const std::size_t count =
            every_format ? std::max(formats.size(), transports.size()) : transports.size();
        for (const ModeLayout<double>& way : mode_layouts<double>())
          for (std::size_t i = 0; i < count; ++i, ++turn) {
            const Format<double>& format = *formats[turn % formats.size()];
            const Transport& transport = *transports[turn % transports.size()];
            SCOPED_TRACE("'" + matrix.name + "', " + backend.name + ", " + way.name() + ", " + format.name +
                         ", " + transport.name);
            chain.check(way, format.name, transport.name, backend.make(communicator), comm_core);
          }
      }
    }
  }

 private:
  static std::vector<const Format<double>*> usable_formats(const Backend& backend) {
    std::vector<const Format<double>*> usable;
    for (const Format<double>& format : formats<double>())
      if (why_unusable(format, backend).empty()) usable.push_back(&format);
    return usable;
  }
};

TEST_F(Overlap, ChainedProductsAreExact) {
  check_chains(-1, 0);
}

TEST_F(Overlap, ChainedProductsWithASpinningCommunicationThread) {
  check_chains(find_cores(world().node()).comm_core, 1);
}

}  // namespace
}  // namespace spmv::test
