// How columns of vectors are made orthonormal by their inner products alone.
#pragma once

#include "dist/spectrum/dense.hpp"

namespace spmv {

/// S with S^H G S = 1 on the columns that are not 0, for a hermitian G that has no negative eigenvalues but for rounding: by its
/// eigenvectors, after it is scaled to a diagonal of 1 [Stathopoulos 2002]. A column of G that
/// is at most `floor` on the diagonal is dropped, and so are directions of an eigenvalue of at most `rounding`, or that of double
/// precision: columns of 0 stand for them at the end. Returns their number. Collective; throws as hermitian_eigen().
template <class E>
struct Orthonormaliser {
  Dense<E> S;
  int directions = 0;
};
template <class E>
Orthonormaliser<E> orthonormaliser(const Communicator& communicator, const Dense<E>& G, double floor,
                                   double rounding = 0);

/// Passes that make a block W orthonormal beside an orthonormal V: W = (W - V B) S, with B = V^H W. Says what S is.
template <class E>
class OrthonormalPasses {
 public:
  /// `eps`: rounding of the vectors' elements.
  OrthonormalPasses(const Communicator& communicator, double eps)
      : communicator_(communicator), small_(beside_v * eps * beside_v * eps) {}
  /// S of a pass, for W^H W and what V leaves of it, W^H W - B^H B. Where W loses most of a column to V, that difference says
  /// nothing: then the pass only scales, and the next one drops what is small beside the column as it was. A column that was made
  /// orthonormal and is far from that afterwards was noise. Collective.
  Orthonormaliser<E> next(const Dense<E>& left, const Dense<E>& squares);

 private:
  static constexpr double beside_v = 64;
  const Communicator& communicator_;
  double small_;      // the square of a column that is rounding beside V
  double floor_ = 0;  // the square of a column that is nothing in the next pass
};

/// Whether the first columns of W, whose overlaps with V and, last, with itself are given, are orthonormal within `enough`. Pure.
template <class E>
bool is_orthonormal(const Dense<E>& overlaps, int columns, double enough);

}  // namespace spmv
