"""Runs of a few numbers, for the tests of the page of figures, and what such a page consists of."""

from __future__ import annotations

import json
import re
from typing import Any

from spmv_dist.report.parts import Table
from spmv_dist.schema import Record


def run(ranks: float, median: float) -> dict[str, Any]:
    """A run with one mode."""
    return {
        "environment": {"ranks": ranks},
        "matrix": {"name": "m", "rows": 4, "cols": 4, "nonzeros": 9},
        "modes": [{"mode": "task", "median_s": median, "gflops": 2.0}],
    }


def grown(ranks: int, nonzeros: int, median: float) -> dict[str, Any]:
    """A run of weak scaling."""
    one = {**run(ranks, median), "grows_as": "stencil7:8,8,{4*ranks}"}
    one["matrix"] = {"name": f"m{ranks}", "nonzeros": nonzeros}
    return one


def whole() -> dict[str, Any]:
    """A run with something for every figure."""
    one = run(2, 1)
    one["modes"][0].update(overlap={"hidden_s": 1, "exposed_s": 1}, marks=["a"])
    one.update(
        partition={"edge_cut": 1, "halo_total": 2},
        bandwidth={"copy_bytes_per_s": 1e9},
        format={"interior": "csr", "moved_bytes": 1e9},
        left_out=[{"mode": "naive", "reason": "why"}],
        grows_as="m{ranks}",
    )
    spy = {"side": 2, "cells": [[0, 0, 3, 0], [1, 1, 6, 1]]}
    spans = [["mpi", 0, 1e-5], ["merged", 1e-5, 3e-5]]
    one["pictures"] = {
        "every_row": 1,
        "spy_before": spy,
        "spy_after": spy,
        "row_lengths": [[1, 2, 3]],
        "communication": {"ranks_per_block": 1, "bytes": [[0, 8], [8, 0]]},
        "shares": {"values": [{"rows": 2, "nonzeros": 4, "halo": 1}, {"rows": 2, "nonzeros": 5}]},
        "timelines": [{"mode": "task", "ranks": [{"rank": 0, "spans": spans}]}],
    }
    return one


def solver(name: str, mode: str, whole: float, **more: Any) -> dict[str, Any]:
    """A solver that took `whole` seconds an iteration."""
    parts = {"product_s": whole / 2, "vectors_s": whole / 4, "sums_s": whole / 4}
    one = {"solver": name, "mode": mode, "transport": "p2p", "stop": "converged", "iterations": 2}
    one.update(
        seconds_per_iteration=whole,
        seconds_per_iteration_low=0.9 * whole,
        seconds_per_iteration_high=1.1 * whole,
        residual=1e-9,
        history=[1.0, 1e-4, 1e-9],
        **parts,
    )
    return {**one, **more}


def solve(*solvers: dict[str, Any]) -> dict[str, Any]:
    """What `spmv_dist solve` writes."""
    matrix = {"name": "m", "rows": 4, "cols": 4, "nonzeros": 9}
    return {
        "matrix": matrix,
        "environment": {"ranks": 2},
        "preconditioner": "jacobi",
        "solvers": list(solvers),
    }


def search(mode: str, **more: Any) -> dict[str, Any]:
    """A search that found two eigenvalues."""
    one = {"mode": mode, "transport": "shm", "stop": "converged", "reason": "", "products": 60}
    one.update(restarts=2, basis=24, seconds=1e-3, seconds_per_step=1e-5, history=[1.0, 1e-3, 1e-9])
    one.update(eigenvalues=[-2.5, 1.25], residuals=[1e-12, 2e-9], format="csr", layout="merged")
    return {**one, **more}


def eigen(*searches: dict[str, Any]) -> dict[str, Any]:
    """What `spmv_dist eigen` writes."""
    matrix = {"name": "m", "rows": 4, "cols": 4, "nonzeros": 9}
    one = {
        "matrix": matrix,
        "environment": {"ranks": 2},
        "count": 2,
        "which": "lowest",
        "tolerance": 1e-8,
    }
    return {**one, "searches": list(searches)}


def dos(**more: Any) -> dict[str, Any]:
    """What `spmv_dist dos` writes."""
    mode = {"mode": "vector", "transport": "", "bounds": [-2, 2], "bounds_from": "estimated"}
    mode.update(products=44, seconds=1e-3, moments=[[1.0, 0.0, 0.5, 0.1]] * 3)
    one = {
        "matrix": {"name": "m", "rows": 4, "cols": 4, "nonzeros": 9},
        "environment": {"ranks": 1},
    }
    one.update(moments=4, vectors=3, modes=[mode], integral=1.0)
    one.update(energy=[-1.5, 0.0, 1.5], density=[0.25, 0.5, 0.25], error=[0.1, 0.0, 0.2])
    return {**one, **more}


def record(one: Any, where: str = "r.json") -> Record:
    return Record(where, one)


def specs(html: str) -> list[dict[str, Any]]:
    """The charts of a page."""
    found = re.findall(r'<script type="application/json">(.*?)</script>', html, re.DOTALL)
    return [json.loads(text) for text in found]


def table_of(parts: list[Any]) -> list[Any]:
    return next(part.rows for part in parts if isinstance(part, Table))
