#include "dist/machine/tuning_cache.hpp"

#include <cmath>
#include <memory>

#include "core/backend.hpp"
#include "core/error.hpp"
#include "fuzz/harness.hpp"
#include "kernels/row_order.hpp"

namespace spmv::fuzz {
namespace {

/// 40 rows of different lengths; element i of A x with x = 1 is the sum of row i's values.
Csr<double> small_block() {
  Csr<double> block;
  block.rows = block.cols = 40;
  for (lidx row = 0; row < block.rows; ++row) {
    for (lidx col = row % 3; col < block.cols; col += 1 + row % 7) {
      block.col.push_back(col);
      block.value.push_back(1 + (row + col) % 5);
    }
    block.row_ptr.push_back(static_cast<offset>(block.col.size()));
  }
  return block;
}

/// A remembered choice, or its replacement, must multiply correctly.
void require_usable(CacheEntry entry) {
  static const Csr<double> block = small_block();
  static const std::shared_ptr<Backend> backend = make_host_backend({});
  entry.choice.signature.clear();  // any block, so this one, too
  TuneRequest request;
  request.products = entry.choice.products;
  request.bandwidth = 1e10;
  request.trials = false;
  const Choice<double> choice =
      choose_format<double>({block, {}, {}, backend, true}, request, {entry.choice});
  const std::vector<double> x(static_cast<std::size_t>(block.cols), 1.0);
  std::vector<double> y(static_cast<std::size_t>(block.rows), std::nan(""));
  const auto queue = backend->make_queue(Priority::normal);
  choice.op->apply(*queue, x.data(), y.data(), Update::assign);
  queue->synchronize();
  for (lidx i = 0; i < block.rows; ++i) {
    const lidx row = choice.row_order.empty() ? i : choice.row_order[static_cast<std::size_t>(i)];
    double sum = 0;
    for (offset k = block.row_ptr[row]; k < block.row_ptr[row + 1]; ++k) sum += block.value[k];
    require(y[static_cast<std::size_t>(i)] == sum, "format " + entry.choice.format + " multiplies wrongly");
  }
}

}  // namespace

void tuning_cache(std::string_view input) {
  CacheContents contents;
  try {
    contents = parse_tuning_cache(std::string(input));
  } catch (const Error& error) {
    require(error.code() == ExitCode::input, error.what());
    return;
  }
  const std::vector<CacheEntry>& entries = contents.entries;
  for (const CachedCalibration& kept : contents.calibrations)
    for (const auto& [format, speeds] : kept.calibration)
      require(speeds.streaming >= 0 && std::isfinite(speeds.streaming), "a speed that nothing can have");
  for (const CacheEntry& entry : entries) {
    require(entry.choice.products > 0 && std::isfinite(entry.choice.products), "products that nobody can do");
    require(entry.choice.measured_s > 0 && std::isfinite(entry.choice.measured_s),
            "a time that nobody can measure");
    for (const OptionField& field : option_fields())
      require(is_allowed(field, field.get(entry.choice.options)), std::string("not allowed: ") + field.name);
  }
  // Writing keeps what was read, except entries that later ones replace; writing again changes nothing.
  const std::string text = tuning_cache_text(contents);
  require(tuning_cache_text(parse_tuning_cache(text)) == text, "a cache that is read back differs");
  for (std::size_t i = 0; i < entries.size() && i < 2; ++i) require_usable(entries[i]);
}

}  // namespace spmv::fuzz
