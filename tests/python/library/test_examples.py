"""The examples of the manual run as they stand there, and find what they should."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import COMM, agreed, near

MANUAL = Path(__file__).resolve().parents[3] / "src/python/library.md"
PROGRAMS = re.findall(r"\*\*(.*?)\*\*[^`]*?\n\n```python\n(.*?)```", MANUAL.read_text(), re.DOTALL)


def solved(found: dict[str, Any]) -> None:
    assert found["info"] == 0
    near(found["A"] @ found["x"], found["b"], 1e-5)


def ground_state(found: dict[str, Any]) -> None:
    near(found["energies"], np.linalg.eigvalsh(found["H"].toarray())[:2], 1e-8)


def picture(found: dict[str, Any]) -> None:
    near(found["found"].integral, 1, 1e-2)
    agreed(COMM.rank != 0 or "<svg" in Path("dos.svg").read_text())


def small_residual(found: dict[str, Any]) -> None:
    near(found["residual"], np.zeros_like(found["residual"]), 1e-6)


CHECKS: dict[str, Callable[[dict[str, Any]], None]] = {
    "Poisson's equation": solved,
    "Elasticity": solved,
    "The ground state of a Hubbard chain": ground_state,
    "The density of states": picture,
    "A solver of your own": small_residual,
}


def test_every_program_has_a_check() -> None:
    assert [title for title, _ in PROGRAMS] == list(CHECKS)


@pytest.mark.parametrize(("title", "program"), PROGRAMS)
def test_program(title: str, program: str, tmp_path: Path) -> None:
    for package in {"Elasticity": ["pyamg"], "The density of states": ["altair", "vl_convert"]}.get(
        title, []
    ):
        pytest.importorskip(package)
    os.chdir(tmp_path)
    found: dict[str, Any] = {"__name__": "program"}
    exec(compile(program, title, "exec"), found)  # noqa: S102
    CHECKS[title](found)
