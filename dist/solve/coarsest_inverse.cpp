#include "dist/solve/coarsest_inverse.hpp"

#include <algorithm>
#include <complex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/value_types.hpp"
#include "dist/solve/dense_inverse.hpp"

namespace spmv {
namespace {

/// Square, by rows.
using Dense = std::vector<std::complex<double>>;

/// Every rank's rows of A on rank 0; zeros elsewhere. Collective.
template <class T>
Dense dense_on_first(const Communicator& communicator, const CoarseLevel<T>& level) {
  struct Element {
    std::size_t at;
    double re, im;
  };
  const auto n = static_cast<std::size_t>(level.rows.total());
  std::vector<Element> mine;
  Dense dense;
  communicator.together([&] {
    for (gidx row = 0; row < level.A.rows(); ++row)
      for (offset k = level.A.row_ptr[static_cast<std::size_t>(row)];
           k < level.A.row_ptr[static_cast<std::size_t>(row) + 1]; ++k) {
        const T value = level.A.value[static_cast<std::size_t>(k)];
        mine.push_back({static_cast<std::size_t>(level.A.first_row + row) * n +
                            static_cast<std::size_t>(level.A.col[static_cast<std::size_t>(k)]),
                        static_cast<double>(std::real(value)), static_cast<double>(std::imag(value))});
      }
    if (communicator.rank() == 0) dense.resize(n * n);
  });
  for (const Element& e : communicator.gather(mine).data) dense[e.at] += std::complex(e.re, e.im);
  return dense;
}

/// A + s 1 1^H, with s 1 1^H about as large as A. Pure.
void add_constants(Dense& A, gidx n) {
  double largest = 0;
  for (const std::complex<double>& element : A) largest = std::max(largest, std::abs(element));
  const double s = largest > 0 ? 2 * largest / static_cast<double>(n) : 1;
  for (std::complex<double>& element : A) element += s;
}

template <class T>
T value_of(const std::complex<double>& from) {
  if constexpr (is_complex<T>)
    return {static_cast<RealOf<T>>(from.real()), static_cast<RealOf<T>>(from.imag())};
  else
    return static_cast<T>(from.real());
}

}  // namespace

template <class T>
DistributedRows<T> coarsest_inverse(const Communicator& communicator, const CoarseLevel<T>& level,
                                    std::size_t number, gidx most, bool leaves_out_constants,
                                    const RowPartition& owners) {
  const gidx n = level.rows.total();
  if (n > most)
    throw AgreedError(
        ExitCode::input,
        fmt::format("level {} of the hierarchy, the coarsest, has {} rows and is inverted, which "
                    "is meant for {} at most: make more levels",
                    number, n, most));
  Dense dense = dense_on_first(communicator, level);
  RowBlock<T> whole;  // on rank 0
  std::vector<int> owner;
  communicator.together([&] {
    if (communicator.rank() > 0) return;
    if (leaves_out_constants) add_constants(dense, n);
    if (leaves_out_constants && n == 1)
      dense[0] = 0;
    else if (!invert_dense(dense, static_cast<std::size_t>(n)))
      throw Error(ExitCode::input,
                  fmt::format("level {} of the hierarchy, the coarsest, has no inverse{}, as that of a "
                              "singular matrix",
                              number, leaves_out_constants ? " even without constant vectors" : ""));
    for (gidx row = 0; row < n; ++row) {
      for (gidx col = 0; col < n; ++col) whole.col.push_back(col);
      whole.row_ptr.push_back(static_cast<offset>(whole.col.size()));
      owner.push_back(owners.owner(row));
    }
    for (const std::complex<double>& element : dense) whole.value.push_back(value_of<T>(element));
  });
  std::vector<gidx> counts(static_cast<std::size_t>(communicator.size()), 0);
  counts[0] = n;
  const RowPartition on_first = RowPartition::from_counts(counts);
  whole.first_row = on_first.first(communicator.rank());
  const Move move(communicator, owner);
  return redistribute(communicator, {on_first, on_first}, std::move(whole), {move, move});
}

SPMV_INSTANTIATE(coarsest_inverse);

}  // namespace spmv
