"""Tests of the library in Python, on every number of ranks: each rank runs the same tests with the same random matrices."""

from __future__ import annotations

import faulthandler
import os
from collections.abc import Iterator
from typing import Any

import hypothesis
import numpy as np
import pytest
import scipy.sparse as sp
from mpi4py import MPI

COMM = MPI.COMM_WORLD
DIRECT = {"transport": "shm"}  # choosing one takes longer than most tests
EXAMPLES = int(os.environ.get("SPMV_TEST_EXAMPLES", "25"))
SECONDS_OF_A_TEST = int(
    os.environ.get("SPMV_TEST_SECONDS", "900")
)  # ends ranks that wait for one whose test has ended early

# All ranks draw the same examples, and none shrinks one alone: see agreed().
hypothesis.settings.register_profile(
    "ranks", max_examples=EXAMPLES, derandomize=True, database=None, deadline=None
)
hypothesis.settings.load_profile("ranks")


def agreed(is_so: bool, what: object = "") -> None:
    """Fails on all ranks if it is not so on one."""
    said = COMM.allgather((bool(is_so), str(what)))
    wrong = [f"rank {rank}: {text}" for rank, (fine, text) in enumerate(said) if not fine]
    assert not wrong, "; ".join(wrong)


def near(found: Any, expected: Any, bound: Any) -> None:
    """Every element is within its bound, on all ranks."""
    found, expected = np.asarray(found), np.asarray(expected)
    fits = found.shape == expected.shape and bool(np.all(np.abs(found - expected) <= bound))
    agreed(fits, f"found {found}, expected {expected} within {bound}")


def raises(kind: type[BaseException], text: str, call: Any) -> None:
    """All ranks raise it."""
    try:
        call()
    except kind as error:
        agreed(text in str(error), f"{error!r} does not say {text!r}")
    else:
        agreed(False, "nothing was raised")


def poisson(n: int) -> sp.csr_array:
    """The seven-point Laplacian on a cube of n points in each direction."""
    line = sp.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    one = sp.eye_array(n)
    return sp.csr_array(
        sp.kron(sp.kron(line, one), one)
        + sp.kron(sp.kron(one, line), one)
        + sp.kron(sp.kron(one, one), line)
    )


@pytest.fixture(autouse=True)
def _no_rank_waits_for_ever() -> Iterator[None]:
    faulthandler.dump_traceback_later(SECONDS_OF_A_TEST, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture(scope="module", params=["cupy", "torch"])
def package(request: Any) -> Any:
    """CuPy and PyTorch, of gpu_packages.py. Skips without a GPU or the package."""
    import gpu_packages

    missing = gpu_packages.gpu_is_missing()
    if missing:
        pytest.skip(missing)
    pytest.importorskip(request.param)
    made = gpu_packages.PACKAGES[request.param]()
    gpu_packages.delay(made, made.stream())  # compiles its kernels
    made.wait()
    return made


@pytest.fixture(scope="module")
def gpu_matrix(package: Any) -> Any:
    import spmv_dist

    return spmv_dist.Matrix.generate("stencil27:20,20,20", backend="cuda")
