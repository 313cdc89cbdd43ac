#include "dist/partition/metis_call.hpp"

#include <numeric>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/muted_stdout.hpp"
#include "dist/partition/metis_width.hpp"

namespace spmv {
namespace {

static_assert(METIS_NOPTIONS == 40, "metis_width counts the options");

MetisLibrary fitting_metis() {
  MetisLibrary metis = find_metis();
  const int width =
      metis_width([&](void* options) { metis.set_default_options(static_cast<idx_t*>(options)); });
  if (width != sizeof(idx_t))
    throw Error(
        ExitCode::environment,
        fmt::format("{} {}, and this was built for {} bits; build again with the metis.h of that METIS",
                    metis.name,
                    width == 0 ? std::string("has no idx_t of 32 or 64 bits")
                               : fmt::format("has an idx_t of {} bits", width * 8),
                    sizeof(idx_t) * 8));
  return metis;
}

/// METIS, or an Error that says for whom it was to work.
MetisLibrary metis_for(const MetisRequest& request) {
  try {
    return fitting_metis();
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}, or {}", request.who, error.what(), request.instead));
  }
}

void check(int status, const MetisRequest& request) {
  if (status == METIS_ERROR_MEMORY)
    throw Error(ExitCode::memory,
                fmt::format("{}: METIS ran out of memory; {}", request.who, request.instead));
  if (status != METIS_OK)
    throw Error(ExitCode::internal, fmt::format("{}: METIS failed with status {}", request.who, status));
}

}  // namespace

std::vector<idx_t> call_metis(Graph<idx_t>& graph, const MetisRequest& request) {
  auto vertices = static_cast<idx_t>(graph.weight.size());
  std::vector<idx_t> part(graph.weight.size(), 0);
  if (vertices <= request.parts) {
    std::iota(part.begin(), part.end(), idx_t{0});
    return part;
  }
  const MetisLibrary metis = metis_for(request);
  idx_t constraints = 1, parts = request.parts, cut = 0;
  idx_t options[METIS_NOPTIONS];
  metis.set_default_options(options);
  options[METIS_OPTION_SEED] = request.seed;
  options[METIS_OPTION_UFACTOR] = request.imbalance;
  const auto call = request.way == MetisRequest::Way::kway ? metis.part_kway : metis.part_recursive;
  // METIS may run out of vertices for its parts while it coarsens any graph, and then prints that.
  const MutedStdout muted;
  check(call(&vertices, &constraints, graph.first.data(), graph.neighbour.data(), graph.weight.data(),
             nullptr, graph.strength.empty() ? nullptr : graph.strength.data(), &parts, nullptr, nullptr,
             options, &cut, part.data()),
        request);
  return part;
}

}  // namespace spmv
