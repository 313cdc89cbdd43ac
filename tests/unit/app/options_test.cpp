#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/commands.hpp"
#include "app/commands/analyze.hpp"
#include "app/commands/convert.hpp"
#include "app/commands/generate.hpp"
#include "app/commands/info.hpp"
#include "app/commands/multiply.hpp"
#include "app/options/command_line.hpp"
#include "comm/halo_exchange.hpp"
#include "core/backend.hpp"
#include "core/error.hpp"
#include "dist/machine/tuning_cache.hpp"
#include "dist/modes.hpp"
#include "dist/partitioner.hpp"
#include "dist/solve/solver.hpp"
#include "io/generate/generator.hpp"
#include "kernels/format.hpp"
#include "support/matrix_market.hpp"

namespace spmv::test {
namespace {

CommandLine parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "spmv_dist");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  return parse_command_line(static_cast<int>(argv.size()), argv.data());
}

/// Parses a command line for the command whose options have this type.
template <class Options = MultiplyOptions>
Options options_of(const std::vector<std::string>& arguments) {
  return dynamic_cast<const CommandWith<Options>&>(*parse(arguments).command).options();
}

template <class Row>
std::vector<std::string> names(const std::vector<Row>& table) {
  std::vector<std::string> list;
  for (const Row& row : table) list.emplace_back(row.name);
  return list;
}

/// Fails unless the arguments are refused with a message that contains each of `words`.
void expect_usage_error(const std::vector<std::string>& arguments, const std::vector<std::string>& words) {
  const Error error = error_of([&] { parse(arguments); });
  EXPECT_EQ(error.code(), ExitCode::usage) << arguments.back();
  for (const std::string& word : words)
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << word << " in: " << error.what();
}

TEST(Options, Defaults) {
  const MultiplyOptions options = options_of({"a.mtx"});
  EXPECT_EQ(options.matrix_file, "a.mtx");
  EXPECT_EQ(options.modes, names(modes<double>()));
  EXPECT_TRUE(options.verify);
  EXPECT_EQ(options.partition, "auto");
  EXPECT_EQ(options.format, "auto");
  EXPECT_EQ(options.vectors, "device");
  EXPECT_EQ(options.layout, "auto");
}

TEST(Options, EveryNameOfEveryTableIsAccepted) {
  for (const std::string& name : names(modes<double>())) parse({"a.mtx", "--mode", name});
  for (const std::string& name : names(formats<double>())) parse({"a.mtx", "--format", name});
  for (const std::string& name : names(formats<double>())) parse({"a.mtx", "--nonlocal-format", name});
  for (const std::string& name : names(partitioners())) parse({"a.mtx", "--partition", name});
  for (const std::string& name : names(transports())) parse({"a.mtx", "--transport", name});
  for (const std::string& name : names(backends())) parse({"a.mtx", "--backend", name});
}

TEST(Options, TransportsAreAList) {
  using List = std::vector<std::string>;
  EXPECT_EQ(options_of({"a.mtx"}).transports, List{"auto"});
  EXPECT_EQ(options_of({"a.mtx", "--transport", "shm,staged"}).transports, (List{"shm", "staged"}));
  EXPECT_EQ(options_of({"a.mtx", "--transport", "shm,auto"}).transports, (List{"auto", "shm"}));
  List every = names(transports());
  every.insert(every.begin(), "auto");
  EXPECT_EQ(options_of({"a.mtx", "--transport", "all"}).transports, every);
  expect_usage_error({"a.mtx", "--transport", "shm,pigeon"}, {"'pigeon'"});
  expect_usage_error({"a.mtx", "--transport", ""}, {"--transport"});
}

TEST(Options, LayoutsOfModesThatHaveSeveral) {
  for (const char* name : {"auto", "merged", "split", "parted"})
    EXPECT_EQ(options_of({"a.mtx", "--layout", name}).layout, name);
  expect_usage_error({"a.mtx", "--layout", "square"}, {"layout 'square'", "auto, merged, split, parted"});
  expect_usage_error({"a.mtx", "--layout", ""}, {"auto, merged, split, parted"});
  const std::string help = parse({"--help"}).text_instead;
  EXPECT_NE(help.find("auto, merged, split, parted; a mode without the one named has its own"),
            std::string::npos)
      << help;
  const std::string list = parse({"--list"}).text_instead;
  EXPECT_NE(list.find("\n  parted "), std::string::npos) << list;
}

