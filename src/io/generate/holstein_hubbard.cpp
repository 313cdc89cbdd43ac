// The Holstein-Hubbard Hamiltonian on a ring. README.md in this folder has the model, its normal modes and its basis; S_k and
// the modes k = 0 .. sites - 1 are those of the README.
#include <bitset>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "io/generate/generators.hpp"
#include "io/generate/holstein_bases.hpp"
#include "io/generate/parameters.hpp"

namespace spmv {
namespace {

constexpr double pi = 3.141592653589793238462643;
constexpr double vanishing = 1e-12;  // |S_k| up to which a coupling is zero; rounding stays below 1e-14

struct Model {
  int sites, up, down, phonons;
  double t = 1, u = 4, omega = 1, g = 1;
};

Model parse_model(const std::string& parameters) {
  Model m{};
  const std::vector<gidx> sizes =
      parse_parameters(parameters, 4, {{"t", &m.t}, {"u", &m.u}, {"omega", &m.omega}, {"g", &m.g}});
  require_parameter(sizes[0] >= 1 && sizes[0] <= ElectronBasis::max_sites, "{} sites; a ring has 1 to {}",
                    sizes[0], ElectronBasis::max_sites);
  for (const gidx electrons : {sizes[1], sizes[2]}) {
    require_parameter(electrons <= sizes[0], "{} electrons of one spin do not fit on {} sites", electrons,
                      sizes[0]);
  }
  require_parameter(sizes[3] <= PhononBasis::max_cut, "{} phonons; there are at most {}", sizes[3],
                    PhononBasis::max_cut);
  require_parameter(m.omega >= 0, "omega = {} is negative", m.omega);
  // A bound of all elements: hops, couplings (|Q_ki| <= 2), and the three parts of the diagonal.
  const auto sites = static_cast<double>(sizes[0]), phonons = static_cast<double>(sizes[3]);
  const auto electrons = static_cast<double>(sizes[1] + sizes[2]);
  const double largest = std::abs(m.t) + 2 * std::abs(m.g) * m.omega * electrons * std::sqrt(phonons) +
                         std::abs(m.u) * sites + m.omega * phonons +
                         m.g * m.g * m.omega * electrons * electrons;
  require_parameter(
      largest <= std::numeric_limits<float>::max(),
      "elements of up to {:.3g} do not fit in every value type; choose a smaller unit of energy", largest);
  m.sites = static_cast<int>(sizes[0]);
  m.up = static_cast<int>(sizes[1]);
  m.down = static_cast<int>(sizes[2]);
  m.phonons = static_cast<int>(sizes[3]);
  return m;
}

/// The part of one spin in S_k, for every state and mode k = 1 .. sites - 1. The modes of a state are contiguous.
std::vector<double> mode_densities(const ElectronBasis& electrons) {
  const int sites = electrons.sites();
  std::vector<double> hartley(sites);
  for (int i = 0; i < sites; ++i) {
    const double angle = 2 * pi * i / sites;
    hartley[i] = (std::cos(angle) + std::sin(angle)) / std::sqrt(sites);
  }
  std::vector<double> densities;
  densities.reserve(static_cast<std::size_t>(electrons.size()) * (sites - 1));
  for (lidx state = 0; state < electrons.size(); ++state) {
    for (int k = 1; k < sites; ++k) {
      double density = 0;
      for (int i = 0; i < sites; ++i) {
        if (electrons.pattern(state) >> i & 1) density += hartley[k * i % sites];
      }
      densities.push_back(density);
    }
  }
  return densities;
}

class HolsteinHubbard : public RowSource {
 public:
  explicit HolsteinHubbard(const Model& model)
      : model_(model),
        up_(model.sites, model.up),
        down_(model.sites, model.down),
        phonons_(model.sites - 1, model.phonons),
        up_density_(mode_densities(up_)),
        down_density_(mode_densities(down_)),
        coupling_(-model.g * model.omega) {
    const double electrons = model.up + model.down;
    uniform_mode_energy_ = -model.g * model.g * model.omega * electrons * electrons / model.sites;
    rows_ = checked_product(checked_product(up_.size(), down_.size()), phonons_.size());
    checked_product(rows_, HolsteinHubbard::longest_row());
    for (int quanta = 0; quanta <= model.phonons; ++quanta) sqrt_.push_back(std::sqrt(quanta));
  }

