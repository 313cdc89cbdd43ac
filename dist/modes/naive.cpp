#include "dist/modes/naive.hpp"

#include <complex>

namespace spmv {

template <class T>
void naive_product(DistMatrix<T>& matrix, T* x, T* y, PhaseLog* log) {
  matrix.pack(x, log);
  matrix.start_exchange(x, log);
  matrix.multiply_interior(x, y, log);
  matrix.compute_queue().synchronize();
  matrix.finish_exchange(x, log);
  matrix.multiply_boundary(x, y, log);
}

template void naive_product(DistMatrix<float>&, float*, float*, PhaseLog*);
template void naive_product(DistMatrix<double>&, double*, double*, PhaseLog*);
template void naive_product(DistMatrix<std::complex<float>>&, std::complex<float>*, std::complex<float>*,
                            PhaseLog*);
template void naive_product(DistMatrix<std::complex<double>>&, std::complex<double>*, std::complex<double>*,
                            PhaseLog*);

}  // namespace spmv
