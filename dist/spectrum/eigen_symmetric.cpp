#include "dist/spectrum/eigen_symmetric.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "dist/solve/lapack.hpp"

namespace spmv {

SymmetricEigen eigen_symmetric(const SmallMatrix& matrix) {
  SymmetricEigen result{std::vector<double>(static_cast<std::size_t>(matrix.rows())), matrix};
  std::vector<double>& elements = result.vectors.elements();
  if (elements.empty()) return result;
  if (!std::all_of(elements.begin(), elements.end(), [](double each) { return std::isfinite(each); }))
    throw Error(ExitCode::internal, "eigenvalues of a small matrix with values that are not finite");
  constexpr std::size_t columns_at_once = 32;
  std::vector<double> work((columns_at_once + 2) * result.values.size());
  const lapack::Int n = matrix.rows(), work_size = static_cast<lapack::Int>(work.size());
  lapack::Int info = 0;
  lapack::dsyev_("V", "U", &n, elements.data(), &n, result.values.data(), work.data(), &work_size, &info, 1,
                 1);
  lapack::check(info, "dsyev");
  return result;
}

SymmetricEigen eigen_symmetric(const Communicator& communicator, const SmallMatrix& matrix) {
  SymmetricEigen result{std::vector<double>(static_cast<std::size_t>(matrix.rows())), matrix};
  communicator.together([&] {
    if (communicator.rank() == 0) result = eigen_symmetric(matrix);
  });
  result.values = communicator.broadcast(std::move(result.values));
  result.vectors.elements() = communicator.broadcast(std::move(result.vectors.elements()));
  return result;
}

}  // namespace spmv
