"""Arrays that go in and out without a copy, and arrays that are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import DIRECT, agreed, near, raises

import spmv_dist

STENCIL = "stencil27:6,6,6"
ON_HOST = {"backend": "host", **DIRECT}


@pytest.mark.parametrize("layout", [{"format": "csr"}, {"format": "pjds"}, {}])
def test_memory_is_the_vectors_own(layout: dict[str, str]) -> None:
    A = spmv_dist.Matrix.generate(STENCIL, **layout, **ON_HOST)
    x = A.vector(np.arange(len(A.local_rows), dtype=float))
    order = A.order()
    agreed(np.array_equal(np.sort(order), np.arange(len(order))), order)
    for memory in (x.memory.numpy(), np.from_dlpack(x.memory), np.asarray(x.memory)):
        near(memory, order.astype(float), 0)
        memory *= 2
        near(x.get(), 2.0 * np.arange(len(order)), 0)
        memory /= 2
    kept = x.memory.numpy()
    A.close()
    del x, A
    near(kept, order.astype(float), 0)


def test_order_of_a_matrix_with_many_rows() -> None:
    A = spmv_dist.Matrix.generate("stencil7:24,24,24", format="pjds", **ON_HOST)
    order = A.order()
    agreed(np.array_equal(np.sort(order), np.arange(len(order))), order)
    x = A.vector(np.arange(len(order), dtype=float))
    near(x.memory.numpy(), order.astype(float), 0)


def test_a_view_is_used_as_it_is() -> None:
    A = spmv_dist.Matrix.generate(STENCIL, **ON_HOST)
    memory = np.zeros(A.capacity())
    x, y = A.view(memory), A.vector()
    agreed(not x.native.is_copied())
    natural = np.random.default_rng(3).standard_normal(len(A.local_rows))
    memory[: len(natural)] = natural[A.order()]
    A.multiply(x, out=y)
    near(y.get(), A @ natural, 1e-12)


WRONG = {
    "dtype float32": lambda n: np.zeros(n, np.float32),
    "dtype int64": lambda n: np.zeros(n, np.int64),
    "dtype complex128": lambda n: np.zeros(n, complex),
    "has shape": lambda n: np.zeros(n + 1),
    "not contiguous": lambda n: np.zeros(2 * n)[::2],
    "is a list": lambda n: [0.0] * n,
}


@pytest.mark.parametrize("said", WRONG)
def test_arrays_that_do_not_fit_are_refused(said: str) -> None:
    A = spmv_dist.Matrix.generate(STENCIL, **DIRECT)
    n = len(A.local_rows)
    wrong = WRONG[said](n)
    raises(spmv_dist.UsageError, said, lambda: A @ wrong)
    raises(spmv_dist.UsageError, said, lambda: A.multiply(np.zeros(n), out=wrong))
    raises(spmv_dist.UsageError, said, lambda: A.vector(wrong))
    raises(spmv_dist.UsageError, said, lambda: A.vector().get(wrong))
    raises(spmv_dist.UsageError, said, lambda: spmv_dist.cg(A, wrong))
    read_only = np.zeros(n)
    read_only.flags.writeable = False
    raises(spmv_dist.UsageError, "read-only", lambda: A.multiply(np.zeros(n), out=read_only))
    near(A @ read_only, np.zeros(n), 0)


def test_a_vector_of_another_matrix_is_refused() -> None:
    A, B = (
        spmv_dist.Matrix.generate(STENCIL, **DIRECT),
        spmv_dist.Matrix.generate("stencil7:6,6,6", **DIRECT),
    )
    raises(spmv_dist.UsageError, "", lambda: A.multiply(B.vector(), out=A.vector()))
    C = spmv_dist.Matrix.generate(STENCIL, dtype=np.float32, **DIRECT)
    raises(spmv_dist.UsageError, "float32", lambda: A.multiply(C.vector(), out=A.vector()))
    raises(spmv_dist.UsageError, "float32", lambda: spmv_dist.cg(A, C.vector()))
    raises(
        spmv_dist.UsageError,
        "ndarray",
        lambda: A.multiply(A.vector(), out=np.zeros(len(A.local_rows))),
    )
    raises(spmv_dist.UsageError, "", lambda: A.multiply(A.multivector(2), out=A.vector()))


def test_products_that_are_queued() -> None:
    A = spmv_dist.Matrix.generate(STENCIL, **DIRECT)
    natural = np.random.default_rng(3).standard_normal((len(A.local_rows), 2))
    for x, y in (
        (A.vector(natural[:, 0].copy()), A.vector()),
        (A.multivector(2, natural), A.multivector(2)),
    ):
        expected = A @ (A @ x.get())
        A.multiply_queued(x, y)
        A.multiply_queued(y, x)
        near(x.get(), expected, 1e-12)
    raises(spmv_dist.UsageError, "give two vectors", lambda: A.multiply_queued(A.vector(), natural))
    raises(spmv_dist.UsageError, "give two vectors", lambda: A.multiply_queued(natural, natural))


def test_what_a_closed_matrix_can_do_is_to_say_so() -> None:
    A = spmv_dist.Matrix.generate(STENCIL, **DIRECT)
    x, y, array = A.vector(), A.vector(), np.zeros(len(A.local_rows))
    A.close()
    for call in (
        lambda: A @ x,
        lambda: A.multiply(x, out=y),
        lambda: A @ array,
        lambda: A.vector(),
        lambda: spmv_dist.cg(A, array),
        lambda: spmv_dist.eigsh(A),
        lambda: A.describe(),
    ):
        raises(spmv_dist.UsageError, "was closed", call)
    A.close()
    near(x.get(), array, 0)


class Stream:
    """As a stream of CuPy, PyTorch or cuda.core."""

    def __init__(self, **names: Any):
        vars(self).update(names)


def test_streams_are_found_under_every_packages_name() -> None:
    from spmv_dist.library.arrays import stream_of

    assert stream_of(7) == 7
    assert stream_of(Stream(ptr=7)) == 7
    assert stream_of(Stream(cuda_stream=7)) == 7
    assert stream_of(Stream(__cuda_stream__=lambda: (0, 7))) == 7


class WithGradient:
    """As a tensor of PyTorch that wants its gradient."""

    @property
    def __cuda_array_interface__(self) -> Any:
        raise RuntimeError("use var.detach()")


class OnHost:
    """As a tensor of PyTorch in host memory."""

    def __dlpack__(self) -> Any:
        raise AssertionError


def test_what_other_packages_say_is_passed_on() -> None:
    A = spmv_dist.Matrix.generate(STENCIL, **DIRECT)
    raises(spmv_dist.UsageError, "use var.detach()", lambda: A @ WithGradient())
    raises(spmv_dist.UsageError, "give numpy.from_dlpack", lambda: A @ OnHost())


def test_out_of_many_columns_is_checked() -> None:
    A = spmv_dist.Matrix.generate(STENCIL, **DIRECT)
    n = len(A.local_rows)
    X = np.random.default_rng(5).standard_normal((n, 40))
    near(A.multiply(X, out=np.empty((n, 40))), A @ X, 0)
    for said, out in (
        ("dtype float32", np.empty((n, 40), np.float32)),
        ("has shape", np.empty((n, 41))),
        ("not contiguous", np.empty((40, n)).T),
    ):
        raises(spmv_dist.UsageError, said, lambda out=out: A.multiply(X, out=out))
