#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <mpi.h>
#include <ptscotch.h>

#include "core/decimal_point.hpp"
#include "dist/partition/assign.hpp"
#include "dist/partition/local_graph.hpp"

namespace spmv {
namespace {

/// Scotch's first message since this was last emptied: the cause; later ones follow from it. Thread-local, because Scotch's
/// error functions do not know their caller and must not throw.
std::array<char, 512>& first_words() {
  thread_local std::array<char, 512> text{};
  return text;
}

void keep_words(const char* format, std::va_list arguments) {
  if (first_words()[0] == '\0') std::vsnprintf(first_words().data(), first_words().size(), format, arguments);
}

}  // namespace
}  // namespace spmv

// Scotch asks the program that it is linked into what to do with its messages: without these it prints them.
extern "C" {
[[gnu::visibility("default")]] void SCOTCH_errorProg(const char* const) {}
[[gnu::visibility("default")]] void SCOTCH_errorPrint(const char* const format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  spmv::keep_words(format, arguments);
  va_end(arguments);
}
[[gnu::visibility("default")]] void SCOTCH_errorPrintW(const char* const format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  spmv::keep_words(format, arguments);
  va_end(arguments);
}
}

namespace spmv {

const char* const scotch_missing = nullptr;

namespace {

constexpr gidx num_limit = std::numeric_limits<SCOTCH_Num>::max();

/// How much heavier than the mean a part may be. With 0.002, which is enough for METIS, a grid in four parts had 40 %
/// more edges cut.
constexpr double imbalance = 0.01;

/// Throws Error if a call of Scotch's failed, with what Scotch says. Local.
void check(int status, const char* call) {
  const std::string words = first_words().data();
  first_words()[0] = '\0';
  if (status == 0) return;
  const bool memory = words.find("out of memory") != std::string::npos;
  throw Error(
      memory ? ExitCode::memory : ExitCode::internal,
      fmt::format("--partition scotch: {} failed: {}{}", call, words.empty() ? "no reason given" : words,
                  memory ? "; use more ranks, or --partition nonzeros" : ""));
}

/// One of Scotch's objects, from `begin` to `end`. Local.
template <class Object, int (*begin)(Object*), void (*end)(Object*)>
class Owned {
 public:
  explicit Owned(const char* call) { check(begin(&object_), call); }
  ~Owned() { end(&object_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Object* get() { return &object_; }

 private:
  Object object_{};
};
using Context = Owned<SCOTCH_Context, SCOTCH_contextInit, SCOTCH_contextExit>;
using Strategy = Owned<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;

/// Scotch's graph, which refers to the arrays that it is made of.
class ScotchGraph {
 public:
  explicit ScotchGraph(const Communicator& communicator) {
    check(SCOTCH_dgraphInit(&graph_, *static_cast<const MPI_Comm*>(communicator.handle())),
          "SCOTCH_dgraphInit");
  }
  ~ScotchGraph() { SCOTCH_dgraphExit(&graph_); }
  ScotchGraph(const ScotchGraph&) = delete;
  ScotchGraph& operator=(const ScotchGraph&) = delete;
  SCOTCH_Dgraph* get() { return &graph_; }

 private:
  SCOTCH_Dgraph graph_{};
};

/// In Scotch's width, whose limit the caller has checked. Never without memory: Scotch takes a null pointer for an
/// array that is not given, on all ranks or on none.
std::vector<SCOTCH_Num> as_numbers(std::vector<gidx> values) {
  values.reserve(values.size() + 1);
  if constexpr (std::is_same_v<SCOTCH_Num, gidx>) {
    return values;
  } else {
    std::vector<SCOTCH_Num> numbers;
    numbers.reserve(values.size() + 1);
    numbers.assign(values.begin(), values.end());
    return numbers;
  }
}

/// Throws where the graph, or the library that is loaded, does not go with the numbers of this build. Collective.
void check_width(gidx vertices, gidx edge_ends, gidx weight) {
  if (static_cast<std::size_t>(SCOTCH_numSizeof()) != sizeof(SCOTCH_Num))
    throw AgreedError(
        ExitCode::environment,
        fmt::format("--partition scotch: built for {}-bit numbers of Scotch's, and the library that is "
                    "loaded has {}-bit ones: fix LD_LIBRARY_PATH, or use another partitioner",
                    8 * sizeof(SCOTCH_Num), 8 * SCOTCH_numSizeof()));
  if (std::max({vertices, edge_ends, weight}) > num_limit)
    throw AgreedError(
        ExitCode::environment,
        fmt::format("--partition scotch: a graph of {} vertices, {} edge ends and weight {} does not fit "
                    "Scotch's {}-bit numbers; use --partition nonzeros, or build against a Scotch with "
                    "64-bit ones",
                    vertices, edge_ends, weight, 8 * sizeof(SCOTCH_Num)));
}

/// The part of each of this rank's vertices. Collective; throws AgreedError.
std::vector<SCOTCH_Num> part_graph(const Communicator& communicator, Graph<SCOTCH_Num>& mine,
                                   const PartitionRequest& request) {
  const int parts = parts_of(communicator, request);
  const Communicator own = communicator.duplicate();  // keeps Scotch's messages apart from others
  const auto vertices = static_cast<SCOTCH_Num>(mine.weight.size());
  std::vector<SCOTCH_Num> part = as_numbers(std::vector<gidx>(mine.weight.size(), 0));

  const DecimalPoint plain;  // Scotch makes a text of its strategy, numbers included, and reads it again
  // A context of its own: the random numbers and threads of others' contexts stay theirs.
  auto context = communicator.together([] { return std::make_unique<Context>("SCOTCH_contextInit"); });
  auto strategy = communicator.together([] { return std::make_unique<Strategy>("SCOTCH_stratInit"); });
  auto graph = communicator.together([&] { return std::make_unique<ScotchGraph>(own); });
  SCOTCH_Dgraph bound{};  // the graph within the context; it owns nothing
  communicator.together([&] {
    check(SCOTCH_contextThreadSpawn(context->get(), 1, nullptr), "SCOTCH_contextThreadSpawn");
    check(SCOTCH_contextRandomClone(context->get()), "SCOTCH_contextRandomClone");
    SCOTCH_contextRandomSeed(context->get(), static_cast<SCOTCH_Num>(request.seed));
    check(SCOTCH_contextOptionSetNum(context->get(), SCOTCH_OPTIONNUMDETERMINISTIC, 1),
          "SCOTCH_contextOptionSetNum");
    check(SCOTCH_stratDgraphMapBuild(strategy->get(), SCOTCH_STRATQUALITY | SCOTCH_STRATSCALABILITY,
                                     communicator.size(), parts, imbalance),
          "SCOTCH_stratDgraphMapBuild");
  });
  communicator.together([&] {
    check(SCOTCH_dgraphBuild(graph->get(), 0, vertices, vertices, mine.first.data(), nullptr,
                             mine.weight.data(), nullptr, mine.first.back(), mine.first.back(),
                             mine.neighbour.data(), nullptr, nullptr),
          "SCOTCH_dgraphBuild");
  });
  communicator.together([&] {
    check(SCOTCH_contextBindDgraph(context->get(), graph->get(), &bound), "SCOTCH_contextBindDgraph");
  });
  communicator.together(
      [&] { check(SCOTCH_dgraphPart(&bound, parts, strategy->get(), part.data()), "SCOTCH_dgraphPart"); });
  return part;
}

}  // namespace

Assignment assign_by_scotch(const Communicator& communicator, const Pattern& pattern,
                            const PartitionRequest& request) {
  const int me = communicator.rank();
  const int parts = parts_of(communicator, request);
  LocalGraph graph = graph_of_rows(communicator, pattern);
  const gidx vertices = graph.owners.total();
  std::vector<SCOTCH_Num> part(graph.weight.size(), 0);
  if (vertices <= parts) {  // a vertex for each part, as far as they go
    for (std::size_t v = 0; v < part.size(); ++v)
      part[v] = static_cast<SCOTCH_Num>(graph.owners.first(me)) + static_cast<SCOTCH_Num>(v);
  } else if (parts > 1) {
    const gidx weight = std::accumulate(graph.weight.begin(), graph.weight.end(), gidx{0});
    check_width(vertices, communicator.sum(graph.first.back()), communicator.sum(weight));
    Graph<SCOTCH_Num> mine{.first = as_numbers(std::move(graph.first)),
                           .neighbour = as_numbers(std::move(graph.neighbour)),
                           .weight = as_numbers(std::move(graph.weight)),
                           .strength = {}};
    part = part_graph(communicator, mine, request);
  }
  const auto rows = static_cast<offset>(pattern.rows.count(me));
  Assignment assignment;
  assignment.rows.assign(part.begin(), part.begin() + rows);
  assignment.cols.assign(part.begin() + rows, part.end());
  return assignment;
}

}  // namespace spmv
