// Preconditioners none and Jacobi: M = 1, and M = the diagonal of A.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/finite.hpp"
#include "core/value_types.hpp"
#include "dist/solve/check_finite.hpp"
#include "dist/solve/host_vectors.hpp"
#include "dist/solve/preconditioners.hpp"

namespace spmv {
namespace {

template <class T>
class NoPreconditioner final : public Preconditioner<T> {
 public:
  bool is_identity() const override { return true; }
  void apply(const VectorRef<T>&, const VectorRef<T>&) override {
    throw Error(ExitCode::internal, "preconditioner none was applied");
  }
};

template <class T>
class Jacobi final : public Preconditioner<T> {
 public:
  Jacobi(Workspace<T>& on, const Operator<T>& A, const std::vector<T>& inverse, std::string not_definite)
      : on_(on), inverse_(A.make_vector()), not_definite_(std::move(not_definite)) {
    upload(on.backend(), inverse_, A.matrix().to_basis(in_every_column(A, inverse)));
  }
  std::string not_definite() const override { return not_definite_; }
  T* diagonal() override { return inverse_.data(); }
  void apply(const VectorRef<T>& r, const VectorRef<T>& z) override {
    on_.run(Combination<T>().multiply(z, inverse_, r));
  }

 private:
  Workspace<T>& on_;
  Vector<T> inverse_;
  std::string not_definite_;
};

/// The diagonal of this rank's rows, in natural order; 0 where there is none. Pure.
template <class T>
std::vector<T> diagonal_of(const Csr<T>& block) {
  std::vector<T> diagonal(static_cast<std::size_t>(block.rows), T(0));
  for (lidx row = 0; row < block.rows; ++row)
    for (offset k = block.row_ptr[static_cast<std::size_t>(row)];
         k < block.row_ptr[static_cast<std::size_t>(row) + 1]; ++k)
      if (block.col[static_cast<std::size_t>(k)] == row)
        diagonal[static_cast<std::size_t>(row)] += block.value[static_cast<std::size_t>(k)];
  return diagonal;
}

}  // namespace

template <class T>
std::unique_ptr<Preconditioner<T>> make_no_preconditioner(const PreconditionerRequest<T>&) {
  return std::make_unique<NoPreconditioner<T>>();
}

template <class T>
std::unique_ptr<Preconditioner<T>> make_jacobi(const PreconditionerRequest<T>& request) {
  return request.on.communicator().together([&] {
    std::vector<T> diagonal = diagonal_of(request.rows.block);
    std::string not_definite;
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      const auto what = [&] {
        return fmt::format(
            "row {} (counted from 1) has {} on its diagonal, which preconditioner jacobi divides by",
            request.rows.original_row[i] + 1, value_text(diagonal[i]));
      };
      if (not_definite.empty() && !(std::real(diagonal[i]) > 0)) not_definite = what();
      const T inverse = T(1) / times_power_of_two(diagonal[i], -request.A.exponent());
      const bool usable = diagonal[i] != T(0) && is_finite(diagonal[i]);
      if (!usable || !is_finite(inverse))
        throw Error(ExitCode::input, what() + (usable ? ", too little beside the largest element" : "") +
                                         ": use another preconditioner, or none");
      diagonal[i] = inverse;
    }
    return std::unique_ptr<Preconditioner<T>>(
        std::make_unique<Jacobi<T>>(request.on, request.A, diagonal, std::move(not_definite)));
  });
}

SPMV_INSTANTIATE(make_no_preconditioner);
SPMV_INSTANTIATE(make_jacobi);

}  // namespace spmv
