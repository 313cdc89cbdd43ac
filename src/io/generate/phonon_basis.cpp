#include "io/generate/phonon_basis.hpp"

#include <limits>

#include "core/error.hpp"

namespace spmv {

PhononBasis::PhononBasis(int modes, int cut)
    : modes_(modes), cut_(cut), below_(static_cast<std::size_t>(modes + 1) * (cut + 2), 0) {
  const int width = cut + 2;
  for (int r = 1; r < width; ++r) below_[r] = 1;
  for (int q = 1; q <= modes; ++q) {
    for (int r = 1; r < width; ++r) {
      const gidx fewer_modes = below(r, q - 1);
      const gidx fewer_quanta = below(r - 1, q);
      if (fewer_modes > std::numeric_limits<gidx>::max() - fewer_quanta) {
        throw Error(ExitCode::usage, "the matrix is too large for 64-bit ids");
      }
      below_[q * width + r] = fewer_modes + fewer_quanta;
    }
  }
  size_ = below(cut + 1, modes);
}

void PhononBasis::state(gidx index, State& state) const {
  gidx rest = size_ - 1 - index;
  int allowed = cut_;
  for (int j = 0; j < modes_; ++j) {
    const int before = allowed;
    while (below(allowed, modes_ - j) > rest) --allowed;
    rest -= below(allowed, modes_ - j);
    state.allowed[j] = allowed;
    state.occupation[j] = before - allowed;
  }
  state.total = cut_ - allowed;
}

void PhononBasis::steps(const State& state, gidx* raise, gidx* lower) const {
  gidx up = 0;
  gidx down = 0;
  for (int k = modes_ - 1; k >= 0; --k) {
    up += below(state.allowed[k], modes_ - k - 1);
    down += below(state.allowed[k] + 1, modes_ - k - 1);
    raise[k] = up;
    lower[k] = down;
  }
}

}  // namespace spmv