TEST(Options, UnknownNamesNameTheKnownOnes) {
  expect_usage_error({"a.mtx", "--mode", "fast"}, names(modes<double>()));
  expect_usage_error({"a.mtx", "--mode", "vector,fast"}, {"'fast'", ", all"});
  expect_usage_error({"a.mtx", "--transport", "pigeon"}, {"auto, ", ", all"});
  expect_usage_error({"a.mtx", "--format", "crs"}, names(formats<double>()));
  expect_usage_error({"a.mtx", "--nonlocal-format", "crs"}, names(formats<double>()));
  expect_usage_error({"a.mtx", "--partition", "best"}, names(partitioners()));
  expect_usage_error({"a.mtx", "--transport", "pigeon"}, names(transports()));
  expect_usage_error({"a.mtx", "--backend", "gpu"}, names(backends()));
  expect_usage_error({"a.mtx", "--value", "half"}, {"'half'", "float", "double", "complex_float"});
  expect_usage_error({"a.mtx", "--vectors", "moon"}, {"'moon'", "device", "host"});
  expect_usage_error({"--generate", "stencil8:3,3,3"}, names(generators()));
}

TEST(Options, WrongNumbersAndUnknownOptions) {
  expect_usage_error({"a.mtx", "--block-rows", "0"}, {"--block-rows"});
  expect_usage_error({"a.mtx", "--block-rows", "many"}, {"--block-rows"});
  expect_usage_error({"a.mtx", "--warmup", "-1"}, {"--warmup"});
  expect_usage_error({"a.mtx", "--max-seconds", "-1"}, {"--max-seconds"});
  expect_usage_error({"a.mtx", "--timeout", "-1"}, {"--timeout"});
  expect_usage_error({"a.mtx", "--min-repetitions", "7", "--max-repetitions", "6"}, {"--min-repetitions"});
  expect_usage_error({"a.mtx", "--frobnicate"}, {"--frobnicate", "--help"});
  expect_usage_error({"--generate", "stencil7:3,3"}, {"stencil7"});
}

TEST(Options, NumbersAreFiniteAndInTheirRange) {
  for (const char* option : {"--timeout", "--max-seconds", "--products"})
    for (const char* number : {"nan", "-nan", "inf", "-inf", "1e400", "-1", "1e300", "", "1x", "0x10", "1 2"})
      expect_usage_error({"a.mtx", option, number}, {option, " to 1e+"});
  expect_usage_error({"analyze", "a.mtx", "--products", "nan"}, {"--products", "1 to 1e+15"});
  EXPECT_EQ(options_of({"a.mtx", "--timeout", "0"}).timeout, 0);
  EXPECT_EQ(options_of({"a.mtx", "--timeout", "+1.5e2"}).timeout, 150);
}

TEST(Options, NoneIsLostBeforeACommand) {
  expect_usage_error({"--json", "a.json", "analyze", "m.mtx"}, {"analyze", "--json", "after"});
  expect_usage_error({"--backend", "cuda", "doctor"}, {"doctor", "--backend", "after"});
  expect_usage_error({"--mode", "task", "analyze", "m.mtx"}, {"analyze has no --mode"});
  expect_usage_error({"--no-verify", "doctor"}, {"doctor has no --verify"});
  expect_usage_error({"m.mtx", "doctor"}, {"doctor has no matrix"});
  expect_usage_error({"m.mtx", "analyze"}, {"matrix", "after"});
  expect_usage_error({"analyze", "m.mtx", "doctor"}, {"doctor"});
  EXPECT_EQ(options_of<AnalyzeOptions>({"analyze", "m.mtx", "--json", "a.json"}).json_file, "a.json");
  expect_usage_error({"-o", "a.mtx", "stencil5:3,3"}, {"-o"});
  expect_usage_error({"--value", "float", "generate", "stencil5:3,3", "-o", "a.mtx"}, {"--value", "after"});
}

