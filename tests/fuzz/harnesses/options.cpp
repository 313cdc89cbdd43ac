#include "app/options.hpp"

#include <string>
#include <vector>

#include "core/error.hpp"
#include "fuzz/harness.hpp"
#include "kernels/format_options.hpp"

namespace spmv::fuzz {
namespace {

void check(const Options& o) {
  for (const OptionField& field : option_fields())
    require(is_allowed(field, field.get(o.format_options)), std::string("not allowed: ") + field.name);
  require(o.products >= 1 && o.products <= 1e15, "products out of range");
  require(o.max_seconds >= 0 && o.max_seconds <= 1e9 && o.timeout >= 0 && o.timeout <= 1e9,
          "seconds out of range");
  require(o.warmup >= 0 && o.min_repetitions >= 1 && o.min_repetitions <= o.max_repetitions,
          "no repetitions");
  require(o.modes.empty() == (o.command == Command::convert) && !o.transports.empty(), "nothing to run");
  require(o.output_file.empty() == (o.command != Command::convert),
          "no file to write, or one that nobody writes");
  require(o.command == Command::doctor || o.matrix_file.empty() != o.generate.empty(), "no matrix, or two");
  for (const std::string& name : o.fixed_options) require(!name.empty(), "a fixed option without a name");
}

}  // namespace

void options(std::string_view input) {
  constexpr std::size_t most_words = 40;
  if (is_slow_generator(input)) return;
  std::vector<std::string> words = {"spmv_dist"};
  for (std::size_t begin = 0; begin < input.size() && words.size() < most_words;) {
    const std::size_t end = std::min(input.find('\n', begin), input.size());
    words.emplace_back(std::string(input.substr(begin, end - begin)).c_str());  // a word ends at a zero byte
    begin = end + 1;
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  try {
    const ParsedOptions parsed = parse_options(static_cast<int>(words.size()), argv.data());
    if (parsed.text_instead.empty()) check(parsed.options);
  } catch (const Error& error) {
    require(error.code() == ExitCode::usage, error.what());
    require(!std::string_view(error.what()).empty(), "an error that says nothing");
  }
}

}  // namespace spmv::fuzz
