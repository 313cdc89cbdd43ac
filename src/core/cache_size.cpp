#include "core/cache_size.hpp"

#include <algorithm>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include "core/names_in.hpp"
#include "core/number.hpp"

namespace spmv {
namespace {

std::string word_of(const std::string& file) {
  std::string word;
  std::ifstream(file) >> word;
  return word;
}

/// What the file begins with, such as 512 of "512K"; 0 where that is no number.
int number_of(const std::string& file) {
  const std::string word = word_of(file);
  const auto found = leading_number<int>(word);
  return found ? found->number : 0;
}

}  // namespace

double processor_cache_bytes(const std::string& folder) {
  constexpr double kib = 1024;
  int last_level = 0;
  std::map<std::string, double> caches;  // of the last level, by the processors that share it
  for (const std::string& processor : names_in(folder)) {
    const std::string of_processor = fmt::format("{}/{}/cache", folder, processor);
    for (const std::string& index : names_in(of_processor)) {
      const std::string cache = fmt::format("{}/{}", of_processor, index);
      const int level = number_of(cache + "/level");
      if (level == 0 || level < last_level || word_of(cache + "/type") == "Instruction") continue;
      if (level > last_level) caches.clear();
      last_level = level;
      caches[word_of(cache + "/shared_cpu_list")] = kib * number_of(cache + "/size");
    }
  }
  double sum = 0;
  for (const auto& [processors, bytes] : caches) sum += bytes;
  return sum;
}

}  // namespace spmv
