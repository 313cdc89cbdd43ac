#include "dist/prepare/product_trials.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <optional>

#include "core/value_types.hpp"

namespace spmv {

const ProductTrial* fastest(const std::vector<ProductTrial>& trials) {
  const ProductTrial* best = nullptr;
  for (const ProductTrial& trial : trials)
    if (trial.left_out.empty() && (best == nullptr || trial.product_s < best->product_s)) best = &trial;
  return best;
}

template <class T>
std::vector<const Mode<T>*> modes_by_rank() {
  std::vector<const Mode<T>*> ranked;
  for (const Mode<T>& mode : modes<T>())
    if (mode.rank > 0) ranked.push_back(&mode);
  std::sort(ranked.begin(), ranked.end(), [](auto* a, auto* b) { return a->rank > b->rank; });
  return ranked;
}

std::vector<std::string> layouts_to_measure(const std::vector<std::string>& layouts, const std::string& asked,
                                            bool halo) {
  for (const std::string& layout : layouts)
    if (asked == layout) return {layout};
  if (asked == auto_layout && halo) return layouts;
  return {layouts.front()};
}

double time_queued(const Communicator& communicator, Queue& queue, const std::function<void()>& work) {
  const auto seconds_each = [&](int count) {
    queue.synchronize();
    communicator.barrier();
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < count; ++k) work();
    queue.synchronize();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    return communicator.max(elapsed.count()) / count;
  };
  work();
  constexpr double batch_s = 0.01;
  constexpr int batches = 5;
  const int batch = static_cast<int>(std::clamp(batch_s / seconds_each(1), 1.0, 20.0));
  double least = seconds_each(batch);
  for (int i = 1; i < batches; ++i) least = std::min(least, seconds_each(batch));
  return least;
}

template <class T>
std::vector<ProductTrial> time_products(
    const Communicator& communicator, const std::vector<const Mode<T>*>& modes, const std::string& layout,
    const std::function<TriedProduct(const Mode<T>& mode, const std::string& layout)>& set_up) {
  std::map<std::string, std::vector<const Mode<T>*>> by_layout;
  for (const Mode<T>* mode : modes)
    for (const std::string& one : layouts_to_measure(mode->layouts, layout, communicator.size() > 1))
      by_layout[one].push_back(mode);
  std::vector<ProductTrial> trials;
  std::exception_ptr last;
  for (const auto& [name, its_modes] : by_layout)
    for (const Mode<T>* mode : its_modes) {
      trials.push_back({mode->name, name});
      std::optional<TriedProduct> tried;
      try {
        tried.emplace(set_up(*mode, name));
      } catch (const AgreedError& error) {
        if (error.code() == ExitCode::internal) throw;
        last = std::current_exception();
        trials.back().left_out = error.what();
        continue;
      }
      trials.back().product_s = time_queued(communicator, tried->queue, tried->multiply);
    }
  if (fastest(trials) == nullptr) std::rethrow_exception(last);
  return trials;
}

SPMV_INSTANTIATE(modes_by_rank);
SPMV_INSTANTIATE(time_products);

}  // namespace spmv
