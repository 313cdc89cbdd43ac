// What reports of all commands that multiply begin with, as plain data: what ran where, on which matrix, and how its rows were
// distributed. Complete on rank 0. Times are in seconds, sizes in bytes.
#pragma once

#include <string>
#include <vector>

#include "app/launch/stage_log.hpp"
#include "app/report/report_parts.hpp"
#include "comm/place/sharing.hpp"
#include "core/csr.hpp"
#include "dist/order/choose_order.hpp"
#include "dist/partitioner.hpp"

namespace spmv {

struct PartitionStats {
  gidx nonzeros = 0;
  gidx largest_nonzeros = 0;   // of one rank
  double nonzero_balance = 1;  // largest over average
  gidx edge_cut = 0;           // nonzeros whose column another rank owns
  gidx halo_total = 0;         // elements of x received, all ranks together
  gidx halo_largest = 0;       // of one rank
  gidx most_neighbours = 0;
  double average_neighbours = 0;
};

/// What a run ran in and on, in fields of their own.
struct Environment {
  struct Gpu {
    std::string name;
    double clock_mhz;  // the highest
    std::string host;
    std::string id;  // PCI address
    std::string uuid;

    bool operator==(const Gpu& other) const { return uuid == other.uuid; }
  };
  std::string commit;
  std::string compiler;
  std::string cuda;    // toolkit of the build
  std::string driver;  // NVIDIA's, on rank 0's node; empty: none
  std::string mpi;     // library
  std::string launcher;
  std::vector<std::string> hosts;    // by rank
  std::vector<std::string> binding;  // by rank: the cores that it may use, such as 0-3,8
  std::vector<Gpu> gpus;             // each once, in the order of the ranks
  std::vector<SharedGpu> shared_gpus;
  std::vector<SharedCores> shared_cores;
};

struct RunHead {
  std::string incomplete;  // why the run ended before it was through; empty: it has everything
  std::string command_line;
  std::string matrix;
  std::string description;
  Shape shape;
  std::string value;
  int ranks = 1;
  int nodes = 1;
  std::string partitioner;           // as named, or as partition auto has chosen
  PartitionChoice partition_choice;  // of partition auto, or from where a partition was read
  std::string partition_asked;       // as named
  int seed = 0;
  std::string backend;
  bool on_host = true;  // whether the backend computes on the host
  std::string vectors;
  int columns = 1;                  // of the multivectors x and y
  std::vector<std::string> places;  // host, device and cores, per rank; on rank 0
  std::string versions;
  Environment environment;
  std::string date;
  double load_s = 0;
  double reference_s = 0;  // 0 without verification
  double partition_s = 0;
  double load_megabytes = 0;
  double peak_host_bytes = 0;       // of one rank
  std::vector<StageRecord> stages;  // of rank 0
  PartitionStats partition;
  OrderDecision order;
};

/// 0 for a matrix without rows. Pure.
double nonzeros_per_row(const RunHead& head);

/// The head in 80 columns, a paragraph each for matrix, ranks, what ranks share, and partition. Pure.
std::string head_lines(const RunHead& head);
/// A paragraph of a head, after its key word. Pure.
std::string paragraph(const char* key, const std::string& text);

}  // namespace spmv
