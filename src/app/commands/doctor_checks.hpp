// The checks of the doctor: facts of the ranks in, findings out. Pure.
#pragma once

#include <string>
#include <vector>

#include "app/launch/launcher.hpp"
#include "comm/choose/choose_transport.hpp"
#include "comm/communicator.hpp"
#include "comm/place/sharing.hpp"

namespace spmv {

/// note: worth knowing, nothing to fix. warning: the program works, slower than it could.
enum class Verdict { ok, note, warning, problem };

struct Finding {
  Verdict verdict = Verdict::ok;
  std::string subject;
  std::string text;
  std::string fix;  // empty where there is nothing to fix
};

/// What one rank found out about itself.
struct RankFacts {
  RankPlace place;
  int machine_cores = 1;                 // of the machine, whoever may use them
  int cores = 1;                         // that this rank may use
  int sharing = 1;                       // ranks, this one included, that may use some of them
  bool far = false;                      // none of its cores is near its GPU
  std::string device;                    // device_id() of what it computes on; empty: no GPU
  std::vector<std::string> visible;      // device_id() of every GPU that it sees
  std::vector<std::string> unreachable;  // why its GPU does not reach that of another rank of the node
};

std::string verdict_name(Verdict verdict);
/// One line "ok       binding      text", and another with the fix, if there is one.
std::string to_text(const Finding& finding);

Finding check_launcher(const Launcher& launcher, int ranks, const std::string& why_singleton);
Finding check_threads(ThreadLevel level, const std::string& library);
Finding check_nodes(const std::vector<RankFacts>& ranks);
/// `by_mpi`: of every rank, Communicator::ranks_of_node_by_mpi(). No finding where MPI knows which ranks share a node.
std::vector<Finding> check_nodes_of_mpi(const std::vector<RankFacts>& ranks,
                                        const std::vector<std::vector<int>>& by_mpi);
/// One for every machine on which ranks of different hosts may use the same core.
std::vector<Finding> check_shared_cores(const std::vector<RankFacts>& ranks);
std::vector<Finding> check_binding(const std::vector<RankFacts>& ranks, const Launcher& launcher);
/// No findings where no rank sees a GPU and none was to be used.
std::vector<Finding> check_gpus(const std::vector<RankFacts>& ranks, const std::string& why_no_gpu);
/// `fits`: the file has a calibration for every rank's device. `of_others`: it has one for other devices.
Finding check_calibration(bool fits, bool of_others, const std::string& file);
std::vector<Finding> check_transports(const std::vector<TransportReport>& reports);

}  // namespace spmv
