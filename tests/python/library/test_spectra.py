"""Eigenvalues, densities of states and evolution against dense matrices."""

from __future__ import annotations

import signal
from typing import Any

import numpy as np
import pytest
import scipy.linalg
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
    import scipy.sparse as sp

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


@pytest.mark.parametrize("teller", range(COMM.size))
def test_an_interrupt_of_one_rank_is_raised_on_all(teller: int, monkeypatch: Any) -> None:
    """As if it had come in the library's call, at whose end Python notices it."""
    module = MODULES[np.dtype("complex128")]
    A = matrix(hermitian("complex128"))
    start = np.ones(len(A.local_rows), complex)

    def interrupted(call: Any) -> Any:
        def wrapped(*arguments: Any) -> Any:
            result = call(*arguments)
            if COMM.rank == teller:
                signal.raise_signal(signal.SIGINT)
            return result

        return wrapped

    for name in ("moments", "moments_of", "evolve"):
        monkeypatch.setattr(module, name, interrupted(getattr(module, name)))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        raises(KeyboardInterrupt, "", lambda: spmv_dist.moments(A, 4, 1))
        raises(KeyboardInterrupt, "", lambda: spmv_dist.moments(A, 4, start=start))
        raises(KeyboardInterrupt, "", lambda: spmv_dist.evolve(A, start, 0.1))
    finally:
        signal.signal(signal.SIGINT, before)


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
