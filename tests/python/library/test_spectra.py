"""Eigenvalues, densities of states and evolution against dense matrices."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from conftest import COMM, DIRECT, agreed, near, poisson, raises

import spmv_dist
from spmv_dist.library.native import MODULES


def hermitian(dtype: str) -> np.ndarray:
    random = np.random.default_rng(2)
    made = random.standard_normal((60, 60))
    if dtype.startswith("complex"):
        made = made + 1j * random.standard_normal((60, 60))
    return (made + made.conj().T).astype(dtype)


def matrix(dense: np.ndarray) -> spmv_dist.Matrix:
    return spmv_dist.Matrix.from_scipy(
        sp.csr_array(dense) if COMM.rank == 0 else None, root=0, **DIRECT
    )


@pytest.mark.parametrize(
    ("dtype", "which"),
    [("float32", "SA"), ("float64", "LA"), ("complex64", "LA"), ("complex128", "SA")],
)
def test_eigenvalues(dtype: str, which: str) -> None:
    dense = hermitian(dtype)
    A = matrix(dense)
    values, vectors = spmv_dist.eigsh(A, 3, which)
    exact = np.linalg.eigvalsh(dense)
    single = dtype in ("float32", "complex64")
    near(values, exact[:3] if which == "SA" else exact[-3:], 1e-3 if single else 1e-8)
    agreed(vectors.dtype == np.dtype(dtype) and vectors.shape == (len(A.local_rows), 3))
    for column in range(3):
        image = A @ np.ascontiguousarray(vectors[:, column])
        near(image, values[column] * vectors[:, column], 1e-2 if single else 1e-5)
    near(spmv_dist.eigsh(A, 3, which, return_eigenvectors=False), values, 1e-3 if single else 1e-8)


def test_every_copy_of_an_eigenvalue_is_found() -> None:
    A = spmv_dist.Matrix.generate("stencil7:5,5,5", **DIRECT)
    near(spmv_dist.eigsh(A, 4)[0], np.linalg.eigvalsh(poisson(5).toarray())[:4], 1e-7)


@pytest.mark.parametrize("which", ["LM", "BE"])
@pytest.mark.parametrize("k", [1, 3, 4, 31, 60])
@pytest.mark.parametrize("shift", [-5.0, 0.0, 5.0])
def test_both_ends_of_the_spectrum(which: str, k: int, shift: float) -> None:
    dense = hermitian("float64") + shift * np.eye(60)
    exact = np.linalg.eigvalsh(dense)
    low = k // 2
    expected = {
        "BE": np.concatenate([exact[:low], exact[60 - (k - low) :]]),
        "LM": np.sort(exact[np.argsort(-abs(exact))[:k]]),
    }[which]
    A = matrix(dense)
    values, vectors = spmv_dist.eigsh(A, k, which)
    near(values, expected, 1e-6)
    for value, vector in zip(values, vectors.T):
        near(A @ np.ascontiguousarray(vector), value * vector, 1e-4)
    near(spmv_dist.eigsh(A, k, which, return_eigenvectors=False), expected, 1e-6)


def test_an_eigenvalue_at_both_ends_is_refused() -> None:
    A = matrix(np.eye(60))
    raises(spmv_dist.InputError, "same eigenvalue", lambda: spmv_dist.eigsh(A, 4, "BE"))
    near(spmv_dist.eigsh(A, 4, "SA")[0], np.ones(4), 1e-12)


def interrupted_calls(A: spmv_dist.Matrix, b: np.ndarray) -> dict[str, Callable[[], Any]]:
    solver = spmv_dist.Solver(A, "minres")
    right, x = A.vector(b), A.vector()
    return {
        "solve": lambda: solver.solve(right, x),
        "eigen": lambda: spmv_dist.eigsh(A, 2),
        "moments": lambda: spmv_dist.moments(A, 4, 1),
        "moments of one": lambda: spmv_dist.moments(A, 4, start=b),
        "evolve": lambda: spmv_dist.evolve(A, b, 0.1),
    }


@pytest.mark.parametrize("teller", range(COMM.size))
@pytest.mark.parametrize("name", ["solve", "eigen", "moments", "moments of one", "evolve"])
def test_an_interrupt_at_the_end_of_a_call_is_raised_on_all(
    name: str, teller: int, monkeypatch: Any
) -> None:
    """As if it had come after the library asked for the last time."""
    module = MODULES[np.dtype("complex128")]
    A = matrix(hermitian("complex128"))
    call = interrupted_calls(A, np.ones(len(A.local_rows), complex))[name]

    def interrupted(call: Any) -> Any:
        def wrapped(*arguments: Any) -> Any:
            result = call(*arguments)
            if COMM.rank == teller:
                signal.raise_signal(signal.SIGINT)
            return result

        return wrapped

    for where, what in (
        (module, "moments"),
        (module, "evolve"),
        (module, "eigen"),
        (module.Solver, "solve"),
    ):
        monkeypatch.setattr(where, what, interrupted(getattr(where, what)))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        raises(KeyboardInterrupt, "", call)
    finally:
        signal.signal(signal.SIGINT, before)
    COMM.barrier()


@pytest.mark.parametrize("teller", range(COMM.size))
@pytest.mark.parametrize("name", ["moments", "moments of one", "density_of_states", "evolve"])
def test_an_interrupt_ends_a_long_call(name: str, teller: int, monkeypatch: Any) -> None:
    """The signal comes while the library is at work, for hours if nothing stops it."""
    size = 200000
    share = [size * rank // COMM.size for rank in range(COMM.size + 1)]
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(size, size), format="csr")
    mine = line[share[COMM.rank] : share[COMM.rank + 1]].astype(complex)
    A = spmv_dist.Matrix.from_scipy(mine, **DIRECT)
    start = A.vector(np.random.default_rng(COMM.rank).standard_normal(len(A.local_rows)) + 0j)
    before = start.get()
    bounds = (-0.1, 4.1)
    of_one = {"start": start, "bounds": bounds}
    call = {
        "moments": lambda: spmv_dist.moments(A, 10**9, 1, bounds=bounds),
        "moments of one": lambda: spmv_dist.moments(A, 10**9, **of_one),
        "density_of_states": lambda: spmv_dist.density_of_states(A, count=10**9, **of_one),
        "evolve": lambda: spmv_dist.evolve(A, start, 2e6, bounds=bounds),
    }[name]

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    def timed(call: Any) -> Any:
        def wrapped(*arguments: Any) -> Any:
            if COMM.rank == teller:
                signal.setitimer(signal.ITIMER_REAL, 0.5)
            return call(*arguments)

        return wrapped

    module = MODULES[A.dtype]
    for what in ("moments", "evolve"):
        monkeypatch.setattr(module, what, timed(getattr(module, what)))
    handler = signal.signal(signal.SIGALRM, interrupt)
    try:
        raises(KeyboardInterrupt, "", call)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    near(start.get(), before, 0)


def test_a_callback_ends_moments_and_an_evolution() -> None:
    """That of one rank those of all."""
    last = COMM.rank == COMM.size - 1
    A = matrix(hermitian("complex128"))
    start = A.vector(np.ones(len(A.local_rows), complex))
    before = start.get()
    whole = spmv_dist.moments(A, 40, 5)
    for call, vectors in (
        (lambda **how: spmv_dist.moments(A, 40, 5, **how), range(2, 5)),
        (lambda **how: spmv_dist.density_of_states(A, count=40, vectors=5, **how), range(2, 5)),
        (lambda **how: spmv_dist.moments(A, 300, start=start, **how), range(1, 2)),
    ):
        try:
            call(callback=lambda moments: last and moments >= 90)
        except spmv_dist.NotConverged as error:
            found = error.result.of_vector
            agreed(
                error.code == 9 and error.result.stop == "asked" and len(found) in vectors, error
            )
            if len(found) > 1:
                near(found, whole.of_vector[: len(found)], 0)
            else:
                agreed(90 <= len(found[0]) < 300, len(found[0]))
        else:
            agreed(False, "nothing was raised")
    told: list[int] = []

    def enough(products: int) -> bool:
        told.append(products)
        return last

    raises(
        spmv_dist.NotConverged,
        "has stopped the evolution",
        lambda: spmv_dist.evolve(A, start, 100, callback=enough),
    )
    agreed(told == [16], told)
    near(start.get(), before, 0)


def test_what_is_not_found_is_an_error_with_what_there_is() -> None:
    A = spmv_dist.Matrix.generate("stencil7:8,8,8", **DIRECT)
    try:
        spmv_dist.eigsh(A, 6, ncv=10, maxiter=1, tol=1e-12)
    except spmv_dist.NotConverged as error:
        values, vectors = error.result
        agreed(error.code == 9 and len(values) == vectors.shape[1])
    else:
        agreed(False, "nothing was raised")
    raises(spmv_dist.UsageError, "which='SM'", lambda: spmv_dist.eigsh(A, which="SM"))
    raises(spmv_dist.UsageError, "copies", lambda: spmv_dist.eigsh(A, which="LM", copies=False))
    raises(spmv_dist.UsageError, "", lambda: spmv_dist.eigsh(A, 0))


def test_moments_and_densities() -> None:
    dense = hermitian("complex128")
    A = matrix(dense)
    exact = np.linalg.eigvalsh(dense)
    start = np.random.default_rng(4).standard_normal(60) + 0j
    local = spmv_dist.moments(A, 8, start=start[A.local_rows], bounds=(exact[0] - 1, exact[-1] + 1))
    low, high = local.bounds.low, local.bounds.high
    values, vectors = np.linalg.eigh((dense - (low + high) / 2 * np.eye(60)) / ((high - low) / 2))
    weights = abs(vectors.conj().T @ start) ** 2 / np.linalg.norm(start) ** 2
    near(
        local.of_vector[0],
        [np.sum(weights * np.cos(n * np.arccos(values))) for n in range(8)],
        1e-10,
    )
    density = spmv_dist.density_of_states(A, 300, count=64, vectors=6)
    near(density.integral, 1, 1e-2)
    agreed(len(density.energy) == len(density.density) == len(density.error) == 300)
    again = spmv_dist.density_of_states(spmv_dist.moments(A, 64, 6), 300)
    near(again.density, density.density, 1e-9)


@pytest.mark.parametrize("imaginary", [False, True])
def test_evolution(imaginary: bool) -> None:
    dense = hermitian("complex128")
    A = matrix(dense)
    start = np.random.default_rng(4).standard_normal(60) + 0j
    exact = scipy.linalg.expm((-1 if imaginary else -1j) * 0.3 * dense) @ start
    found, done = spmv_dist.evolve(A, start[A.local_rows], 0.3, imaginary_time=imaginary)
    near(found, exact[A.local_rows], 1e-7 * np.linalg.norm(exact))
    x = A.vector(start[A.local_rows])
    same, _ = spmv_dist.evolve(A, x, 0.3, imaginary_time=imaginary, bounds=done.bounds)
    agreed(same is x)
    near(x.get(), found, 1e-9 * np.linalg.norm(exact))
    real: Any = matrix(hermitian("float64"))
    raises(
        spmv_dist.UsageError, "", lambda: spmv_dist.evolve(real, np.ones(len(real.local_rows)), 1)
    )


def test_only_hermitian_matrices_have_spectra() -> None:
    A = matrix(np.triu(hermitian("float64")))
    raises(spmv_dist.InputError, "not symmetric", lambda: spmv_dist.eigsh(A, 2))
