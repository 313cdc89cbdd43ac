#include "comm/place/openmp_threads.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/number.hpp"

namespace spmv {
namespace {

std::string_view without_blanks(std::string_view text) {
  constexpr const char* blanks = " \t\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

/// A size of stacks that the environment names.
struct NamedStack {
  std::string setting;  // variable and value
  std::size_t bytes = 0;
};

/// As OpenMP's specification has it: a number, then B, K, M or G, or nothing for K. nullopt for anything else, which the
/// runtime ignores.
std::optional<std::size_t> stack_bytes(std::string_view text) {
  const auto found = leading_number<std::size_t>(without_blanks(text));
  if (!found) return std::nullopt;
  const std::string_view unit = without_blanks(found->rest);
  if (unit.size() > 1) return std::nullopt;
  const char letter =
      unit.empty() ? 'K' : static_cast<char>(std::toupper(static_cast<unsigned char>(unit[0])));
  const std::size_t power = std::string_view("BKMG").find(letter);
  if (power == std::string_view::npos || found->number >> (64 - 10 * power - 1) >> 1 != 0)
    return std::nullopt;
  return found->number << (10 * power);
}

/// What the runtime uses: the first of two variables that it understands, unless that is less than any thread needs.
std::optional<NamedStack> named_stack() {
  for (const char* name : {"OMP_STACKSIZE", "GOMP_STACKSIZE"}) {
    const char* const text = std::getenv(name);
    const auto bytes = text != nullptr ? stack_bytes(text) : std::nullopt;
    if (bytes && *bytes < static_cast<std::size_t>(PTHREAD_STACK_MIN)) return std::nullopt;
    if (bytes) return NamedStack{fmt::format("{}={}", name, text), *bytes};
  }
  return std::nullopt;
}

void* pass(void* gate) {
  const std::lock_guard through(*static_cast<std::mutex*>(gate));
  return nullptr;
}

/// Threads that wait at a gate until all have been started.
class Trial {
 public:
  explicit Trial(const std::optional<NamedStack>& stack) : gate_is_closed_(gate_) {
    pthread_attr_init(&attributes_);
    if (stack) pthread_attr_setstacksize(&attributes_, stack->bytes);
  }
  ~Trial() {
    gate_is_closed_.unlock();
    for (const pthread_t thread : threads_) pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes_);
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  /// What the system says: 0, or why no further thread can be started.
  int start() {
    threads_.emplace_back();
    const int refused = pthread_create(&threads_.back(), &attributes_, pass, &gate_);
    if (refused != 0) threads_.pop_back();
    return refused;
  }

 private:
  std::mutex gate_;
  std::unique_lock<std::mutex> gate_is_closed_;
  pthread_attr_t attributes_{};
  std::vector<pthread_t> threads_;
};

}  // namespace

int threads_in_environment() {
  constexpr const char* name = "OMP_NUM_THREADS";
  const char* const text = std::getenv(name);
  const auto found = text != nullptr ? leading_number<double>(without_blanks(text)) : std::nullopt;
  const double threads = found ? found->number : 0;
  const long most = std::max(1024L, 4 * sysconf(_SC_NPROCESSORS_ONLN));
  if (threads > static_cast<double>(most))
    throw Error(ExitCode::usage,
                fmt::format("{}={} is too many: at most {} threads can be used here, and more "
                            "than a rank's cores never help",
                            name, text, most));
  return threads >= 1 ? static_cast<int>(threads) : 0;
}

void try_threads(int count) {
  constexpr std::size_t least_stack = std::size_t{256} * 1024;
  const auto stack = named_stack();
  if (count > 1 && stack && stack->bytes < least_stack)
    throw Error(ExitCode::memory, fmt::format("{} makes the threads' stacks too small: they need {} kB at "
                                              "least; unset it, or set more, such as 4M",
                                              stack->setting, least_stack / 1024));
  Trial trial(stack);
  for (int i = 1; i < count; ++i) {
    const int refused = trial.start();
    if (refused == 0) continue;
    const std::error_code why(refused, std::generic_category());
    if (!stack) throw std::system_error(why);
    throw Error(
        ExitCode::memory,
        fmt::format("{}: thread {} of {} could not be started with such a stack ({}): unset it, or set "
                    "less, such as 4M; or use fewer threads (OMP_NUM_THREADS)",
                    stack->setting, i + 1, count, why.message()));
  }
}

}  // namespace spmv