TEST(Options, FormatAutoAndWhatItGoesBy) {
  const MultiplyOptions options = options_of(
      {"a.mtx", "--format", "auto", "--nonlocal-format", "auto", "--products", "1e6", "--hint", "fem"});
  EXPECT_EQ(options.format, "auto");
  EXPECT_EQ(options.products, 1e6);
  EXPECT_EQ(options.hint, "fem");
  EXPECT_TRUE(options.fixed_options.empty());
  for (const std::string& hint : names(hints())) parse({"a.mtx", "--hint", hint});
  expect_usage_error({"a.mtx", "--hint", "soup"}, names(hints()));
  expect_usage_error({"a.mtx", "--products", "0"}, {"--products"});
}

TEST(Options, PartsOfTheFormatAreFixed) {
  const MultiplyOptions options = options_of(
      {"a.mtx", "--sigma", "64", "--chunk-rows", "8", "--threads-per-row", "4", "--threads-per-block", "128",
       "--unroll", "4", "--entry-block", "3", "--block-rows", "16", "--popular-first"});
  EXPECT_EQ(options.format_options.sigma, 64);
  EXPECT_EQ(options.format_options.chunk_rows, 8);
  EXPECT_EQ(options.format_options.threads_per_row, 4);
  EXPECT_EQ(options.format_options.threads_per_block, 128);
  EXPECT_EQ(options.format_options.unroll, 4);
  EXPECT_EQ(options.format_options.entry_block, 3);
  EXPECT_EQ(options.format_options.block_rows, 16);
  EXPECT_TRUE(options.format_options.popular_first);
  EXPECT_EQ(options.fixed_options.size(), option_fields().size());
  EXPECT_TRUE(options_of({"a.mtx", "--threads-per-row", "0", "--entry-block", "0", "--unroll", "0"})
                  .fixed_options.empty());
  const TuneRequest request = tune_request(options, 1e9);
  EXPECT_TRUE(same(request.options, options.format_options));
  EXPECT_EQ(request.fixed, options.fixed_options);
  expect_usage_error({"a.mtx", "--chunk-rows", "33"}, {"--chunk-rows", "33"});
  expect_usage_error({"a.mtx", "--threads-per-row", "3"}, {"--threads-per-row"});
  expect_usage_error({"a.mtx", "--threads-per-row", "64"}, {"--threads-per-row"});
  expect_usage_error({"a.mtx", "--threads-per-block", "96"}, {"--threads-per-block"});
  expect_usage_error({"a.mtx", "--unroll", "6"}, {"--unroll"});
  expect_usage_error({"a.mtx", "--entry-block", "1"}, {"--entry-block"});
  expect_usage_error({"a.mtx", "--entry-block", "7"}, {"--entry-block"});
  expect_usage_error({"a.mtx", "--sigma", "0"}, {"--sigma"});
}

TEST(Options, EveryFieldOfTheFormatsHasAnOption) {
  const std::string help = parse({"--help"}).text_instead;
  for (std::string name : names(option_fields())) {
    std::replace(name.begin(), name.end(), '_', '-');
    EXPECT_NE(help.find("--" + name), std::string::npos) << name;
  }
}

TEST(Options, TuneCache) {
  EXPECT_EQ(options_of({"a.mtx"}).tune_cache, default_tuning_cache());
  EXPECT_EQ(options_of({"a.mtx", "--tune-cache", "here.json"}).tune_cache, "here.json");
  EXPECT_EQ(options_of({"a.mtx", "--tune-cache", "off"}).tune_cache, "");
}

TEST(Options, RelativeFoldersOfTheEnvironmentAreIgnored) {
  const char* const names[] = {"XDG_CACHE_HOME", "HOME"};
  std::map<std::string, std::string> before;
  for (const char* name : names)
    if (const char* value = std::getenv(name)) before[name] = value;
  const auto with = [](const char* cache, const char* home) {
    setenv("XDG_CACHE_HOME", cache, 1);
    setenv("HOME", home, 1);
    return default_tuning_cache();
  };
  EXPECT_EQ(with("/c", "/h"), "/c/spmv_dist/tuning.json");
  for (const char* relative : {"", "c", "./c", "~/c"})
    EXPECT_EQ(with(relative, "/h"), "/h/.cache/spmv_dist/tuning.json") << relative;
  EXPECT_EQ(with("c", "h"), "");
  for (const char* name : names)
    before.contains(name) ? setenv(name, before[name].c_str(), 1) : unsetenv(name);
}

