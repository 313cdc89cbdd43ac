#include "comm/transports/peer/shared_window.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "comm/transports/node_neighbours.hpp"
#include "core/shared_pages.hpp"

namespace spmv {

SharedWindow::SharedWindow(const Communicator& all, const Communicator& node, std::size_t bytes,
                           std::shared_ptr<Backend> backend)
    : node_rank_(node.rank()), backend_(std::move(backend)) {
  const std::size_t room = whole_lines(std::max<std::size_t>(bytes, 1));
  all.together([&] {
    auto pages = allocate_shared_pages(room);
    std::memset(pages->data(), 0, room);  // pages lie near the rank that touches them first
    own_ = keep(std::move(pages), room);
  });
  handles_ = node.all_gather(segments_.front()->handle());
  bytes_ = node.all_gather(room);
}

SharedWindow::~SharedWindow() {
  for (const auto& segment : segments_) backend_->unpin(segment->data());
}

std::byte* SharedWindow::reach(int node_rank) {
  if (node_rank == node_rank_) return own_;
  std::byte*& segment = reached_[node_rank];
  const auto r = static_cast<std::size_t>(node_rank);
  if (segment == nullptr) segment = keep(map_shared_pages(handles_[r]), bytes_[r]);
  return segment;
}

std::byte* SharedWindow::keep(std::unique_ptr<SharedMemory> segment, std::size_t bytes) {
  backend_->pin(segment->data(), bytes);
  segments_.push_back(std::move(segment));
  return segments_.back()->data();
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
