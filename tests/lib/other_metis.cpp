// A program that exports the functions of its own METIS with 64-bit idx_t, as programs with a 64-bit PETSc or
// Trilinos do. Neither the library's partitioners nor its orders may call it, and the library must not print
// to stdout.
#include <cstdint>
#include <cstdio>
#include <string>

#include <mpi.h>

#include "core/pick.hpp"
#include "dist/order.hpp"
#include "spmv_dist/spmv_dist.hpp"

namespace {

int& calls_of_the_other() {
  static int calls = 0;
  return calls;
}

int part(std::int64_t* cut) {
  ++calls_of_the_other();
  *cut = 0;
  return 1;
}

/// Whether this rank gets about as many rows as the others.
bool divides(const spmv_dist::Context& context, const char* partition) {
  const auto rows = spmv_dist::LoadedRows<double>::generate(context, "stencil7:12,12,12");
  const spmv_dist::Matrix<double> matrix(context, rows.view(), {{"partition", partition}});
  const auto mine = static_cast<long>(matrix.size(spmv_dist::Side::y)), fair = 12L * 12 * 12 / context.size();
  if (mine < fair / 2 || mine > 2 * fair)
    std::fprintf(stderr, "FAILED: %s gives a rank %ld rows\n", partition, mine);
  return mine >= fair / 2 && mine <= 2 * fair;
}

/// Orders a path with more rows than a part of the order has.
bool orders_rows() {
  spmv::OwnGraph graph;
  constexpr int rows = 6000;
  for (int v = 0; v < rows; ++v) {
    if (v > 0) graph.neighbour.push_back(v - 1);
    if (v + 1 < rows) graph.neighbour.push_back(v + 1);
    graph.first.push_back(static_cast<spmv::offset>(graph.neighbour.size()));
  }
  return spmv::pick(spmv::orders(), "partition", "order").find(graph, 1).size() == rows;
}

bool all_is_well() {
  const spmv_dist::Context context(MPI_COMM_WORLD, {{"backend", "host"}});
  bool well = true;
  for (const char* partition : {"metis", "metis_groups"}) well = divides(context, partition) && well;
  return orders_rows() && well;
}

}  // namespace

extern "C" {
[[gnu::visibility("default")]] int METIS_SetDefaultOptions(std::int64_t* options) {
  ++calls_of_the_other();
  for (int i = 0; i < 40; ++i) options[i] = -1;
  return 1;
}
using Numbers = std::int64_t*;
[[gnu::visibility("default")]] int METIS_PartGraphKway(Numbers, Numbers, Numbers, Numbers, Numbers, Numbers,
                                                       Numbers, Numbers, void*, void*, Numbers, Numbers cut,
                                                       Numbers) {
  return part(cut);
}
[[gnu::visibility("default")]] int METIS_PartGraphRecursive(Numbers, Numbers, Numbers, Numbers, Numbers,
                                                            Numbers, Numbers, Numbers, void*, void*, Numbers,
                                                            Numbers cut, Numbers) {
  return part(cut);
}
// METIS's internal functions: the other METIS has the same names.
[[gnu::visibility("default")]] void* libmetis__SetupCtrl(...) {
  ++calls_of_the_other();
  return nullptr;
}
[[gnu::visibility("default")]] int gk_malloc_init() {
  ++calls_of_the_other();
  return 0;
}
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool well = false;
  try {
    well = all_is_well() && calls_of_the_other() == 0;
    if (calls_of_the_other() > 0) std::fprintf(stderr, "FAILED: the program's METIS was called\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "FAILED: %s\n", error.what());
  }
  MPI_Finalize();
  return well ? 0 : 1;
}
