#include "kernels/parts/read_once.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "core/backend.hpp"
#include "core/pick.hpp"
#include "core/this_machine.hpp"
#include "kernels/format.hpp"
#include "kernels/rows/rows.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {
namespace {

constexpr double cache = 60e6;  // half of it can be kept

TEST(ReadOnce, ACacheKeepsWhatFindsRoomBesideTheVectors) {
  EXPECT_EQ(share_to_keep(cache, 10e6, 1e6), 1) << "all";
  EXPECT_EQ(share_to_keep(cache, 59e6, 0), 0.5F) << "30 of 59 MB, rounded down";
  EXPECT_EQ(share_to_keep(cache, 60e6, 7e6), 0.25F) << "x and y take twice their bytes";
  EXPECT_EQ(share_to_keep(cache, 10e6, 15e6), 0) << "x and y take all of it";
  EXPECT_EQ(share_to_keep(cache, 10e6, 40e6), 0);
  EXPECT_EQ(share_to_keep(0, 10e6, 0), 0) << "a host";
  EXPECT_EQ(share_to_keep(cache, 0, 0), 0);
}

TEST(ReadOnce, SharesAreSixteenths) {
  EXPECT_EQ(share_to_keep(cache, 61e6, 0), 7.0F / 16) << "rounded down: a larger share would evict itself";
  EXPECT_EQ(share_to_keep(cache, 481e6, 0), 0);
  EXPECT_EQ(share_to_keep(cache, 479e6, 0), 1.0F / 16);
}

TEST(ReadOnce, WhatACacheKeepsMayComeFaster) {
  Analysis a;
  a.value_bytes = sizeof(double);
  const auto at_least = [&a](double moved_bytes, double cache_bytes) {
    Cost cost;
    cost.moved_bytes = moved_bytes;
    const Device device{false, 3e12, 16, nullptr, cache_bytes};
    return predict("csr_vector", cost, {}, a, device).at_least;
  };
  constexpr double launch_s = 1.5e-6;
  EXPECT_NEAR((at_least(59e6, 0) - at_least(59e6, cache)) / (at_least(59e6, 0) - launch_s),
              0.5 * (1 - 1 / 1.6), 1e-9)
      << "half of the bytes come at the cache's speed, 1.6 times a copy's";
}

TEST(ReadOnce, ViewsHaveTheShareOfTheirOperator) {
  EXPECT_EQ(keep_share(CsrView<double>{}, cache, 60e6, 7e6).kept_share, share_to_keep(cache, 60e6, 7e6));
  EXPECT_GT(share_to_keep(cache, 60e6, 7e6), 0);
  struct HostView {
    int rows;
  };
  EXPECT_EQ(keep_share(HostView{3}, cache, 60e6, 7e6).rows, 3) << "no share to keep";
}

/// The host with the cache of a GPU.
class CachedBackend final : public Backend {
 public:
  std::unique_ptr<Queue> make_queue(Priority priority) override { return host_->make_queue(priority); }
  std::unique_ptr<Event> make_event() override { return host_->make_event(); }
  void* allocate(std::size_t bytes, Memory memory) override { return host_->allocate(bytes, memory); }
  void release(void* at, Memory memory) noexcept override { host_->release(at, memory); }
  MemoryInfo memory() const override { return host_->memory(); }
  std::size_t cache_bytes() const override { return 60'000'000; }
  std::string describe() const override { return "cached"; }
  const char* name() const override { return "cached"; }

 private:
  std::shared_ptr<Backend> host_ = make_host_backend(DeviceRequest{});
};

TEST(ReadOnce, PredictionsKnowTheDevicesCache) {
  CachedBackend backend;
  EXPECT_EQ(device_of(backend, 1e9).cache_bytes, 60e6);
  EXPECT_EQ(cache_bytes(*make_host_backend(DeviceRequest{}), 1), processor_cache_bytes());
}

}  // namespace
}  // namespace spmv
