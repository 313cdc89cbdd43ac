#include "app/run/convert.hpp"

#include <fmt/format.h>

#include "app/run/load.hpp"
#include "app/run/stage_timer.hpp"
#include "app/run/unfinished_file.hpp"
#include "app/say.hpp"
#include "core/value_types.hpp"
#include "load/save_matrix.hpp"

namespace spmv {
namespace {

/// Whether the values are left out: a pattern has none, unless the user asks for a value type, or entries that are
/// named twice have been added up. Collective.
template <class T>
bool leaves_values_out(const Run& run, const MatrixSource& source, const RowBlock<T>& block) {
  if (!source.pattern || run.options.value != "auto") return false;
  if (all_ones(run.communicator, block)) return true;
  if (run.communicator.rank() == 0)
    say("note: the pattern names entries more than once, and they are added up: their sums are stored as values");
  return false;
}

template <class T>
std::string convert_as(const Run& run, const MatrixSource& source) {
  const RowPartition rows = RowPartition::even(source.shape.rows, run.communicator.size());
  StageTimer timer(run.communicator);
  const RowBlock<T> block = load_with_progress<T>(run, source, rows);
  const double load_s = timer.lap();
  const bool pattern = leaves_values_out(run, source, block);
  run.watchdog.stage("writing the file");
  SaveOptions options;
  options.pattern = pattern;
  options.stage = stage_listener(run.watchdog);
  options.drafted = [&](const std::string& name) {
    remove_at_early_end(run.results, run.options.output_file, name);
  };
  const std::string& path = run.options.output_file;
  const bool petsc = is_petsc_name(path);
  const SavedMatrix saved =
      (petsc ? save_petsc<T> : save_matrix<T>)(run.communicator, path, source.shape, rows, block, options);
  const double save_s = timer.lap();
  return fmt::format(
      "{}: {} x {}, {} nonzeros, {}, {}-bit columns, {:.1f} MB; read in {:.3f} s, written in {:.3f} s\n",
      run.options.output_file, source.shape.rows, source.shape.cols, saved.nonzeros,
      petsc     ? (is_complex<T> ? "complex_double" : "double")
      : pattern ? "pattern"
                : value_name<T>(),
      8 * saved.column_bytes, saved.megabytes, load_s, save_s);
}

}  // namespace

std::string convert_matrix(const Run& run) {
  const MatrixSource source = find_source(run);
  return with_value_type(value_type(run.options, source),
                         [&](auto tag) { return convert_as<typename decltype(tag)::Type>(run, source); });
}

}  // namespace spmv
