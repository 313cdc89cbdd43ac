"""Other threads of Python run while a call waits for other ranks."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import COMM, DIRECT, agreed

import spmv_dist


@pytest.fixture
def _no_other_thread_unless_the_call_waits() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(3600)
    yield
    sys.setswitchinterval(before)


def calls(A: spmv_dist.Matrix) -> dict[str, Callable[[], Any]]:
    b = A.vector(np.ones(len(A.local_rows)))
    x, X, Y = A.vector(), A.multivector(2), A.multivector(2)
    on, solver = spmv_dist.Workspace(A), spmv_dist.Solver(A)
    return {
        "product": lambda: A.multiply(b, out=x),
        "product of several columns": lambda: A.multiply(X, out=Y),
        "new columns": lambda: A.multivector(3),
        "solve": lambda: solver.solve(b, x),
        "norm": lambda: on.norm(b),
    }


@pytest.mark.skipif(COMM.size == 1, reason="one rank waits for none")
@pytest.mark.usefixtures("_no_other_thread_unless_the_call_waits")
@pytest.mark.parametrize(
    "name", ["product", "product of several columns", "new columns", "solve", "norm"]
)
def test_other_threads_run_while_a_call_waits(name: str, tmp_path: Path) -> None:
    """Rank 0 waits in the call for the others, and they wait for a file that only its other thread makes."""
    signal = Path(COMM.bcast(str(tmp_path / "signal")))
    call = calls(spmv_dist.Matrix.generate("stencil7:6,6,6", **DIRECT))[name]
    COMM.barrier()
    if COMM.rank == 0:
        begun = threading.Event()

        def when_begun() -> None:
            begun.wait()
            signal.touch()

        other = threading.Thread(target=when_begun, daemon=True)
        other.start()
        begun.set()
        call()
        other.join()
    else:
        while not signal.exists():
            time.sleep(0.001)
        call()
    agreed(signal.exists())
