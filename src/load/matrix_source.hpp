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

/// A file that is open, with what it says of itself.
struct OpenMatrix;

/// What is to be loaded. All ranks know it before any of them has a row. Cheap to copy.
struct MatrixSource {
  bool generated = false;
  std::string name;         // file name or generator specification
  std::string description;  // for people
  Shape shape;
  bool complex = false;                     // the values are complex numbers
  bool pattern = false;                     // no values: every entry is 1
  std::string value;                        // the value type that holds the values, by name
  double entries = 0;                       // of a file at most, by its header, with mirror images
  double megabytes = 0;                     // of the file; 0 for a generator
  std::vector<StoredPartition> partitions;  // that are stored with it
  std::shared_ptr<const OpenMatrix> file;   // this rank's; nullptr for a generator
};

/// Whom load_rows() tells how far it is, on every rank. Functions may be empty.
struct LoadProgress {
  StageListener stage;
  std::function<void(const std::string& sentence)> warn;  // of a file that is not taken as it is
};

}  // namespace spmv
