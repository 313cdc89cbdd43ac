// A matrix that can be loaded, before it is.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/csr.hpp"
#include "io/binary/binary_header.hpp"
#include "load/stage.hpp"

namespace spmv {

/// An open file and its header.
struct OpenMatrix;

/// A file or a generator, with what is known before any row is loaded. Cheap to copy.
struct MatrixSource {
  bool generated = false;
  std::string name;         // file name or generator specification
  std::string description;  // for people
  Shape shape;
  bool complex = false;                     // the values are complex numbers
  bool pattern = false;                     // the file has no values: every entry is 1
  std::string value;                        // the value type that holds the values, by name
  double entries = 0;                       // of a file, mirror images included; at most, by its header
  double megabytes = 0;                     // of the file; 0 for a generator
  std::vector<StoredPartition> partitions;  // stored in the file
  std::shared_ptr<const OpenMatrix> file;   // this rank's; nullptr for a generator
};

/// Called while something is loaded, on every rank unless it says otherwise. Functions may be empty.
struct LoadProgress {
  StageListener stage;
  std::function<void(const std::string& sentence)>
      warn;  // what of a file is changed or not used; on rank 0 at least
  std::function<void(const std::string& sentence)> note;  // where the rows come from
};

}  // namespace spmv
