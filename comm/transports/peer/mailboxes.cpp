#include "comm/transports/peer/mailboxes.hpp"

#include <cstring>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "comm/mpi_check.hpp"
#include "comm/transports/node_neighbours.hpp"
#include "core/shared_pages.hpp"

namespace spmv {

Pin::Pin(std::shared_ptr<Backend> backend, std::byte* at, std::size_t bytes)
    : backend_(std::move(backend)), at_(at) {
  backend_->pin(at_, bytes);
}

Pin::~Pin() {
  backend_->unpin(at_);
}

struct Mailboxes::Invitation {
  std::array<char, 112> handle{};
  std::uint64_t size = 0;   // of the handle
  std::uint64_t bytes = 0;  // of the mailbox
};

Mailboxes::Mailboxes(const ExchangeSetup& setup, Memory where, std::size_t bytes)
    : communicator_(setup.communicator), backend_(setup.backend), where_(where) {
  const std::vector<Neighbour>& neighbours = setup.plan->neighbours;
  const Invitation mine = communicator_.together([&] { return bytes > 0 ? open(bytes) : Invitation{}; });
  const auto theirs = tell_neighbours(setup, std::vector<Invitation>(neighbours.size(), mine));
  try {
    communicator_.together([&] {
      for (std::size_t i = 0; i < neighbours.size(); ++i) reach(neighbours[i], theirs[i]);
    });
  } catch (const AgreedError&) {
    leave();
    communicator_.barrier();
    throw;
  }
  if (own_) own_->end_lending();
}

Mailboxes::~Mailboxes() {
  leave();
  // After a failure on this rank only, or when MPI has ended, the others would not come to the barrier.
  if (where_ == Memory::device && std::uncaught_exceptions() == 0 && !mpi_has_ended())
    communicator_.barrier();
}

std::byte* Mailboxes::own() const {
  return own_ ? own_->data() : nullptr;
}

Mailboxes::Invitation Mailboxes::open(std::size_t bytes) {
  bytes = whole_lines(bytes);
  own_ = where_ == Memory::device ? backend_->allocate_shared(bytes) : allocate_shared_pages(bytes);
  if (where_ == Memory::staging)
    std::memset(own_->data(), 0, bytes);  // pages lie near the rank that touches them first
  own_pin_ = pin(own_->data(), bytes);
  const std::string handle = own_->handle();
  Invitation invitation;
  if (handle.size() > invitation.handle.size()) throw Error(ExitCode::internal, "a long handle");
  invitation.size = handle.copy(invitation.handle.data(), handle.size());
  invitation.bytes = bytes;
  return invitation;
}

void Mailboxes::reach(const Neighbour& neighbour, const Invitation& invitation) {
  if (neighbour.rank == communicator_.rank()) return reached_.push_back(own());
  const std::string handle(invitation.handle.data(), invitation.size);
  try {
    Mapped mailbox;
    mailbox.memory = where_ == Memory::device ? backend_->map_shared(handle) : map_shared_pages(handle);
    mailbox.pin = pin(mailbox.memory->data(), invitation.bytes);
    reached_.push_back(mailbox.memory->data());
    mapped_.push_back(std::move(mailbox));
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("rank {} does not reach the memory of rank {}: {}",
                                          communicator_.rank(), neighbour.rank, error.what()));
  }
}

std::unique_ptr<Pin> Mailboxes::pin(std::byte* at, std::size_t bytes) const {
  return where_ == Memory::staging ? std::make_unique<Pin>(backend_, at, bytes) : nullptr;
}

void Mailboxes::leave() {
  reached_.clear();
  mapped_.clear();
}

std::string why_no_mailboxes(const ExchangeSetup& setup, Memory where, const std::string& transport,
                             const std::string& use) {
  if (const auto apart = find_neighbour_elsewhere(setup))
    return fmt::format(
        "transport {} joins the ranks of one node, but rank {} and its neighbour {} are on different ones: use "
        "--transport {}",
        transport, apart->rank, apart->neighbour, use);
  try {
    const Mailboxes trial(setup, where, setup.plan->neighbours.empty() ? 0 : 1);
    return {};
  } catch (const AgreedError& error) {
    return fmt::format("transport {}: {}", transport, error.what());
  }
}

}  // namespace spmv
