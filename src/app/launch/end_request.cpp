#include "app/launch/end_request.hpp"

namespace spmv {

bool EndRequest::put(int signal) {
  const std::lock_guard lock(mutex_);
  if (!heeded_ || signal_ != 0) return false;
  signal_ = signal;
  return true;
}

int EndRequest::signal() const {
  const std::lock_guard lock(mutex_);
  return signal_;
}

EndRequest::Heeded::Heeded(EndRequest& request) : request_(request) {
  const std::lock_guard lock(request_.mutex_);
  request_.heeded_ = true;
}

EndRequest::Heeded::~Heeded() {
  const std::lock_guard lock(request_.mutex_);
  request_.heeded_ = false;
}

}  // namespace spmv
