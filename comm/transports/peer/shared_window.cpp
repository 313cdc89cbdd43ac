#include "comm/transports/peer/shared_window.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>

#include <fmt/format.h>
#include <mpi.h>

#include "comm/mpi_check.hpp"
#include "comm/transports/node_neighbours.hpp"

namespace spmv {

struct SharedWindow::Handle {
  MPI_Win window = MPI_WIN_NULL;
};

SharedWindow::SharedWindow(const Communicator& all, const Communicator& node, std::size_t bytes,
                           std::shared_ptr<Backend> backend)
    : backend_(std::move(backend)), handle_(std::make_unique<Handle>()) {
  // No segment is empty, so that each has an address. MPI aligns the first one to little; it lies at the same
  // place of a page for every rank, so all shift theirs by as much, and the last one has a line more.
  const bool last = node.rank() + 1 == node.size();
  const std::size_t room = whole_lines(std::max<std::size_t>(bytes, 1)) + (last ? window_line : 0);
  void* mine = nullptr;
  MPI_Win& window = handle_->window;
  mpi_check(MPI_Win_allocate_shared(static_cast<MPI_Aint>(room), 1, MPI_INFO_NULL,
                                    *static_cast<MPI_Comm*>(node.handle()), &mine, &window),
            "allocate shared memory");
  std::size_t total = 0;
  for (int rank = 0; rank < node.size(); ++rank) {
    MPI_Aint size = 0;
    int unit = 0;
    void* at = nullptr;
    mpi_check(MPI_Win_shared_query(window, rank, &size, &unit, &at), "find a neighbour's shared memory");
    segments_.push_back(static_cast<std::byte*>(at));
    total += static_cast<std::size_t>(size);
  }
  std::byte* const begin = segments_[0];
  const auto beyond = static_cast<gidx>(reinterpret_cast<std::uintptr_t>(begin) % window_line);
  const bool alike = node.max(beyond) == node.min(beyond);
  for (std::byte*& segment : segments_) segment += (window_line - beyond) % window_line;
  std::memset(segment(node.rank()), 0, bytes);
  all.barrier();  // pages lie near the rank that touches them first; pinning touches them all
  all.together([&] {
    if (!alike) throw Error(ExitCode::internal, "MPI's shared memory lies differently for different ranks");
    backend_->pin(begin, total);
    pinned_at_ = begin;
  });
}

SharedWindow::~SharedWindow() {
  if (pinned_at_ != nullptr) backend_->unpin(pinned_at_);  // also where MPI's end has unmapped it
  if (std::uncaught_exceptions() == 0 && !mpi_has_ended()) MPI_Win_free(&handle_->window);
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
