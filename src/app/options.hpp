// What the user asked for. The same on every rank.
#pragma once

#include <string>
#include <vector>

#include "core/types.hpp"

namespace spmv {

struct Options {
  // input: exactly one of the two
  std::string matrix_file;
  std::string generate;
  std::string value = "auto";

  // product
  std::vector<std::string> modes = {"all"};
  std::string format = "pjds";
  std::string nonlocal_format;  // empty: as format
  lidx block_rows = 32;
  std::string partition = "metis";
  int seed = 1;
  std::string transport = "staged";
  std::string backend = "auto";
  std::string vectors = "device";

  // measurement
  int warmup = 5;
  int min_repetitions = 20;
  int max_repetitions = 1000;
  double max_seconds = 5;
  bool verify = true;
  double timeout = 600;

  // output
  std::string json_file;
  std::string csv_file;
  std::string trace_file;
};

/// Options, or a text to print on stdout before leaving with exit code 0 (--help, --version, --list).
struct ParsedOptions {
  Options options;
  std::string text_instead;
};

/// Checks every name against its table. Local and the same on every rank; throws Error(usage).
ParsedOptions parse_options(int argc, char** argv);

}  // namespace spmv
