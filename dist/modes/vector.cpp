#include "dist/modes/vector.hpp"

#include <complex>

namespace spmv {

template <class T>
void vector_product(DistMatrix<T>& matrix, T* x, T* y, PhaseLog* log) {
  matrix.pack(x, log);
  matrix.start_exchange(x, log);
  matrix.finish_exchange(x, log);
  matrix.multiply_merged(x, y, log);
}

template void vector_product(DistMatrix<float>&, float*, float*, PhaseLog*);
template void vector_product(DistMatrix<double>&, double*, double*, PhaseLog*);
template void vector_product(DistMatrix<std::complex<float>>&, std::complex<float>*, std::complex<float>*,
                             PhaseLog*);
template void vector_product(DistMatrix<std::complex<double>>&, std::complex<double>*, std::complex<double>*,
                             PhaseLog*);

}  // namespace spmv
