// A device exchanges with itself, in kernels.
#include <vector>

#include "core/buffer.hpp"
#include "core/peer_memory.hpp"
#include "support/cuda_test.hpp"

namespace spmv::test {
namespace {

class PeerMemoryCuda : public CudaTest<double> {};

// One piece arrives at once, another goes far, by one slow block, and x is overwritten right after the fetch. (That the fetch
// waits for the send's end is not what this can tell: on an H200 a fill waits for both in any case.)
TEST_F(PeerMemoryCuda, AnExchangeWithItselfBringsAllThatWasPut) {
  constexpr lidx soon = 8, late = 1 << 22;
  const auto elements = static_cast<std::size_t>(soon + late);
  const std::vector<double> ones(elements, 1.0);
  Buffer<double> x = upload(backend_, ones.data(), elements);
  Buffer<double> halves(backend_, 2 * soon, Memory::device);
  Buffer<double> far(backend_, static_cast<std::size_t>(late), Memory::device);
  Buffer<double> halo(backend_, soon, Memory::device);
  const std::vector<ExchangeNumber> none(
      4, 0);  // own flag, the far flag, the number of the exchange, its readers
  Buffer<ExchangeNumber> counters = upload(backend_, none.data(), none.size());

  auto* const half = reinterpret_cast<std::byte*>(halves.data());
  auto* const other_half = reinterpret_cast<std::byte*>(halves.data() + soon);
  auto* const far_away = reinterpret_cast<std::byte*>(far.data());
  const std::vector<SendPiece> pieces = {{0, soon, {half, other_half}, counters.data()},
                                         {soon, late, {far_away, far_away}, counters.data() + 1}};
  const Buffer<SendPiece> piece = upload(backend_, pieces.data(), pieces.size());
  const HaloRun all{0, soon * sizeof(double)};
  const Buffer<HaloRun> run = upload(backend_, &all, 1);
  const ArrivingPiece comes{all, counters.data()};
  const Buffer<ArrivingPiece> arriving = upload(backend_, &comes, 1);
  PeerView view;
  view.piece = piece.data();
  view.pieces = static_cast<int>(pieces.size());
  view.half[0] = half;
  view.half[1] = other_half;
  view.flag = counters.data();
  view.flags = view.runs = 1;
  view.run = run.data();
  view.bytes = all.bytes;
  view.arriving = arriving.data();
  view.number = counters.data() + 2;
  view.readers = reinterpret_cast<unsigned*>(counters.data() + 3);

  const auto queue = backend_->make_queue(Priority::normal);
  for (int exchange = 1; exchange <= 3; ++exchange) {
    const std::vector<double> sent(elements, exchange);
    queue->fill(far.data(), 0, far.bytes());
    queue->fill(halo.data(), 0, halo.bytes());
    backend_->upload(x.data(), sent.data(), x.bytes());
    queue->synchronize();
    queue_send(*queue, view, {reinterpret_cast<const std::byte*>(x.data())}, sizeof(double));
    queue_arrive(*queue, view, reinterpret_cast<std::byte*>(halo.data()), sizeof(double));
    queue->fill(x.data(), 0, x.bytes());
    queue->synchronize();
    std::vector<double> got(elements);
    download(*backend_, got.data(), halo.data(), halo.size());
    download(*backend_, got.data() + soon, far.data(), far.size());
    EXPECT_EQ(got, sent) << "exchange " << exchange;
  }
}

}  // namespace
}  // namespace spmv::test
