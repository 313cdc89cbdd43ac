// The batch systems that job scripts are written for. The table in sites.cpp has a row for each, and sites/ a file.
#pragma once

#include <string>
#include <vector>

namespace spmv {

/// What a script asks its batch system for: one allocation, as large as the largest run. All texts are of letters, digits and ._+:@,=/- and do not
/// begin with a dash: there is no quoting that every batch system reads alike.
struct JobRequest {
  std::string name, account, queue;  // account and queue may be empty
  int hours = 1, minutes = 0, seconds = 0;
  int nodes = 1;
  int ranks_per_node = 1;
  int cores_per_rank = 2;
  int gpus_per_node = 0;
};

/// Table row: a batch system by name.
struct Site {
  const char* name;
  const char* summary;
  /// The lines by which the script asks for its allocation. Pure.
  std::string (*directives)(const JobRequest& request);
  const char* folder;    // how the script comes to the folder that it was submitted in; empty: it is there
  const char* launcher;  // a name of run_launchers()
  bool binds = true;     // whether ranks have to be told their nodes and cores by words for mpirun
};

const std::vector<Site>& sites();

}  // namespace spmv
