#include "lib/context.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <omp.h>

#include "lib/settings.hpp"
#include "lib/translate.hpp"

namespace spmv::lib {
namespace {

constexpr int most_devices = 1 << 20;
constexpr int most_threads = 1 << 16;

/// Reads the options of a context. Local; throws Error(usage).
PlaceRequest place_request(Settings& settings) {
  PlaceRequest request;
  request.backend = settings.text("backend", auto_backend);
  const std::string device = settings.text("device", "auto");
  if (device == "current")
    request.device = gpu_of_this_thread();
  else if (device != "auto")
    request.device = settings.integer("device", -1, 0, most_devices);
  request.threads = settings.integer("threads", 0, 0, most_threads);
  settings.require_known();
  return request;
}

}  // namespace

Scope::Scope(Backend& backend, int threads)
    : backend_(backend), device_before_(backend.enter()), threads_before_(omp_get_max_threads()) {
  if (threads != threads_before_) omp_set_num_threads(threads);
}

Scope::~Scope() {
  if (omp_get_max_threads() != threads_before_) omp_set_num_threads(threads_before_);
  backend_.leave(device_before_);
}

}  // namespace spmv::lib

namespace spmv_dist {

using internal::Access;
using internal::translated;
using spmv::lib::ContextState;

Context::Context(MPI_Comm communicator, const Options& options) {
  translated([&] {
    auto state = std::make_shared<ContextState>(ContextState{spmv::Communicator::of(&communicator), {}, 0});
    const spmv::Communicator& all = state->communicator;
    spmv::lib::require_same_options(all, Access::settings(options));
    spmv::PlaceRequest request = all.together([&] {
      spmv::lib::Settings settings(Access::settings(options));
      return spmv::lib::place_request(settings);
    });
    const int device_before = spmv::gpu_of_this_thread();
    const bool own_threads = request.threads == 0;
    state->place = spmv::find_place(all, request);
    if (own_threads) state->place.threads = std::min(state->place.threads, omp_get_max_threads());
    state->place.backend->leave(device_before);
    state_ = std::move(state);
  });
}

int Context::rank() const {
  return Access::state<ContextState>(*this)->communicator.rank();
}

int Context::size() const {
  return Access::state<ContextState>(*this)->communicator.size();
}

std::string Context::backend() const {
  return translated([&] { return std::string(Access::state<ContextState>(*this)->place.backend->name()); });
}

std::string Context::describe() const {
  return translated([&] {
    const auto state = Access::state<ContextState>(*this);
    const spmv::Place& place = state->place;
    const std::string why = place.why_no_gpu.empty() ? "" : " (" + place.why_no_gpu + ")";
    return fmt::format("rank {} of {}: backend {}{}; {}", state->communicator.rank(),
                       state->communicator.size(), place.backend->name(), why, place.description);
  });
}

}  // namespace spmv_dist