TEST(Options, WhatWasNotExpectedIsNamedInOrder) {
  expect_usage_error({"a.mtx", "b", "--c", "d"}, {"b --c d;"});
  expect_usage_error({"partition", "a.mtx", "b", "c"}, {"b c;"});
}

TEST(Options, TellWhatWasGiven) {
  using Given = std::map<std::string, std::string>;
  EXPECT_EQ(parse({"--mode=task", "a.mtx", "--no-verify"}).given,
            (Given{{"operand matrix", "a.mtx"}, {"option --mode", "task"}, {"option --verify", "false"}}));
  EXPECT_EQ(parse({"convert", "a.mtx", "b.spmv", "--partition", "metis", "--parts", "2,3"}).given,
            (Given{{"command", "convert"},
                   {"operand files", "a.mtx' 'b.spmv"},
                   {"option --partition", "metis"},
                   {"option --parts", "2' '3"}}));
  EXPECT_EQ(parse({"plan", "--help"}).given, (Given{{"command", "plan"}, {"option --help", "true"}}));
}

TEST(Options, Analyze) {
  const AnalyzeOptions options = options_of<AnalyzeOptions>(
      {"analyze", "a.mtx", "--products", "5", "--sigma", "64", "--json", "b.json"});
  EXPECT_EQ(options.matrix_file, "a.mtx");
  EXPECT_EQ(options.products, 5);
  EXPECT_EQ(options.fixed_options, OptionNames{"sigma"});
  EXPECT_EQ(options.json_file, "b.json");
  EXPECT_EQ(options_of<AnalyzeOptions>({"analyze", "--generate", "stencil7:3,3,3"}).generate,
            "stencil7:3,3,3");
  EXPECT_NE(parse({"analyze", "--help"}).text_instead.find("--products"), std::string::npos);
  expect_usage_error({"analyze"}, {"--generate"});
  expect_usage_error({"analyze", "a.mtx", "--mode", "task"}, {"--mode"});
  expect_usage_error({"analyze", "a.mtx", "--hint", "soup"}, names(hints()));
}

TEST(Options, SomeCommandsRunOnOneRank) {
  std::vector<std::string> on_one_rank;
  for (const CommandRow& row : commands())
    if (row.ranks == Ranks::one) on_one_rank.emplace_back(row.name);
  EXPECT_EQ(on_one_rank, (std::vector<std::string>{"analyze", "info", "model"}));
  EXPECT_EQ(parse({"plan", "m.mtx"}).row->name, std::string("plan"));
  EXPECT_EQ(parse({"m.mtx"}).row, &commands().front());
}

TEST(Options, GenerateTakesASpecificationAndAFile) {
  const GenerateOptions o =
      options_of<GenerateOptions>({"generate", "stencil5:3,3", "-o", "a.mtx", "--value", "float"});
  EXPECT_EQ(o.generate, "stencil5:3,3");
  EXPECT_EQ(o.output_file, "a.mtx");
  EXPECT_EQ(o.value, "float");
  EXPECT_NE(parse({"generate", "--help"}).text_instead.find("rmat:SCALE"), std::string::npos);
  expect_usage_error({"generate", "stencil5:3,3"}, {"--output"});
  expect_usage_error({"generate", "-o", "a.mtx"}, {"matrix"});
  expect_usage_error({"generate", "stencil5:3", "-o", "a.mtx"}, {"expected stencil5"});
  expect_usage_error({"generate", "stencil5:3,3", "-o", "a.mtx", "--mode", "task"}, {"--mode"});
}

TEST(Options, InfoTakesNumbersOfRanks) {
  const InfoOptions o =
      options_of<InfoOptions>({"info", "--ranks", "1,4,8", "a.mtx", "--format", "csr", "--no-verify"});
  EXPECT_EQ(o.rank_counts, (std::vector<int>{1, 4, 8}));
  EXPECT_EQ(o.matrix_file, "a.mtx");
  EXPECT_EQ(o.format, "csr");
  EXPECT_FALSE(o.verify);
  EXPECT_EQ(options_of<InfoOptions>({"info", "--generate", "stencil5:3,3"}).rank_counts, std::vector<int>{1});
  expect_usage_error({"info", "a.mtx", "--ranks", "0"}, {"--ranks"});
  expect_usage_error({"info", "a.mtx", "--ranks", "2,x"}, {"--ranks"});
  expect_usage_error({"info", "--ranks", "2"}, {"--generate"});
  expect_usage_error({"info", "a.mtx", "--format", "soup"}, {"soup"});
}

