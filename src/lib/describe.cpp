// Matrix::describe(): what was chosen and why, as text.
#include <fmt/format.h>

#include "core/value_types.hpp"
#include "kernels/format_options.hpp"
#include "lib/matrix.hpp"

namespace spmv::lib {
namespace {

std::string line(const std::string& what, const std::string& text) {
  return fmt::format("{:<10} {}\n", what, text);
}

std::string format_line(const Decision& decision) {
  std::string text = decision.format;
  if (const std::string options = spmv::describe(decision.options); !options.empty()) text += ", " + options;
  return decision.reason.empty() ? text : text + ": " + decision.reason;
}

}  // namespace

template <class T>
std::string describe(const MatrixState<T>& state) {
  const DistMatrix<T>& matrix = *state.matrix;
  std::string text = line(
      "matrix",
      fmt::format("{} x {}, {} nonzeros, {}; on this rank {} rows, {} elements of x and {} of the halo, {}",
                  state.rows.shape.rows, state.rows.shape.cols, state.global_elements, value_name<T>(),
                  matrix.rows(), matrix.owned(), matrix.ghosts(),
                  state.moves ? "repartitioned by " + state.options.partition : "kept where it was"));
  text += line("mode", fmt::format("{}: {}", state.mode->name, state.why));
  for (const std::string& reason : state.why_not) text += line("", "not " + reason);
  text += line("layout", matrix.layout());
  const auto blocks = matrix.operators().blocks();
  text += line("format", format_line(blocks.front()->decision));
  if (state.inner != nullptr)
    text += line("inner", "in single precision: " +
                              format_line(state.inner->matrix->operators().blocks().front()->decision));
  if (blocks.size() > 1) text += line("boundary", format_line(blocks.back()->decision));
  if (const int k = beyond_safe<T>(matrix.magnitudes().largest); k != 0)
    text += line(
        "", fmt::format("solvers scale products by 2^{}{}", -k,
                        state.scales_rows ? "" : " in a kernel of its own: those of this format cannot"));
  for (const std::string& note : state.notes) text += line("", note);
  const TransportChoice& choice = matrix.transport_choice();
  text += line("transport", fmt::format("{}: {}", choice.name, choice.reason));
  for (const TransportReport& report : choice.reports)
    text += line("", fmt::format("{}: {}", report.name, to_string(report)));
  text += line("threads", fmt::format("{} of OpenMP", state.threads));
  return text;
}

SPMV_INSTANTIATE(describe);

}  // namespace spmv::lib
