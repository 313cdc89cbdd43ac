// The extension module _spmv_dist: errors, contexts, and what the MPI library calls itself.
#include <array>
#include <string>

#include <nanobind/stl/string.h>

#include "bindings.hpp"

namespace spmv_python {
namespace {

/// As MPI_Get_library_version() of the MPI that the library is linked with.
std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return {text.data(), static_cast<std::size_t>(length)};
}

/// The library's errors, as make_error(code, text) of the extension makes them, which the package sets.
void translate(const std::exception_ptr& thrown, void* extension) {
  try {
    std::rethrow_exception(thrown);
  } catch (const spmv_dist::Error& error) {
    const nb::object raised = nb::handle(static_cast<PyObject*>(extension))
                                  .attr("make_error")(static_cast<int>(error.code()), error.what());
    PyErr_SetObject(raised.type().ptr(), raised.ptr());
  }
}

}  // namespace
}  // namespace spmv_python

NB_MODULE(_spmv_dist, m) {
  using namespace spmv_python;
  using spmv_dist::Context, spmv_dist::Options;
  nb::set_leak_warnings(false);  // what lives until the end is not destroyed: that is Collective
  nb::register_exception_translator(translate, m.ptr());
  m.def("version", &spmv_dist::version);
  m.def("mpi_version", &mpi_version);
  m.def("keep_for_ever", [](const nb::object& object) { object.inc_ref(); });

  nb::class_<Options>(m, "Options")
      .def(nb::init<>())
      .def("set", &Options::set, nb::rv_policy::none)
      .def("text", &Options::text);
  auto context = nb::class_<Context>(m, "Context");
  context
      .def("__init__",
           [](Context* at, MPI_Fint communicator, const Options& options) {
             const nb::gil_scoped_release no_gil;
             new (at) Context(MPI_Comm_f2c(communicator), options);
           })
      .def("rank", &Context::rank)
      .def("size", &Context::size)
      .def("backend", &Context::backend)
      .def("describe", &Context::describe);
  add_destroy(context);

  Submodules to(m);
  bind_vectors(to);
  bind_matrices(to);
  bind_solvers(m, to);
  bind_workspaces(m, to);
  bind_spectra(m, to);
}
