#include "app/commands/preconditioner_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/options/option_groups.hpp"
#include "app/options/option_names.hpp"
#include "dist/solve/chebyshev_iteration.hpp"
#include "dist/solve/hierarchy.hpp"

namespace spmv {

void declare_preconditioner(CLI::App& app, PreconditionerOptions& o, const std::string& summary,
                            const char* group) {
  app.add_option("--preconditioner", o.preconditioner, summary + (": " + names(preconditioners())))
      ->check(name_in(preconditioners(), "preconditioner"))
      ->capture_default_str()
      ->group(group);
  app.add_option("--degree", o.degree, "preconditioner chebyshev: degree of its polynomial in A")
      ->check(CLI::Range(1, most_degree))
      ->capture_default_str()
      ->group(group);
  app.add_option("--block-size", o.block_size, "preconditioner block_jacobi: rows of a block")
      ->check(CLI::Range(1, 64))
      ->capture_default_str()
      ->group(group);
  app.add_option("--smoother", o.multigrid.smoother,
                 "preconditioner multigrid: what smooths: " + fmt::format("{}", fmt::join(smoothers(), ", ")))
      ->check(CLI::IsMember(smoothers()))
      ->capture_default_str()
      ->group(group);
  app.add_option(
         "--smoother-degree", o.multigrid.degree,
         "preconditioner multigrid: products of smoother chebyshev, before and after each coarser level")
      ->check(CLI::Range(0, most_degree))
      ->capture_default_str()
      ->group(group);
  app.add_flag("--w-cycle", o.multigrid.w_cycle, "preconditioner multigrid: visit each coarser level twice")
      ->group(group);
  app.add_option(
         "--unknowns", o.multigrid.unknowns,
         "preconditioner multigrid: rows of each grid point, which follow each other, as 3 for displacements")
      ->check(CLI::Range(1, 64))
      ->capture_default_str()
      ->group(group);
}

}  // namespace spmv
