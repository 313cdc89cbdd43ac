// The table of formats.
#include <complex>

#include "kernels/csr/csr.hpp"
#include "kernels/cusparse/cusparse.hpp"
#include "kernels/ellpack_r/ellpack_r.hpp"
#include "kernels/local_operator.hpp"
#include "kernels/pjds/pjds.hpp"

namespace spmv {

template <class T>
const std::vector<Format<T>>& formats() {
  static const std::vector<Format<T>> table = {
      csr_format<T>(),
      ellpack_r_format<T>(),
      pjds_format<T>(),
      cusparse_csr_format<T>(),
      cusparse_sell_format<T>(),
      cusparse_bsr_format<T>(),
  };
  return table;
}

template const std::vector<Format<float>>& formats();
template const std::vector<Format<double>>& formats();
template const std::vector<Format<std::complex<float>>>& formats();
template const std::vector<Format<std::complex<double>>>& formats();

}  // namespace spmv
