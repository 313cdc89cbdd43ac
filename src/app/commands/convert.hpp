// spmv_dist convert: a matrix becomes a .spmv file, or one for PETSc.
#pragma once

#include <string>
#include <vector>

#include "app/options/option_groups.hpp"

namespace spmv {

struct ConvertOptions : MatrixOptions, PartitionOptions {
  std::vector<std::string>
      operands;  // as they were named: the file to read, unless --generate is given, and the one to write
  std::string output_file;
  std::vector<int> stored_parts;  // a partition for each of these numbers of ranks
  double timeout = default_timeout;

  void declare(CLI::App& app);
  void check();
  NamedFiles files() const;
};

}  // namespace spmv
