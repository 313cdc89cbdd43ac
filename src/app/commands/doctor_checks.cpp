#include "app/commands/doctor_checks.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/report/sharing_words.hpp"
#include "comm/place/cores.hpp"

namespace spmv {
namespace {

/// "rank 3", "ranks 1, 2 and 5", and no more than a few of many.
std::string name_ranks(const std::vector<int>& ranks) {
  constexpr std::size_t most = 8;
  if (ranks.size() == 1) return fmt::format("rank {}", ranks[0]);
  if (ranks.size() > most)
    return fmt::format("ranks {} and {} more", fmt::join(ranks.begin(), ranks.begin() + most, ", "),
                       ranks.size() - most);
  return fmt::format("ranks {} and {}", fmt::join(ranks.begin(), ranks.end() - 1, ", "), ranks.back());
}

/// Ranks for which a question is answered with yes.
template <class Question>
std::vector<int> those(const std::vector<RankFacts>& ranks, const Question& question) {
  std::vector<int> found;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    if (question(ranks[rank])) found.push_back(static_cast<int>(rank));
  return found;
}

std::string plural(std::size_t count, const char* word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

std::vector<RankPlace> places_of(const std::vector<RankFacts>& ranks) {
  std::vector<RankPlace> places;
  places.reserve(ranks.size());
  for (const RankFacts& rank : ranks) places.push_back(rank.place);
  return places;
}

/// Whether some rank of this one's machine sees a GPU that no rank there uses.
bool leaves_gpus_idle(const std::vector<RankFacts>& ranks, const RankFacts& user) {
  std::set<std::string> seen, used;
  for (const RankFacts& rank : ranks) {
    if (!same_machine(rank.place, user.place)) continue;
    seen.insert(rank.visible.begin(), rank.visible.end());
    used.insert(rank.device);
  }
  return !std::includes(used.begin(), used.end(), seen.begin(), seen.end());
}

/// Of one GPU, which these ranks use.
Finding check_gpu(const std::vector<RankFacts>& ranks, const std::vector<int>& users) {
  const RankFacts& first = ranks[static_cast<std::size_t>(users.front())];
  std::vector<RankPlace> places;
  places.reserve(users.size());
  for (const int rank : users) places.push_back(ranks[static_cast<std::size_t>(rank)].place);
  const std::vector<SharedGpu> shared = shared_gpus(places);
  const std::string sees =
      fmt::format("; {} sees {}", name_ranks({users.front()}), plural(first.visible.size(), "GPU"));
  const std::string subject = "GPU " + first.device;
  if (shared.empty())
    return {Verdict::ok, subject, fmt::format("on {}: {} alone{}", first.place.host, name_ranks(users), sees),
            ""};
  const bool idle = leaves_gpus_idle(ranks, first), mps = shared.front().mps;
  return {idle || !mps ? Verdict::warning : Verdict::note, subject,
          fmt::format("on {}: shared by {}, by {}{}", fmt::join(shared.front().hosts, ", "),
                      name_ranks(users), way_of_sharing(mps), sees),
          idle  ? "other GPUs of the node are idle: let the launcher show every rank all "
                  "GPUs, or each its own, such as srun --gpus-per-task=1"
          : mps ? ""
                : "one rank for each GPU, or MPS (nvidia-cuda-mps-control -d)"};
}

}  // namespace

std::string verdict_name(Verdict verdict) {
  constexpr std::array names = {"ok", "note", "warning", "problem"};
  return names[static_cast<std::size_t>(verdict)];
}

std::string to_text(const Finding& finding) {
  std::string text =
      fmt::format("{:<8} {:<12} {}\n", verdict_name(finding.verdict), finding.subject, finding.text);
  if (!finding.fix.empty()) text += fmt::format("{:<21} fix: {}\n", "", finding.fix);
  return text;
}

Finding check_launcher(const Launcher& launcher, int ranks, const std::string& why_singleton) {
  if (!why_singleton.empty()) {
    const auto colon = why_singleton.find(": ");
    return {Verdict::problem, "launcher", why_singleton.substr(0, colon), why_singleton.substr(colon + 2)};
  }
  return {Verdict::ok, "launcher",
          fmt::format("{}, {} in MPI", launcher.name, plural(std::size_t(ranks), "rank")), ""};
}

Finding check_threads(ThreadLevel level, const std::string& library) {
  if (level == ThreadLevel::multiple)
    return {Verdict::ok, "MPI", fmt::format("{}, MPI_THREAD_MULTIPLE", library), ""};
  if (level == ThreadLevel::serialized)
    return {
        Verdict::warning, "MPI",
        fmt::format("{}, MPI_THREAD_SERIALIZED only: a transport that hangs when it is tried cannot be left",
                    library),
        "an MPI built with thread support, or --transport with a name"};
  return {
      Verdict::problem, "MPI",
      fmt::format("{} provides neither MPI_THREAD_MULTIPLE nor MPI_THREAD_SERIALIZED: no task mode", library),
      "an MPI built with thread support, or --mode vector,naive"};
}

Finding check_nodes(const std::vector<RankFacts>& ranks) {
  struct Node {
    std::string host;
    std::size_t ranks = 0;
  };
  std::map<std::string, Node> nodes;
  for (const RankFacts& rank : ranks) {
    Node& node = nodes[node_of(rank.place)];
    node = {rank.place.host, node.ranks + 1};
  }
  const auto [least, most] =
      std::minmax_element(nodes.begin(), nodes.end(),
                          [](const auto& a, const auto& b) { return a.second.ranks < b.second.ranks; });
  const Node &emptiest = least->second, &fullest = most->second;
  const std::string in_all = plural(nodes.size(), "node");
  if (emptiest.ranks == fullest.ranks)
    return {Verdict::ok, "nodes", fmt::format("{}, {} on each", in_all, plural(fullest.ranks, "rank")), ""};
  return {Verdict::warning, "nodes",
          fmt::format("{}, {} ranks on {} and {} on {}: the fullest node sets the pace", in_all,
                      fullest.ranks, fullest.host, emptiest.ranks, emptiest.host),
          "as many ranks on every node, such as --map-by ppr:N:node or --ntasks-per-node=N"};
}

std::vector<Finding> check_nodes_of_mpi(const std::vector<RankFacts>& ranks,
                                        const std::vector<std::vector<int>>& by_mpi) {
  std::vector<int> mistaken;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    if (by_mpi[rank] != those(ranks, [&](const RankFacts& other) {
          return node_of(other.place) == node_of(ranks[rank].place);
        }))
      mistaken.push_back(static_cast<int>(rank));
  if (mistaken.empty()) return {};
  const auto first = static_cast<std::size_t>(mistaken.front());
  return {
      {Verdict::warning, "nodes of MPI",
       fmt::format(
           "MPI does not know which ranks share the node of {}: on {}, it takes {} for those of {}. spmv_dist does "
           "not rely on it, but MPI's own messages may take the slower way",
           name_ranks(mistaken), ranks[first].place.host, name_ranks(by_mpi[first]),
           name_ranks({mistaken.front()})),
       "a name of its own for every host; Open MPI 4 needs its own PMIx, or one not newer than 4.2.2"}};
}

std::vector<Finding> check_binding(const std::vector<RankFacts>& ranks, const Launcher& launcher) {
  const auto per_rank = [](const RankFacts& r) { return r.cores / std::max(1, r.sharing); };
  const auto on_machine = [&](const RankFacts& r) {
    return std::count_if(ranks.begin(), ranks.end(),
                         [&](const RankFacts& o) { return same_machine(o.place, r.place); });
  };
  const std::vector<int> crowded =
      those(ranks, [&](const RankFacts& r) { return on_machine(r) > r.machine_cores; });
  const std::vector<int> stacked = those(ranks, [&](const RankFacts& r) {
    return r.sharing > 1 && r.cores < r.sharing && on_machine(r) <= r.machine_cores;
  });
  const std::vector<int> narrow = those(ranks, [&](const RankFacts& r) {
    return per_rank(r) == 1 && r.cores >= r.sharing && 2 * on_machine(r) <= r.machine_cores;
  });
  const std::vector<int> full = those(ranks, [&](const RankFacts& r) {
    return per_rank(r) <= 1 && on_machine(r) <= r.machine_cores && 2 * on_machine(r) > r.machine_cores;
  });
  std::vector<Finding> findings;
  const auto first = [&](const std::vector<int>& list) { return ranks[static_cast<std::size_t>(list[0])]; };
  if (!crowded.empty())
    findings.push_back(
        {Verdict::warning, "binding",
         fmt::format("{} share {}'s {}: they wait for each other", name_ranks(crowded),
                     first(crowded).place.host, plural(std::size_t(first(crowded).machine_cores), "core")),
         "fewer ranks on a node"});
  if (!stacked.empty())
    findings.push_back(
        {Verdict::warning, "binding",
         fmt::format("{} may use the same {} only, of {} on the node", name_ranks(stacked),
                     plural(std::size_t(first(stacked).cores), "core"), first(stacked).machine_cores),
         fmt::format("{}, or {}", launcher.several_cores, launcher.no_binding)});
  if (!narrow.empty())
    findings.push_back(
        {Verdict::warning, "binding",
         fmt::format("one core for each of {}, of {} on the node: task mode's communication thread shares it "
                     "with the computation",
                     name_ranks(narrow), first(narrow).machine_cores),
         fmt::format("{}, or {}", launcher.no_binding, launcher.several_cores)});
  if (!full.empty() && stacked.empty())
    findings.push_back({Verdict::warning, "binding",
                        fmt::format("one core for each of {}, and the node has no more: task mode's "
                                    "communication thread shares it with the computation",
                                    name_ranks(full)),
                        "fewer ranks on a node, so that each has two cores, or --mode vector,naive"});
  const std::vector<int> far = those(ranks, [](const RankFacts& r) { return r.far; });
  if (!far.empty())
    findings.push_back(
        {Verdict::warning, "binding",
         fmt::format("no core near its GPU: {}; what they send crosses from one processor to another",
                     name_ranks(far)),
         launcher.no_binding});
  if (!findings.empty()) return findings;
  const auto [least, most] = std::minmax_element(
      ranks.begin(), ranks.end(), [&](const auto& a, const auto& b) { return per_rank(a) < per_rank(b); });
  const bool shared =
      std::any_of(ranks.begin(), ranks.end(), [](const RankFacts& r) { return r.sharing > 1; });
  const std::string cores = per_rank(*least) == per_rank(*most)
                                ? plural(std::size_t(per_rank(*least)), "core")
                                : fmt::format("{} to {} cores", per_rank(*least), per_rank(*most));
  return {{Verdict::ok, "binding",
           fmt::format("{} for every rank{}", cores, shared ? ", of cores that they share" : ", its own"),
           ""}};
}

std::vector<Finding> check_shared_cores(const std::vector<RankFacts>& ranks) {
  std::vector<Finding> findings;
  for (const SharedCores& shared : cores_of_several_hosts(places_of(ranks)))
    findings.push_back({Verdict::warning, "binding",
                        fmt::format("hosts {} are one machine, and may use the same cores {}",
                                    fmt::join(shared.hosts, ", "), core_ranges(shared.cores)),
                        "cores of its own for each host, such as taskset or docker run --cpuset-cpus"});
  return findings;
}

std::vector<Finding> check_gpus(const std::vector<RankFacts>& ranks, const std::string& why_no_gpu) {
  const auto sees = those(ranks, [](const RankFacts& r) { return !r.visible.empty(); });
  const auto uses = those(ranks, [](const RankFacts& r) { return !r.device.empty(); });
  if (sees.empty() && uses.empty()) return {{Verdict::note, "GPUs", why_no_gpu, ""}};
  std::vector<Finding> findings;
  if (sees.size() < ranks.size())
    findings.push_back(
        {Verdict::problem, "GPUs",
         fmt::format("no GPU for {}, while others see some: {}",
                     name_ranks(those(ranks, [](const RankFacts& r) { return r.visible.empty(); })),
                     why_no_gpu),
         "the launcher's GPU options, such as --gpus-per-node, and CUDA_VISIBLE_DEVICES"});
  else if (uses.empty())
    findings.push_back({Verdict::warning, "GPUs", "every rank sees a GPU, none uses it", "--backend cuda"});
  const std::vector<std::vector<int>> users_by_gpu = ranks_by_gpu(places_of(ranks));
  for (const std::vector<int>& users : users_by_gpu) findings.push_back(check_gpu(ranks, users));
  std::map<std::string, std::vector<int>> unreachable;
  for (const int rank : uses)
    for (const std::string& reason : ranks[static_cast<std::size_t>(rank)].unreachable)
      unreachable[reason].push_back(rank);
  for (const auto& [reason, list] : unreachable)
    findings.push_back({Verdict::note, "peer access",
                        fmt::format("{}: {}; their halo goes through host memory", name_ranks(list), reason),
                        ""});
  if (users_by_gpu.size() > 1 && unreachable.empty())
    findings.push_back({Verdict::ok, "peer access", "between all GPUs in use on a node", ""});
  return findings;
}

Finding check_calibration(bool fits, bool of_others, const std::string& file) {
  const std::string fix = "spmv_dist calibrate, started as runs will be, measures it in some seconds";
  if (fits) return {Verdict::ok, "calibration", "kept for this machine in " + file, ""};
  if (of_others)
    return {Verdict::note, "calibration",
            fmt::format("that in {} is of another processor, GPU, driver, number of threads or build: format "
                        "auto predicts by built-in paces",
                        file),
            fix};
  return {Verdict::note, "calibration", "none is kept: format auto predicts by built-in paces", fix};
}

std::vector<Finding> check_transports(const std::vector<TransportReport>& reports) {
  std::vector<Finding> findings;
  for (const TransportReport& report : reports) {
    const Verdict verdict = report.works() ? Verdict::ok : (report.tried ? Verdict::warning : Verdict::note);
    findings.push_back(
        {verdict, report.name,
         report.works()
             ? fmt::format("8 B in {:.1f} us, 1 MiB to every neighbour in {:.1f} us{}",
                           report.latency_s * 1e6, report.exchange_s * 1e6,
                           report.bandwidth > 0 ? fmt::format(", {:.1f} GB/s", report.bandwidth * 1e-9) : "")
             : "refused: " + report.refused,
         verdict == Verdict::warning ? "--transport auto leaves it out, or name another one" : ""});
  }
  if (!reports.empty() && std::none_of(reports.begin(), reports.end(),
                                       [](const TransportReport& report) { return report.works(); }))
    findings.push_back({Verdict::problem, "transports", "none works", "see the reasons above"});
  return findings;
}

}  // namespace spmv
