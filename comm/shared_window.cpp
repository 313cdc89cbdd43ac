#include "comm/shared_window.hpp"

#include <cstring>
#include <exception>

#include <fmt/format.h>
#include <mpi.h>

#include "comm/mpi_check.hpp"
#include "comm/node_neighbours.hpp"

namespace spmv {

struct SharedWindow::Handle {
  MPI_Win window = MPI_WIN_NULL;
};

SharedWindow::SharedWindow(const Communicator& all, const Communicator& node, std::size_t bytes,
                           std::shared_ptr<Backend> backend)
    : backend_(std::move(backend)), handle_(std::make_unique<Handle>()) {
  void* mine = nullptr;
  MPI_Win& window = handle_->window;
  mpi_check(MPI_Win_allocate_shared(static_cast<MPI_Aint>(whole_lines(bytes)), 1, MPI_INFO_NULL,
                                    *static_cast<MPI_Comm*>(node.handle()), &mine, &window),
            "allocate shared memory");
  for (int rank = 0; rank < node.size(); ++rank) {
    MPI_Aint size = 0;
    int unit = 0;
    void* at = nullptr;
    mpi_check(MPI_Win_shared_query(window, rank, &size, &unit, &at), "find a neighbour's shared memory");
    segments_.push_back(static_cast<std::byte*>(at));
    total_ += static_cast<std::size_t>(size);
  }
  std::memset(segment(node.rank()), 0, bytes);
  if (total_ > 0)
    all.together([&] {
      backend_->pin(segments_[0], total_);
      pinned_ = true;
    });
  all.barrier();  // nobody writes before all segments are cleared
}

SharedWindow::~SharedWindow() {
  if (pinned_) backend_->unpin(segments_[0]);
  if (std::uncaught_exceptions() == 0) MPI_Win_free(&handle_->window);
}

std::string why_no_window(const ExchangeSetup& setup, const std::string& transport) {
  const auto apart = find_neighbour_elsewhere(setup);
  if (!apart) return {};
  return fmt::format(
      "transport {} joins the ranks of one node, but rank {} and its neighbour {} are on different ones: use "
      "--transport node_aware or staged",
      transport, apart->rank, apart->neighbour);
}

}  // namespace spmv
