// The file that a scaling study keeps its points in: one JSON object a line.
#pragma once

#include <string>
#include <vector>

#include "app/report/report_json.hpp"
#include "app/scale/point.hpp"

namespace spmv {

/// A file of points that this process alone writes while the object lives. A study that was killed may have left a torn last line: it is cut off.
class PointsFile {
 public:
  /// Opens or makes the file, and reads it. Throws Error(environment) where that cannot be done or another study has it open, Error(input) that
  /// names file and line for a line that is no point. Local.
  explicit PointsFile(std::string path);
  ~PointsFile();
  PointsFile(const PointsFile&) = delete;
  PointsFile& operator=(const PointsFile&) = delete;

  bool has(const Point& point) const;
  /// All lines, in the order of the file.
  const std::vector<Json>& lines() const { return lines_; }
  /// Whether there was a torn line.
  bool was_torn() const { return torn_; }
  const std::string& path() const { return path_; }

  /// Adds lines behind the others, all of them with one write, and brings them to the disk. Throws Error(environment). Local.
  void append(const std::vector<Json>& lines);

 private:
  void read();

  std::string path_;
  int file_;
  bool torn_ = false;
  std::vector<Json> lines_;
  std::vector<Point> points_;  // of the lines
};

}  // namespace spmv
