#include "app/options.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "comm/halo_exchange.hpp"
#include "core/backend.hpp"
#include "core/error.hpp"
#include "dist/modes.hpp"
#include "dist/partitioner.hpp"
#include "io/generate/generator.hpp"
#include "kernels/local_operator.hpp"
#include "matrix_market_support.hpp"

namespace spmv::test {
namespace {

ParsedOptions parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "spmv_dist");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  return parse_options(static_cast<int>(argv.size()), argv.data());
}

template <class Row>
std::vector<std::string> names(const std::vector<Row>& table) {
  std::vector<std::string> list;
  for (const Row& row : table) list.emplace_back(row.name);
  return list;
}

/// Fails unless the arguments are refused with a message that holds every one of `words`.
void expect_usage_error(const std::vector<std::string>& arguments, const std::vector<std::string>& words) {
  const Error error = error_of([&] { parse(arguments); });
  EXPECT_EQ(error.code(), ExitCode::usage) << arguments.back();
  for (const std::string& word : words)
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << word << " in: " << error.what();
}

TEST(Options, Defaults) {
  const Options options = parse({"a.mtx"}).options;
  EXPECT_EQ(options.matrix_file, "a.mtx");
  EXPECT_EQ(options.modes, names(modes<double>()));
  EXPECT_TRUE(options.verify);
  EXPECT_EQ(options.partition, "metis");
  EXPECT_EQ(options.format, "pjds");
  EXPECT_EQ(options.vectors, "device");
}

TEST(Options, EveryNameOfEveryTableIsAccepted) {
  for (const std::string& name : names(modes<double>())) parse({"a.mtx", "--mode", name});
  for (const std::string& name : names(formats<double>())) parse({"a.mtx", "--format", name});
  for (const std::string& name : names(formats<double>())) parse({"a.mtx", "--nonlocal-format", name});
  for (const std::string& name : names(partitioners())) parse({"a.mtx", "--partition", name});
  for (const std::string& name : names(transports())) parse({"a.mtx", "--transport", name});
  for (const std::string& name : names(backends())) parse({"a.mtx", "--backend", name});
}

TEST(Options, UnknownNamesNameTheKnownOnes) {
  expect_usage_error({"a.mtx", "--mode", "fast"}, names(modes<double>()));
  expect_usage_error({"a.mtx", "--mode", "vector,fast"}, {"'fast'"});
  expect_usage_error({"a.mtx", "--format", "crs"}, names(formats<double>()));
  expect_usage_error({"a.mtx", "--nonlocal-format", "crs"}, names(formats<double>()));
  expect_usage_error({"a.mtx", "--partition", "best"}, names(partitioners()));
  expect_usage_error({"a.mtx", "--transport", "pigeon"}, names(transports()));
  expect_usage_error({"a.mtx", "--backend", "gpu"}, names(backends()));
  expect_usage_error({"a.mtx", "--value", "half"}, {"'half'", "float", "double", "complex_float"});
  expect_usage_error({"a.mtx", "--vectors", "moon"}, {"'moon'", "device", "host"});
  expect_usage_error({"--generate", "stencil9:3,3,3"}, names(generators()));
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

TEST(Options, ExactlyOneMatrix) {
  expect_usage_error({"--mode", "task"}, {"--generate"});
  expect_usage_error({"a.mtx", "--generate", "stencil7:3,3,3"}, {"--generate"});
}

TEST(Options, SomeModesInTheOrderGiven) {
  EXPECT_EQ(parse({"--mode", "vector", "a.mtx"}).options.matrix_file, "a.mtx");
  EXPECT_EQ(parse({"a.mtx", "--mode", "task,vector"}).options.modes,
            (std::vector<std::string>{"task", "vector"}));
}

TEST(Options, VerificationCanBeLeftOut) {
  EXPECT_FALSE(parse({"a.mtx", "--no-verify"}).options.verify);
}

TEST(Options, HelpAndListNameEverything) {
  const std::string list = parse({"--list"}).text_instead;
  const std::string help = parse({"--help"}).text_instead;
  for (const auto& table : {names(modes<double>()), names(formats<double>()), names(partitioners()),
                            names(transports()), names(backends()), names(generators())})
    for (const std::string& name : table) {
      EXPECT_NE(list.find(name), std::string::npos) << name;
      EXPECT_NE(help.find(name), std::string::npos) << name;
    }
  for (const char* code : {"2 usage", "3 wrong result", "4 input", "5 unfit", "7 timeout", "8 memory"})
    EXPECT_NE(help.find(code), std::string::npos) << code;
}

}  // namespace
}  // namespace spmv::test
