"""Tools around the program spmv_dist: what reads its results and starts its runs."""

import sys

# Every tool comes by here first. An older Python, 2.7 as well, has to understand this file.
if sys.version_info < (3, 9):  # noqa: UP036
    sys.stderr.write(
        "spmv_dist: its Python tools need Python 3.9 or later, and "
        + (sys.executable or "this one")
        + " is "
        + sys.version.split()[0]
        + ": take a newer one, on a cluster from a module\n"
    )
    sys.exit(5)  # ExitCode.ENVIRONMENT


def __getattr__(name):
    """The library's names, which need numpy, mpi4py and the bindings: loaded when one is used first."""
    if name.startswith("_") or name == "library":
        raise AttributeError("module spmv_dist has no attribute " + name)
    from spmv_dist import library

    return getattr(library, name)
