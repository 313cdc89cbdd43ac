#include "app/launch/last_words.hpp"

#include <chrono>
#include <future>
#include <thread>

namespace spmv {

void last_words(const std::function<void()>& speak, double at_most_s) {
  std::packaged_task<void()> task(speak);
  const std::future<void> spoken = task.get_future();
  std::thread(std::move(task)).detach();
  spoken.wait_for(std::chrono::duration<double>(at_most_s));
}

}  // namespace spmv
