// What the user asked for. The same on every rank.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "kernels/format.hpp"
#include "kernels/tune/tuner.hpp"

namespace spmv {

enum class Command { multiply, analyze, doctor, convert, generate, info, model, plan, partition, calibrate };

struct Options {
  Command command = Command::multiply;

  // input: exactly one of the two
  std::string matrix_file;
  std::string generate;
  std::string value = "auto";
  std::string cache;  // folder of binary copies and partitions; empty: none

  // product
  std::vector<std::string> modes = {"all"};
  bool all_modes = false;  // the user named none, or "all": one that cannot be is left out
  std::string format = "auto";
  std::string nonlocal_format;  // empty: as format
  FormatOptions format_options;
  OptionNames fixed_options;  // fields of format_options that were given
  double products = 1000;     // that format and partition auto choose for
  std::string hint;           // for format auto; empty: none
  std::string tune_cache;     // file of remembered choices; empty: none
  std::string partition = "auto";
  int seed = 1;
  std::string order = "none";                      // of each rank's rows
  std::vector<std::string> transports = {"auto"};  // several: measured in turn
  std::string backend = "auto";
  std::string vectors = "device";
  std::string layout = "auto";  // of modes that have several; auto: measured in each

  // of commands info and plan
  std::vector<int> rank_counts = {1};
  std::vector<int> stored_parts;        // of command convert: a partition for each of these numbers of ranks
  std::string machine = "h200-nvlink";  // also of command model: its memory is the GPU's
  double pcie_gbytes = 50;              // of command model: to the GPU and back, GB/s
  double gpu_cache_mbytes = 50;         // likewise: of the GPU

  // measurement
  int warmup = 5;
  int min_repetitions = 20;
  int max_repetitions = 1000;
  bool measure = false;  // of command partition: products over every partition
  bool verify = true;
  double max_seconds = 5;
  double timeout = 600;

  std::string read_x;  // file of x; empty: a function of the column

  // output
  std::string write_y;             // file of y; empty: none
  std::vector<std::string> files;  // of command convert, as they were named
  std::string output_file;         // of commands that write a matrix
  bool verbose = false;            // the whole report, in wide lines
  std::string json_file;
  std::string csv_file;
  std::string trace_file;
};

/// The format of the nonlocal part: as --format, unless it was named. Pure.
inline const std::string& nonlocal_format(const Options& options) {
  return options.nonlocal_format.empty() ? options.format : options.nonlocal_format;
}

/// What format auto goes by, and what is fixed for every format. `bandwidth` is the device's. Pure.
TuneRequest tune_request(const Options& options, double bandwidth);

/// Options, or a text to print on stdout before leaving with exit code 0 (--help, --version, --list).
struct ParsedOptions {
  Options options;
  std::string text_instead;
  std::map<std::string, std::string> given;  // what stood on the command line, by what messages call it
};

/// Checks every name against its table. Local and the same on every rank; throws Error(usage).
ParsedOptions parse_options(int argc, char** argv);

}  // namespace spmv
