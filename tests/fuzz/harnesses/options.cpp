#include <string>
#include <vector>

#include "app/commands.hpp"
#include "app/commands/analyze.hpp"
#include "app/commands/convert.hpp"
#include "app/commands/multiply.hpp"
#include "app/options/command_line.hpp"
#include "core/error.hpp"
#include "fuzz/harness.hpp"
#include "kernels/format_options.hpp"

namespace spmv::fuzz {
namespace {

void check_format_options(const ChoiceOptions& o) {
  for (const OptionField& field : option_fields())
    require(is_allowed(field, field.get(o.format_options)), std::string("not allowed: ") + field.name);
  for (const std::string& name : o.fixed_options) require(!name.empty(), "a fixed option without a name");
  require(o.products >= 1 && o.products <= 1e15, "products out of range");
}

void check_source(const MatrixOptions& o) {
  require(o.matrix_file.empty() != o.generate.empty(), "no matrix, or two");
}

void check(const MultiplyOptions& o) {
  check_format_options(o);
  check_source(o);
  require(o.max_seconds >= 0 && o.max_seconds <= 1e9, "seconds out of range");
  require(o.warmup >= 0 && o.min_repetitions >= 1 && o.min_repetitions <= o.max_repetitions,
          "no repetitions");
  require(!o.modes.empty() && !o.transports.empty(), "nothing to run");
}

void check(const ConvertOptions& o) {
  check_source(o);
  require(!o.output_file.empty(), "no file to write");
}

void check(const AnalyzeOptions& o) {
  check_format_options(o);
  check_source(o);
}

/// Checks the options of a command if they are of this type.
template <class Options>
void check_if(const Command& command) {
  if (const auto* known = dynamic_cast<const CommandWith<Options>*>(&command)) check(known->options());
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
    const CommandLine line = parse_command_line(static_cast<int>(words.size()), argv.data());
    require((line.command == nullptr) == !line.text_instead.empty(), "neither a command nor a text, or both");
    if (!line.command) return;
    require(line.command->timeout() >= 0 && line.command->timeout() <= 1e9, "timeout out of range");
    check_if<MultiplyOptions>(*line.command);
    check_if<ConvertOptions>(*line.command);
    check_if<AnalyzeOptions>(*line.command);
  } catch (const Error& error) {
    require(error.code() == ExitCode::usage, error.what());
    require(!std::string_view(error.what()).empty(), "an error that says nothing");
  }
}

}  // namespace spmv::fuzz
