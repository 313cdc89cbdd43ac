// The table of formats.
#include <complex>

#include "kernels/bisection/bisection.hpp"
#include "kernels/block/block.hpp"
#include "kernels/coo/coo.hpp"
#include "kernels/csr/csr.hpp"
#include "kernels/csr_packed/csr_packed.hpp"
#include "kernels/csr_scalar/csr_scalar.hpp"
#include "kernels/csr_vector/csr_vector.hpp"
#include "kernels/cusparse/cusparse.hpp"
#include "kernels/ellpack/ellpack.hpp"
#include "kernels/ellpack_r/ellpack_r.hpp"
#include "kernels/hyb/hyb.hpp"
#include "kernels/jad/jad.hpp"
#include "kernels/local_operator.hpp"
#include "kernels/pellr/pellr.hpp"
#include "kernels/pjds/pjds.hpp"
#include "kernels/sell/sell.hpp"
#include "kernels/sell_blocked/sell_blocked.hpp"
#include "kernels/sell_packed/sell_packed.hpp"
#include "kernels/spmv4gpu/spmv4gpu.hpp"

namespace spmv {

template <class T>
const std::vector<Format<T>>& formats() {
  static const std::vector<Format<T>> table = {
      csr_format<T>(),          csr_packed_format<T>(),   csr_scalar_format<T>(),
      csr_vector_format<T>(),   spmv4gpu_format<T>(),     spmv4gpu_padded_format<T>(),
      block_format<T>(),        coo_format<T>(),          ellpack_format<T>(),
      ellpack_r_format<T>(),    hyb_format<T>(),          biell_format<T>(),
      jad_format<T>(),          bijad_format<T>(),        pellr_format<T>(),
      pjds_format<T>(),         sell_format<T>(),         sell_packed_format<T>(),
      sell_blocked_format<T>(), cusparse_csr_format<T>(), cusparse_sell_format<T>(),
      cusparse_bsr_format<T>(),
  };
  return table;
}

template const std::vector<Format<float>>& formats();
template const std::vector<Format<double>>& formats();
template const std::vector<Format<std::complex<float>>>& formats();
template const std::vector<Format<std::complex<double>>>& formats();

}  // namespace spmv
