// Eigenvalues, moments, densities of states and evolution in time.
#include <string>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <spmv_dist/spectrum.hpp>

#include "bindings.hpp"

namespace spmv_python {
namespace {

using spmv_dist::Bounds, spmv_dist::Density, spmv_dist::EigenOptions, spmv_dist::EigenResult,
    spmv_dist::EvolveOptions, spmv_dist::EvolveResult, spmv_dist::Matrix, spmv_dist::Moments,
    spmv_dist::MomentsOptions, spmv_dist::Vector;

template <class T>
EigenResult<T> eigen(Matrix<T>& A, EigenOptions options, const nb::object& watch) {
  Callback callback(watch);
  options.watch = [&callback](int products, double residual) {
    return callback.call(true, products, residual);
  };
  try {
    EigenResult<T> found;
    {
      const nb::gil_scoped_release no_gil;
      found = spmv_dist::eigen(A, options);
    }
    callback.reraise();
    return found;
  } catch (...) {
    callback.reraise();
    throw;
  }
}

template <class T>
void bind_spectrum(T /*value*/, nb::module_& m) {
  using Found = EigenResult<T>;
  nb::class_<Found>(m, "EigenResult")
      .def_prop_ro("stop", [](const Found& found) { return spmv_dist::to_string(found.stop); })
      .def_ro("values", &Found::values)
      .def_ro("vectors", &Found::vectors)
      .def_ro("residuals", &Found::residuals)
      .def_ro("norm", &Found::norm)
      .def_ro("subspace", &Found::subspace)
      .def_ro("products", &Found::products)
      .def_ro("restarts", &Found::restarts)
      .def_ro("history", &Found::history)
      .def_ro("seconds", &Found::seconds)
      .def_ro("reason", &Found::reason);
  m.def("eigen", &eigen<T>);
  m.def("moments", &spmv_dist::moments<T>, Waits());
  m.def("moments_of", &spmv_dist::moments_of<T>, Waits());
  m.def("evolve", &spmv_dist::evolve<T>, Waits());
}

}  // namespace

void bind_spectra(nb::module_& extension, Submodules& to) {
  nb::class_<EigenOptions>(extension, "EigenOptions")
      .def(nb::init<>())
      .def_rw("count", &EigenOptions::count)
      .def_prop_rw(
          "highest", [](const EigenOptions& options) { return options.which == spmv_dist::Which::highest; },
          [](EigenOptions& options, bool highest) {
            options.which = highest ? spmv_dist::Which::highest : spmv_dist::Which::lowest;
          })
      .def_rw("tolerance", &EigenOptions::tolerance)
      .def_rw("subspace", &EigenOptions::subspace)
      .def_rw("max_restarts", &EigenOptions::max_restarts)
      .def_rw("copies", &EigenOptions::copies);
  nb::class_<Bounds>(extension, "Bounds")
      .def(nb::init<double, double>())
      .def_ro("low", &Bounds::low)
      .def_ro("high", &Bounds::high);
  nb::class_<MomentsOptions>(extension, "MomentsOptions")
      .def(nb::init<>())
      .def_rw("moments", &MomentsOptions::moments)
      .def_rw("vectors", &MomentsOptions::vectors)
      .def_rw("seed", &MomentsOptions::seed)
      .def_rw("bounds", &MomentsOptions::bounds);
  nb::class_<Moments>(extension, "Moments")
      .def_ro("bounds", &Moments::bounds)
      .def_ro("bounds_from", &Moments::bounds_from)
      .def_ro("of_vector", &Moments::of_vector)
      .def_ro("norm", &Moments::norm)
      .def_ro("products", &Moments::products)
      .def_ro("seconds", &Moments::seconds);
  nb::class_<Density>(extension, "Density")
      .def_ro("energy", &Density::energy)
      .def_ro("density", &Density::density)
      .def_ro("error", &Density::error)
      .def_ro("integral", &Density::integral);
  extension.def("density_of_states", &spmv_dist::density_of_states);
  nb::class_<EvolveOptions>(extension, "EvolveOptions")
      .def(nb::init<>())
      .def_rw("tolerance", &EvolveOptions::tolerance)
      .def_rw("imaginary_time", &EvolveOptions::imaginary_time)
      .def_rw("bounds", &EvolveOptions::bounds);
  nb::class_<EvolveResult>(extension, "EvolveResult")
      .def_ro("bounds", &EvolveResult::bounds)
      .def_ro("bounds_from", &EvolveResult::bounds_from)
      .def_ro("terms", &EvolveResult::terms)
      .def_ro("products", &EvolveResult::products)
      .def_ro("norm_before", &EvolveResult::norm_before)
      .def_ro("norm_after", &EvolveResult::norm_after)
      .def_ro("seconds", &EvolveResult::seconds);
  to.each([](auto value, nb::module_& m) { bind_spectrum(value, m); });
}

}  // namespace spmv_python
