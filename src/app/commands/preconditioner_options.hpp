// Options of commands that take a preconditioner.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/options/option_names.hpp"
#include "core/pick.hpp"
#include "core/value_types.hpp"
#include "dist/solve/preconditioner.hpp"

namespace spmv {

inline constexpr const char* no_preconditioner = "none";

struct PreconditionerOptions {
  std::string preconditioner = no_preconditioner;
  int degree = 3;
  int block_size = 8;
  MultigridRequest multigrid;
};

/// --preconditioner and what belongs to it; `summary`: what it does for the command.
void declare_preconditioner(CLI::App& app, PreconditionerOptions& options, const std::string& summary,
                            const char* group);

/// The one that the user wants, of the request's matrix. Collective; throws AgreedError: usage where there is none for this type of
/// values, input where the matrix does not allow it.
template <class T>
std::unique_ptr<Preconditioner<T>> make_preconditioner(const PreconditionerOptions& options,
                                                       PreconditionerRequest<T> request) {
  const auto& all = preconditioners<T>();
  const auto is_it = [&](const auto& row) { return row.name == options.preconditioner; };
  if (std::none_of(all.begin(), all.end(), is_it))
    throw AgreedError(ExitCode::usage, fmt::format("preconditioner {} is not for {} values: there are {}",
                                                   options.preconditioner, value_name<T>(), names(all)));
  request.degree = options.degree;
  request.block_size = options.block_size;
  request.multigrid = options.multigrid;
  return pick(all, options.preconditioner, "preconditioner").make(request);
}

}  // namespace spmv
