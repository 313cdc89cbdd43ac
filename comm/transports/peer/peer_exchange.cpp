#include "comm/transports/peer/peer_exchange.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "comm/transports/peer/mailboxes.hpp"
#include "core/error.hpp"

namespace spmv {
namespace {

/// Elements of a piece: enough for a thread block to be worth its start, and no more than some hundred pieces
/// in all, since every waiting block looks at every flag.
lidx piece_elements(lidx sent) {
  constexpr lidx least = 1024, most_pieces = 256;
  return std::max(least, sent / most_pieces + 1);
}

/// The parts of the halo that the plan's neighbours fill; parts that touch are one run.
std::vector<HaloRun> find_runs(const HaloPlan& plan, std::size_t element_bytes) {
  std::vector<HaloRun> runs;
  for (const Neighbour& n : plan.neighbours) {
    if (n.receive_count == 0) continue;
    const HaloRun run{static_cast<std::size_t>(n.receive_offset) * element_bytes,
                      static_cast<std::size_t>(n.receive_count) * element_bytes};
    if (!runs.empty() && runs.back().begin + runs.back().bytes == run.begin)
      runs.back().bytes += run.bytes;
    else
      runs.push_back(run);
  }
  return runs;
}

/// Calls visit(i, p) for piece number p of the plan's neighbour i: the first pieces of all neighbours, then
/// the second ones, and so on. So no neighbour waits until others have everything.
template <class Visit>
void for_each_piece(const std::vector<int>& pieces, const Visit& visit) {
  const int most = pieces.empty() ? 0 : *std::max_element(pieces.begin(), pieces.end());
  for (int p = 0; p < most; ++p)
    for (std::size_t i = 0; i < pieces.size(); ++i)
      if (p < pieces[i]) visit(i, p);
}

/// The pieces that neighbours store here, in the order in which they may be expected. flags[i]: how many
/// flags neighbour i raises; `flag`: the first of all.
std::vector<ArrivingPiece> find_arriving(const HaloPlan& plan, std::size_t element_bytes,
                                         const std::vector<int>& flags, const ExchangeNumber* flag) {
  std::vector<const ExchangeNumber*> first;  // of each neighbour
  for (const int count : flags) {
    first.push_back(flag);
    flag += count;
  }
  std::vector<ArrivingPiece> arriving;
  for_each_piece(flags, [&](std::size_t i, int p) {
    const Neighbour& n = plan.neighbours[i];
    const std::size_t at = static_cast<std::size_t>(n.receive_offset) * element_bytes;
    const Piece piece = peer_piece(n.receive_count, flags[i], p, at, element_bytes);
    const HaloRun run{at + static_cast<std::size_t>(piece.first) * element_bytes,
                      static_cast<std::size_t>(piece.count) * element_bytes};
    arriving.push_back({run, first[i] + p});
  });
  return arriving;
}

}  // namespace

int peer_pieces(lidx count, lidx sent) {
  const lidx size = piece_elements(sent);
  return std::max(1, static_cast<int>((offset{count} + size - 1) / size));
}

Piece peer_piece(lidx count, int pieces, int p, std::size_t at, std::size_t element_bytes) {
  const auto per_line = static_cast<offset>(mailbox_line / element_bytes);
  const offset lead =
      static_cast<offset>(at / element_bytes) % per_line;  // elements before the first, in its line
  const auto boundary = [&](int q) {
    if (q == pieces) return count;
    const offset line = (lead + offset{count} * q / pieces) / per_line;
    return static_cast<lidx>(std::max(offset{0}, line * per_line - lead));
  };
  return {boundary(p), boundary(p + 1) - boundary(p)};
}

MailboxParts mailbox_parts(int flags, std::size_t halo_bytes) {
  MailboxParts mailbox;
  const auto add = [&mailbox](std::size_t bytes) {
    const std::size_t at = mailbox.bytes;
    mailbox.bytes += whole_lines(bytes);
    return at;
  };
  mailbox.flags = add(static_cast<std::size_t>(flags) * sizeof(ExchangeNumber));
  for (std::size_t& half : mailbox.half) half = add(halo_bytes);
  mailbox.bytes = std::max(mailbox.bytes, mailbox_line);
  return mailbox;
}

PeerExchange::PeerExchange(std::shared_ptr<const HaloPlan> plan, std::shared_ptr<Backend> backend,
                           std::size_t element_bytes, std::byte* mailbox, Memory where,
                           std::vector<int> flags)
    : plan_(std::move(plan)),
      backend_(std::move(backend)),
      element_bytes_(element_bytes),
      mailbox_(mailbox),
      flags_(std::move(flags)),
      queue_(backend_->make_queue(Priority::urgent)),
      watching_(backend_->make_queue(Priority::urgent)) {
  if (mailbox_line % element_bytes_ != 0)  // pieces could not begin where lines do
    throw Error(ExitCode::internal, "elements of a halo fill no line of a mailbox");
  for (const int count : flags_) view_.flags += count;
  layout_ = mailbox_parts(view_.flags, static_cast<std::size_t>(plan_->ghosts) * element_bytes_);
  view_.flag = reinterpret_cast<const ExchangeNumber*>(mailbox_ + layout_.flags);
  view_.on_host = where == Memory::staging;
  const ExchangeNumber none = 0;
  const unsigned nobody = 0;
  number_ = upload(backend_, &none, 1);
  readers_ = upload(backend_, &nobody, 1);
  view_.number = number_.data();
  view_.readers = readers_.data();
  for (int i = 0; i < 2; ++i) view_.half[i] = mailbox_ + layout_.half[i];
  const std::vector<HaloRun> runs = find_runs(*plan_, element_bytes_);
  for (const HaloRun& run : runs) view_.bytes += run.bytes;
  runs_ = upload(backend_, runs.data(), runs.size());
  view_.run = runs_.data();
  view_.runs = static_cast<int>(runs.size());
  const std::vector<ArrivingPiece> arriving = find_arriving(*plan_, element_bytes_, flags_, view_.flag);
  arriving_ = upload(backend_, arriving.data(), arriving.size());
  view_.arriving = arriving_.data();
  on_abandon_.emplace([this] {
    backend_->use_in_this_thread();
    raise_all_flags(*watching_, view_);
  });
}

PeerLanding PeerExchange::landing(std::size_t i) const {
  std::size_t before = 0;
  for (std::size_t j = 0; j < i; ++j) before += static_cast<std::size_t>(flags_[j]);
  const std::size_t at = static_cast<std::size_t>(plan_->neighbours[i].receive_offset) * element_bytes_;
  return {layout_.flags + before * sizeof(ExchangeNumber), {layout_.half[0] + at, layout_.half[1] + at}};
}

void PeerExchange::connect(const std::vector<PeerTarget>& targets) {
  std::vector<int> counts;
  for (std::size_t i = 0; i < targets.size(); ++i)
    counts.push_back(peer_pieces(plan_->neighbours[i].send_count, plan_->send_total()));
  std::vector<SendPiece> pieces;
  for_each_piece(counts, [&](std::size_t i, int p) {
    const Neighbour& n = plan_->neighbours[i];
    const auto& [mailbox, landing] = targets[i];
    const Piece piece = peer_piece(n.send_count, counts[i], p, landing.half[0], element_bytes_);
    const std::size_t at = static_cast<std::size_t>(piece.first) * element_bytes_;
    pieces.push_back({n.send_offset + piece.first,
                      piece.count,
                      {mailbox + landing.half[0] + at, mailbox + landing.half[1] + at},
                      reinterpret_cast<ExchangeNumber*>(mailbox + landing.flag) + p});
  });
  raised_ = pieces.empty() ? nullptr : pieces.front().flag;
  pieces_ = upload(backend_, pieces.data(), pieces.size());
  view_.piece = pieces_.data();
  view_.pieces = static_cast<int>(pieces.size());
}

void PeerExchange::send(const SendSource& source, const Event& ready, PhaseLog* log) {
  if (flags_.empty()) return;
  queue_->wait(ready);  // also orders the arrival below after the last product that reads the halo
  if (log != nullptr) log->begin(Phase::mpi, *queue_);
  queue_send(*queue_, view_, source, element_bytes_);
}

void PeerExchange::finish(std::byte* halo, Event& arrived, PhaseLog* log) {
  if (flags_.empty()) return;
  queue_arrive(*queue_, view_, halo, element_bytes_);
  if (log != nullptr) log->end(Phase::mpi, *queue_);
  queue_->record(arrived);  // also where no elements come: this rank's end is done then
}

void PeerExchange::poison() {
  if (flags_.empty()) return;
  queue_->synchronize();
  ExchangeNumber number = 0;
  download(*backend_, &number, view_.number, 1);
  // The next exchange's half may be in a neighbour's hands already; the other one was read by the last
  // arrival.
  std::byte* const half = mailbox_ + layout_.half[number % 2];
  const std::size_t bytes = static_cast<std::size_t>(plan_->ghosts) * element_bytes_;
  if (view_.on_host) {
    std::memset(half, 0xff, bytes);
    return;
  }
  queue_->fill(half, 0xff, bytes);
  queue_->synchronize();
}

std::string PeerExchange::waiting_for() const {
  if (raised_ == nullptr) return {};
  // The exchange under way is the one whose flags this rank has raised. view_.number does not tell which that
  // is: a kernel may count it up before it waits.
  std::vector<ExchangeNumber> flags(static_cast<std::size_t>(view_.flags));
  ExchangeNumber raised = 0;
  if (view_.on_host) {
    raised = load_flag(*raised_);
    std::transform(view_.flag, view_.flag + view_.flags, flags.begin(), load_flag);
  } else {
    backend_->use_in_this_thread();
    queue_look(*watching_, &raised, raised_, 1);
    queue_look(*watching_, flags.data(), view_.flag, flags.size());
    watching_->synchronize();
  }
  std::vector<int> missing;
  auto flag = flags.begin();
  for (std::size_t i = 0; i < flags_.size(); ++i) {
    if (std::any_of(flag, flag + flags_[i], [=](ExchangeNumber e) { return e < raised; }))
      missing.push_back(plan_->neighbours[i].rank);
    flag += flags_[i];
  }
  const std::string ranks = name_ranks(missing);
  return ranks.empty() ? ranks : "flags from " + ranks;
}

}  // namespace spmv
