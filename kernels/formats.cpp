// The table of formats.
#include <complex>

#include "kernels/csr/csr.hpp"
#include "kernels/csr_packed/csr_packed.hpp"
#include "kernels/ellpack/ellpack.hpp"
#include "kernels/ellpack_r/ellpack_r.hpp"
#include "kernels/jad/jad.hpp"
#include "kernels/local_operator.hpp"
#include "kernels/pellr/pellr.hpp"
#include "kernels/pjds/pjds.hpp"
#include "kernels/sell/sell.hpp"
#include "kernels/sell_blocked/sell_blocked.hpp"
#include "kernels/sell_packed/sell_packed.hpp"

namespace spmv {

template <class T>
const std::vector<Format<T>>& formats() {
  static const std::vector<Format<T>> table = {
      csr_format<T>(),   ellpack_format<T>(), ellpack_r_format<T>(), jad_format<T>(),
      pellr_format<T>(), pjds_format<T>(),    sell_format<T>(),
  };
  return table;
}

template const std::vector<Format<float>>& formats();
template const std::vector<Format<double>>& formats();
template const std::vector<Format<std::complex<float>>>& formats();
template const std::vector<Format<std::complex<double>>>& formats();

}  // namespace spmv
