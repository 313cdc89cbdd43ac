"""Distributed sparse matrices for scipy's users, and tools around the program spmv_dist, which read its results and start its runs."""

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

# The library, which needs numpy, mpi4py and the bindings: it is loaded when one of its names is used first.
__all__ = [
    "Combination",
    "Context",
    "Error",
    "Hierarchy",
    "InputError",
    "InternalError",
    "Matrix",
    "MultiVector",
    "NoProgressError",
    "NotConverged",
    "OtherRankError",
    "OutOfMemoryError",
    "Solver",
    "UnavailableError",
    "UsageError",
    "Vector",
    "Workspace",
    "bicgstab",
    "bicgstab_2",
    "cg",
    "conjugate",
    "density_of_states",
    "eigsh",
    "evolve",
    "minres",
    "moments",
    "root",
    "slot",
    "where",
]


def __getattr__(name):
    if name not in __all__:
        raise AttributeError("module spmv_dist has no attribute " + name)
    import spmv_dist.library

    return getattr(spmv_dist.library, name)


def __dir__():
    return sorted(list(globals()) + __all__)
