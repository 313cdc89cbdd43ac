#include "app/html/make_page.hpp"

#include <fmt/format.h>

#include "app/html/page.hpp"
#include "core/error.hpp"
#include "core/output_file.hpp"
#include "core/printable.hpp"

namespace spmv::html {

ExitCode make_page(const Options& options) {
  for (const std::string& file : options.files)
    if (same_file(file, options.output_file))
      throw Error(
          ExitCode::usage,
          fmt::format("-o {} is the same file as {}: the page would destroy the results, name another file",
                      printable(options.output_file), printable(file)));
  const OutputFile output(options.output_file);
  output.write(page(read_runs(options.files)));
  return ExitCode::ok;
}

}  // namespace spmv::html
