"""The notebook runs: its cells as a program on every number of ranks, and in a kernel of Jupyter where nbclient is there."""

from __future__ import annotations

import ast
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import COMM, agreed, near

NOTEBOOK = Path(__file__).resolve().parents[3] / "src/python/library.ipynb"


def code() -> list[str]:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def shown(cell: str, names: dict[str, Any]) -> Any:
    """What a kernel shows below the cell: the value of its last expression."""
    *statements, last = ast.parse(cell).body
    if not isinstance(last, ast.Expr):
        statements.append(last)
    exec(compile(ast.Module(statements, []), "cell", "exec"), names)  # noqa: S102
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return None


def test_no_outputs_are_kept() -> None:
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        assert cell["cell_type"] == "markdown" or (cell["outputs"], cell["execution_count"]) == (
            [],
            None,
        )


def test_its_cells_run_as_a_program() -> None:
    names: dict[str, Any] = {"__name__": "program"}
    values = [shown(cell, names) for cell in code()]
    near(names["y"], (names["whole"] @ names["x"])[names["first"] : names["end"]], 1e-12)
    near(values[2], 0, 1e-12)
    near(values[4], 0, 0)
    agreed(values[5][0] == 0 and values[5][1] < 1e-5, values[5])
    agreed(values[6][0] == "converged", values[6])
    near(names["energies"], names["exact"], 1e-6)
    near(names["found"].integral, 1, 2e-2)
    if COMM.size == 1:
        near(names["left"].get(), np.linalg.solve(names["whole"].toarray(), names["b"]), 1e-4)


@pytest.mark.skipif(COMM.size > 1, reason="a kernel is one rank")
def test_it_runs_in_a_kernel(monkeypatch: Any) -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    for name in list(os.environ):
        if name.startswith(
            (
                "OMPI_COMM",
                "OMPI_APP",
                "OMPI_MCA_orte",
                "OMPI_MCA_ess",
                "ORTE",
                "PMIX",
                "PMI_",
                "PRTE",
            )
        ):
            monkeypatch.delenv(name)  # the kernel is no rank of mpirun
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert len(outputs) >= 9
    assert not [output for output in outputs if output["output_type"] == "error"]