  Shape shape() const override { return {rows_, rows_}; }
  int longest_row() const override { return 1 + 2 * model_.sites + 2 * phonons_.modes(); }

  std::string describe() const override {
    const Model& m = model_;
    return fmt::format(
        "Holstein-Hubbard ring, {} sites, {} up and {} down electrons ({} states), {} modes with at most {} "
        "phonons ({} states); t = {}, U = {}, omega = {} in one unit of energy, g = {} dimensionless",
        m.sites, m.up, m.down, gidx{up_.size()} * down_.size(), phonons_.modes(), m.phonons, phonons_.size(),
        m.t, m.u, m.omega, m.g);
  }

  int row_length(gidx row) const override {
    const State s = locate(row);
    int length = 1;
    if (model_.t != 0) length += static_cast<int>(up_.hops(s.up).size() + down_.hops(s.down).size());
    for (int k = 0; k < phonons_.modes(); ++k) {
      if (coupling(s, k) != 0) length += (s.phonons.occupation[k] > 0) + (s.phonons.total < model_.phonons);
    }
    return length;
  }

  int row(gidx row, gidx* cols, double* values) const override {
    const State s = locate(row);
    RowWriter out{cols, values};
    const gidx up_step = down_.size() * phonons_.size();
    const auto hop = [&](const ElectronBasis& basis, lidx from, gidx step, bool to_lower) {
      for (const ElectronBasis::Hop& h : basis.hops(from))
        if (model_.t != 0 && (h.target < from) == to_lower)
          out.put(row + (h.target - from) * step, -model_.t * h.sign);
    };
    gidx raise[PhononBasis::max_modes], lower[PhononBasis::max_modes];
    phonons_.steps(s.phonons, raise, lower);

    hop(up_, s.up, up_step, true);
    hop(down_, s.down, phonons_.size(), true);
    for (int k = 0; k < phonons_.modes(); ++k) {
      const int quanta = s.phonons.occupation[k];
      const double strength = coupling(s, k);
      if (strength != 0 && quanta > 0) out.put(row - lower[k], strength * sqrt_[quanta]);
    }
    out.put(row, diagonal(s));
    for (int k = phonons_.modes() - 1; k >= 0 && s.phonons.total < model_.phonons; --k) {
      const double strength = coupling(s, k);
      if (strength != 0) out.put(row + raise[k], strength * sqrt_[s.phonons.occupation[k] + 1]);
    }
    hop(down_, s.down, phonons_.size(), false);
    hop(up_, s.up, up_step, false);
    return out.length;
  }

 private:
  struct State {
    lidx up, down;
    PhononBasis::State phonons;
  };

  State locate(gidx row) const {
    State s;
    const gidx electrons = row / phonons_.size();
    s.up = static_cast<lidx>(electrons / down_.size());
    s.down = static_cast<lidx>(electrons % down_.size());
    phonons_.state(row - electrons * phonons_.size(), s.phonons);
    return s;
  }

  /// - g omega S_k of mode k + 1, exactly 0 if S_k vanishes.
  double coupling(const State& s, int k) const {
    const std::size_t modes = phonons_.modes();
    const double density = up_density_[s.up * modes + k] + down_density_[s.down * modes + k];
    return std::abs(density) > vanishing ? coupling_ * density : 0;
  }

  double diagonal(const State& s) const {
    const std::bitset<ElectronBasis::max_sites> pairs(up_.pattern(s.up) & down_.pattern(s.down));
    return model_.u * static_cast<double>(pairs.count()) + model_.omega * s.phonons.total +
           uniform_mode_energy_;
  }

  Model model_;
  ElectronBasis up_, down_;
  PhononBasis phonons_;
  std::vector<double> up_density_, down_density_;
  double coupling_;
  double uniform_mode_energy_;
  gidx rows_;
  std::vector<double> sqrt_;
};

}  // namespace

std::unique_ptr<RowSource> make_holstein_hubbard(const std::string& parameters) {
  return std::make_unique<HolsteinHubbard>(parse_model(parameters));
}

}  // namespace spmv