TEST(Options, ConvertStoresPartitionsThatAreWorthIt) {
  const ConvertOptions o =
      options_of<ConvertOptions>({"convert", "--parts", "2,64,2", "--partition", "metis_groups", "a.mtx",
                                  "b.spmv", "--parts", "1048576", "--seed", "-3"});
  EXPECT_EQ(o.stored_parts, (std::vector<int>{2, 64, 2, 1048576}));
  EXPECT_EQ(o.partition, "metis_groups");
  EXPECT_EQ(o.seed, -3);
  EXPECT_EQ(o.matrix_file, "a.mtx");
  EXPECT_EQ(o.output_file, "b.spmv");
  EXPECT_TRUE(options_of<ConvertOptions>({"convert", "a.mtx", "b.spmv"}).stored_parts.empty());
  const auto refuse = [](std::vector<std::string> more, const std::vector<std::string>& words) {
    more.insert(more.begin(), {"convert", "a.mtx"});
    expect_usage_error(more, words);
  };
  refuse({"b.spmv", "--parts", "2"}, {"auto", "metis"});
  refuse({"b.spmv", "--parts", "2", "--partition", "rows"}, {"rows", "metis"});
  refuse({"b.spmv", "--partition", "metis"}, {"--parts"});
  refuse({"b.spmv", "--seed", "2"}, {"--parts"});
  refuse({"b.spmv", "--partition", "metis", "--parts", "2,0"}, {"--parts"});
  refuse({"b.spmv", "--partition", "metis", "--parts", "1048577"}, {"--parts"});
  refuse({"b.petsc", "--partition", "metis", "--parts", "2"}, {"b.petsc"});
  refuse({"b.mtx", "--partition", "metis", "--parts", "2"}, {"b.mtx"});
}

TEST(Options, ExactlyOneMatrix) {
  expect_usage_error({"--mode", "task"}, {"--generate"});
  expect_usage_error({"a.mtx", "--generate", "stencil7:3,3,3"}, {"--generate"});
}

TEST(Options, SomeModesInTheOrderGiven) {
  EXPECT_EQ(options_of({"--mode", "vector", "a.mtx"}).matrix_file, "a.mtx");
  EXPECT_EQ(options_of({"a.mtx", "--mode", "task,vector"}).modes,
            (std::vector<std::string>{"task", "vector"}));
}

TEST(Options, VerificationCanBeLeftOut) {
  EXPECT_FALSE(options_of({"a.mtx", "--no-verify"}).verify);
}

TEST(Options, HelpAndListNameEverything) {
  const std::string list = parse({"--list"}).text_instead;
  const std::string help = parse({"--help"}).text_instead;
  for (const auto& table :
       {names(modes<double>()), names(formats<double>()), names(partitioners()), names(transports()),
        names(backends()), names(generators()), names(hints()), std::vector<std::string>{"auto"}})
    for (const std::string& name : table) {
      EXPECT_NE(list.find(name), std::string::npos) << name;
      EXPECT_NE(help.find(name), std::string::npos) << name;
    }
  for (const char* code :
       {"2 usage", "3 wrong result", "4 input", "5 unfit", "7 timeout", "8 memory", "9 unsolved"})
    EXPECT_NE(help.find(code), std::string::npos) << code;
  const std::string of_solve = parse({"solve", "--help"}).text_instead;
  EXPECT_NE(of_solve.find("Usage: spmv_dist solve"), std::string::npos) << of_solve;
  for (const auto& table : {names(solvers()), names(preconditioners())})
    for (const std::string& name : table) {
      EXPECT_NE(list.find("\n  " + name + " "), std::string::npos) << name;
      EXPECT_NE(of_solve.find(name), std::string::npos) << name;
    }
}

}  // namespace
}  // namespace spmv::test
