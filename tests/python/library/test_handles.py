"""Garbage is collected on each rank in another order; what is destroyed is destroyed by all together."""

from __future__ import annotations

import gc
import os
import random

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import COMM, DIRECT, agreed, near, poisson, raises

import spmv_dist
from spmv_dist.library import native
from spmv_dist.library.context import Context

MATRICES = int(os.environ.get("SPMV_TEST_MATRICES_MADE", "60"))


def test_matrices_are_destroyed_in_agreed_order() -> None:
    context = Context()
    order = []
    made = [
        spmv_dist.Matrix.generate("stencil7:4,4,4", context, mode="task", **DIRECT)
        for _ in range(8)
    ]
    made += [spmv_dist.Workspace(A) for A in made[:3]]  # type: ignore[misc]
    kept = COMM.rank == COMM.size - 1 and COMM.size > 1 and made[5]
    mine = list(range(len(made)))
    random.Random(COMM.rank).shuffle(mine)

    class Spy:
        def __init__(self, number: tuple[int, int], native: object):
            self.number, self.native = number, native

        def destroy(self) -> None:
            order.append(self.number[0])
            self.native.destroy()  # type: ignore[attr-defined]

    for i in mine:
        made[i] = None  # type: ignore[call-overload]
        gc.collect()
    context.parked = type(context.parked)((n, Spy(n, native)) for n, native in context.parked)
    agreed(not order)
    other = spmv_dist.Matrix.generate("stencil7:4,4,4", context, **DIRECT)
    numbers = sorted({*range(1, 12)} - ({6} if COMM.size > 1 else set()), reverse=True)
    agreed(order == numbers, order)
    kept = None
    gc.collect()
    other.close()
    agreed(6 in order or COMM.size == 1 or COMM.rank == COMM.size - 1, order)
    agreed(not context._waiting and not context.parked and kept is None)


def test_a_combination_of_one_rank_alone_disturbs_nothing() -> None:
    context = Context()
    A = spmv_dist.Matrix.generate("stencil7:4,4,4", context, **DIRECT)
    on = spmv_dist.Workspace(A)
    lone = on.combination() if COMM.rank == 0 else None
    B = spmv_dist.Matrix.generate("stencil7:5,5,5", context, **DIRECT)
    del lone, A
    on.close()
    near(B @ np.ones(len(B.local_rows)), (poisson(5) @ np.ones(125))[B.local_rows], 0)
    B.close()
    agreed(len(context._waiting) == (COMM.rank == 0 and COMM.size > 1), context._waiting)


def test_solvers_with_functions_are_garbage_like_others() -> None:
    context = Context()
    A = spmv_dist.Matrix.generate("stencil7:4,4,4", context, **DIRECT)
    solver = spmv_dist.Solver(A, M=lambda r, z: z.set(r.get()), watch=lambda *_: False)
    del solver
    agreed(len(context.parked) == 1)
    A.close()
    agreed(not context._waiting)


def test_vectors_outlive_their_matrix() -> None:
    A = spmv_dist.Matrix.generate("stencil7:4,4,4", **DIRECT)
    x = A.vector(np.arange(len(A.local_rows), dtype=float))
    del A
    gc.collect()
    spmv_dist.Matrix.generate("stencil7:4,4,4", **DIRECT).close()
    near(x.get(), np.arange(len(x)), 0)


def test_with_closes_it() -> None:
    context = Context()
    with spmv_dist.Matrix.generate("stencil7:4,4,4", context, **DIRECT) as A:
        pass
    raises(spmv_dist.UsageError, "was closed", lambda: A.describe())
    agreed(not context.parked and not context._waiting)
    try:
        with spmv_dist.Matrix.generate("stencil7:4,4,4", context, **DIRECT) as A:
            raise KeyError
    except KeyError:
        raises(spmv_dist.UsageError, "was closed", lambda: A.describe())
    agreed(
        len(context.parked) == 1
    )  # nothing Collective while an exception leaves, perhaps on one rank


def test_one_rank_that_raises_makes_all_raise() -> None:
    whole = poisson(4)
    share = [64 * rank // COMM.size for rank in range(COMM.size + 1)]
    mine = whole[share[COMM.rank] : share[COMM.rank + 1]]
    last = COMM.size - 1
    for wrong, kind in (
        (mine.astype(np.int64), spmv_dist.UsageError),
        (mine.toarray(), spmv_dist.UsageError),
    ):
        raises(kind, "", lambda: spmv_dist.Matrix.from_scipy(wrong if COMM.rank == last else mine))  # noqa: B023
    if COMM.size > 1:
        for wrong in (mine.astype(np.float32), sp.csr_array((mine.shape[0], 65))):
            raises(
                spmv_dist.InputError,
                "",
                lambda: spmv_dist.Matrix.from_scipy(wrong if COMM.rank == last else mine),  # noqa: B023
            )
    raises(spmv_dist.UsageError, "root=9", lambda: spmv_dist.Matrix.from_scipy(whole, root=9))
    A = spmv_dist.Matrix.from_scipy(mine, **DIRECT)
    b = np.zeros(mine.shape[0] + (COMM.rank == last))
    raises(
        spmv_dist.UsageError,
        "" if COMM.rank == last else f"rank {last}: ",
        lambda: spmv_dist.cg(A, b),
    )


def test_every_exit_code_has_its_class() -> None:
    codes = {
        1: "InternalError",
        2: "UsageError",
        4: "InputError",
        5: "UnavailableError",
        7: "NoProgressError",
        8: "OutOfMemoryError",
    }
    for code, name in codes.items():
        error = native.make_error(code, "text")
        assert type(error) is getattr(spmv_dist, name)
        assert error.code == code
        assert isinstance(error, spmv_dist.Error)
    assert issubclass(spmv_dist.OutOfMemoryError, MemoryError)
    assert issubclass(spmv_dist.InputError, ValueError)


def test_another_mpi_is_refused_with_both_names() -> None:
    native.require_same_mpi("Open MPI v4.1.4,\nDebian \0", "Open MPI v4.1.4, Debian")
    with pytest.raises(
        spmv_dist.UnavailableError, match="mpi4py uses MPICH 4.2, and the library uses Open MPI"
    ):
        native.require_same_mpi("MPICH 4.2", "Open MPI v4.1.4")


def test_names_are_the_librarys() -> None:
    from spmv_dist import library

    assert sorted(spmv_dist.__all__) == sorted(library.__all__)
    for name in spmv_dist.__all__:
        assert getattr(spmv_dist, name) is getattr(library, name)
        assert getattr(library, name).__doc__


def resources() -> tuple[int, int]:
    """Bytes of memory, and open descriptors."""
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE"), len(os.listdir("/proc/self/fd"))


def test_matrices_that_are_dropped_leave_nothing() -> None:
    whole = poisson(6)
    x = np.ones(216)

    def make_and_drop(count: int) -> None:
        for number in range(count):
            A = spmv_dist.Matrix.from_scipy(whole if COMM.rank == 0 else None, root=0, **DIRECT)
            y = A @ x[A.local_rows]
            if number % 10 == 0:
                spmv_dist.cg(A, y)
        COMM.barrier()

    make_and_drop(30)
    memory, descriptors = resources()
    make_and_drop(MATRICES)
    grown = (resources()[0] - memory) / MATRICES
    agreed(
        resources()[1] == descriptors,
        f"{descriptors} descriptors were open, and {resources()[1]} are",
    )
    agreed(grown < 2000, f"a matrix leaves {grown} bytes")
