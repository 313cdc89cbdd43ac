#include <algorithm>

#include "core/error.hpp"
#include "fuzz/harness.hpp"
#include "kernels/format_options.hpp"
#include "lib/matrix.hpp"
#include "lib/settings.hpp"
#include "lib/translate.hpp"

namespace spmv::fuzz {
namespace {

void check(const lib::MatrixOptions& options) {
  for (const OptionField& field : option_fields())
    require(is_allowed(field, field.get(options.dist.tune.options)),
            std::string("not allowed: ") + field.name);
  require(options.dist.tune.products >= 1 && options.dist.tune.products <= 1e15, "products out of range");
  require(options.seed >= 0, "a negative seed");
  require(!options.mode.empty() && !options.partition.empty() && !options.layout.empty(), "an empty name");
}

}  // namespace

void library_options(std::string_view input) {
  spmv_dist::Options options;
  try {
    options = spmv_dist::Options::parse(std::string(input));
  } catch (const spmv_dist::Error& error) {
    require(error.code() == spmv_dist::Code::usage, error.what());
    return;
  }
  require(spmv_dist::Options::parse(options.text()).text() == options.text(),
          "options that are read back differ");
  try {
    lib::Settings settings(spmv_dist::internal::Access::settings(options));
    check(lib::read_options(settings));
  } catch (const Error& error) {
    require(error.code() == ExitCode::usage, error.what());
  }
}

}  // namespace spmv::fuzz
