"""The extension module and mpi4py, which must be of one MPI. Importing this says what is missing."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from spmv_dist.library.errors import UnavailableError, make_error

if sys.version_info < (3, 10):
    raise UnavailableError(
        f"spmv_dist: the library needs Python 3.10 or later, and this one is {sys.version.split()[0]}"
    )

try:
    import numpy as np
    from mpi4py import MPI
except ImportError as error:
    raise UnavailableError(
        f"spmv_dist: the library needs numpy and mpi4py ({error}): pip install numpy, and "
        "pip install --no-binary mpi4py mpi4py, which compiles it for this machine's MPI"
    ) from error
try:
    import _spmv_dist
except ImportError as error:
    raise UnavailableError(
        "spmv_dist: this installation has the tools alone, not the library's bindings "
        f"({error}): they need a C++20 compiler, CMake, MPI, METIS and LAPACK when they are "
        "installed by pip install -v ., whose output says what was not found"
    ) from error


def one_name(version: str) -> str:
    """What an MPI library calls itself, as one line."""
    return " ".join(version.replace("\0", " ").split())


def require_same_mpi(of_mpi4py: str, of_library: str) -> None:
    """Two MPI libraries in one process have handles of different types: refuses them."""
    if one_name(of_mpi4py) != one_name(of_library):
        raise UnavailableError(
            f"spmv_dist: mpi4py uses {one_name(of_mpi4py)}, and the library uses "
            f"{one_name(of_library)}: compile mpi4py with that MPI, by "
            "pip install --force-reinstall --no-binary mpi4py mpi4py, or spmv_dist with mpi4py's"
        )


require_same_mpi(MPI.Get_library_version(), _spmv_dist.mpi_version())
_spmv_dist.make_error = make_error

extension: Any = _spmv_dist
MODULES: dict[np.dtype, ModuleType] = {
    np.dtype(name): getattr(_spmv_dist, name)
    for name in ("float32", "float64", "complex64", "complex128")
}


def value_type(dtype: Any, what: str) -> np.dtype:
    """The dtype, if the library has it. Local; raises UsageError."""
    found = np.dtype(dtype)
    if found not in MODULES:
        raise make_error(
            2,
            f"{what} has dtype {found}, but values are float32, float64, complex64 or complex128: "
            "convert it by astype()",
        )
    return found
