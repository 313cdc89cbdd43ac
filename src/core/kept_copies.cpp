#include "core/kept_copies.hpp"

#include <algorithm>

namespace spmv {

/// One that is kept: on the list as long as it lives.
class KeptCopies::Entry final : public KeptCopy {
 public:
  Entry(KeptCopies& all, Array array) : all_(all), array_(std::move(array)) {
    at_ = all_.backend_.allocate(array_.second, Memory::device);
    try {
      all_.backend_.upload(at_, array_.first, array_.second);
      const std::lock_guard lock(all_.mutex_);
      all_.kept_.emplace(array_, at_);
    } catch (...) {
      all_.backend_.release(at_, Memory::device);
      throw;
    }
  }
  ~Entry() override {
    {
      const std::lock_guard lock(all_.mutex_);
      const auto [first, last] = all_.kept_.equal_range(array_);
      all_.kept_.erase(std::find_if(first, last, [&](const auto& kept) { return kept.second == at_; }));
    }
    all_.backend_.release(at_, Memory::device);
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

 private:
  KeptCopies& all_;
  Array array_;
  void* at_ = nullptr;
};

std::unique_ptr<KeptCopy> KeptCopies::keep(const void* from, std::size_t bytes) {
  return std::make_unique<Entry>(*this, Array{from, bytes});
}

const void* KeptCopies::find(const void* from, std::size_t bytes) const {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find({from, bytes});
  return found == kept_.end() ? nullptr : found->second;
}

bool KeptCopies::copy(void* to, const void* from, std::size_t bytes) const {
  const void* const kept = find(from, bytes);
  if (kept == nullptr) return false;
  const auto queue = backend_.make_queue(Priority::normal);
  queue->copy(to, kept, bytes, Copy::on_device);
  queue->synchronize();
  return true;
}

}  // namespace spmv
