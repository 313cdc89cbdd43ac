"""The library's errors: one exception class for each exit code of the program."""

from __future__ import annotations

from typing import Any


class Error(RuntimeError):
    """What went wrong, to what, and what to do. Its classes have the program's exit code as `code`."""

    code = 1


class InternalError(Error):
    """A bug, or a call of MPI or CUDA that failed."""


class UsageError(Error, ValueError):
    """An unknown option, or a call that makes no sense."""

    code = 2


class InputError(Error, ValueError):
    """The matrix or a vector is not what it should be."""

    code = 4


class UnavailableError(Error):
    """No usable GPU, nothing that can move the halo, or an MPI that is not mpi4py's."""

    code = 5


class NoProgressError(Error, TimeoutError):
    """Nothing moved for too long."""

    code = 7


class OutOfMemoryError(Error, MemoryError):
    """It does not fit the host or the GPU."""

    code = 8


class NotConverged(Error):
    """A search for eigenvalues ended before they were found, or a callback stopped moments or an evolution. `result` has
    what there is so far: the best approximations, the moments, or None."""

    code = 9
    result: Any = None


class OtherRankError(Error):
    """Another rank raised an exception that is not the library's; the text names it."""


CLASSES = {
    kind.code: kind
    for kind in (
        InternalError,
        UsageError,
        InputError,
        UnavailableError,
        NoProgressError,
        OutOfMemoryError,
    )
}


def make_error(code: int, text: str) -> Error:
    """The exception of an exit code."""
    return CLASSES.get(code, InternalError)(text)
