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

/// What work(options) returns, where `watch` is the options'.
template <class Options, class Work>
auto watched(Options options, const nb::object& watch, const Work& work) {
  Callback callback(watch);
  options.watch = [&callback](auto... done) { return callback.call(true, done...); };
  return call_with({&callback}, [&] { return work(options); });
}

template <class T>
EigenResult<T> eigen(Matrix<T>& A, const EigenOptions& options, const nb::object& watch) {
  return watched(options, watch, [&](const EigenOptions& with) { return spmv_dist::eigen(A, with); });
}

/// `v`: nullptr for random vectors.
template <class T>
Moments moments(Matrix<T>& A, const Vector<T>* v, const MomentsOptions& options, const nb::object& watch) {
  return watched(options, watch, [&](const MomentsOptions& with) {
    return v != nullptr ? spmv_dist::moments_of(A, *v, with) : spmv_dist::moments(A, with);
  });
}

template <class T>
EvolveResult evolve(Matrix<T>& A, Vector<T>& x, double t, const EvolveOptions& options,
                    const nb::object& watch) {
  return watched(options, watch, [&](const EvolveOptions& with) { return spmv_dist::evolve(A, x, t, with); });
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
  m.def("moments", &moments<T>, nb::arg("A"), nb::arg("v").none(), nb::arg("options"), nb::arg("watch"));
  m.def("evolve", &evolve<T>);
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
      .def_ro("seconds", &Moments::seconds)
      .def_prop_ro("stop", [](const Moments& found) { return spmv_dist::to_string(found.stop); });
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
      .def_ro("seconds", &EvolveResult::seconds)
      .def_prop_ro("stop", [](const EvolveResult& found) { return spmv_dist::to_string(found.stop); });
  to.each([](auto value, nb::module_& m) { bind_spectrum(value, m); });
}

}  // namespace spmv_python
