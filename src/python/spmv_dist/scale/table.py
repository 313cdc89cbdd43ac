"""The points of one study as a table."""

from __future__ import annotations

from typing import Any

from spmv_dist.scale.point import Json
from spmv_dist.tool import printable

_NOTE = "efficiency: nonzeros per time and rank, against the fastest mode of the format on the fewest ranks\n"
_US = 1e-6


def _text(point: Json, name: str) -> str:
    value = point.get(name)
    return printable(value) if isinstance(value, str) else ""


def _number(values: Any, name: str) -> float:
    value = values.get(name) if isinstance(values, dict) else None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else 0


def _rate(point: Json) -> float:
    """Nonzeros per second and rank; 0 for a product too short to be timed."""
    seconds = _number(point, "median_s") * _number(point, "ranks")
    return max(1.0, _number(point, "nonzeros")) / seconds if seconds > 0 else 0


def _group(point: Json) -> tuple[str, str]:
    return _text(point, "format"), _text(point, "partition")


def _base_rates(points: list[Json]) -> dict[tuple[str, str], float]:
    """The best rate of every group on its fewest ranks. `points`: the fewest ranks of a group first."""
    fewest: dict[tuple[str, str], float] = {}
    rates: dict[tuple[str, str], float] = {}
    for point in points:
        group, ranks = _group(point), _number(point, "ranks")
        if fewest.setdefault(group, ranks) == ranks:
            rates[group] = max(rates.get(group, 0), _rate(point))
    return rates


def _in_us(seconds: float) -> str:
    return f"{seconds / _US:.1f}" if seconds > 0 else "-"


def _interval(measured: Json) -> str:
    low, high = _number(measured, "median_low_s"), _number(measured, "median_high_s")
    return f"{_in_us(low)} to {_in_us(high)}" if low > 0 else "-"


def _hidden(point: Json) -> str:
    """A dash without a halo, as on one rank, and where the halo takes less time than the median is unsure by."""
    measured = point["measured"]
    alone = _number(measured, "halo_alone_s")
    unsure = _number(measured, "median_high_s") - _number(measured, "median_low_s")
    known = (
        alone > 0 and unsure <= alone and _number(point.get("partition_stats"), "halo_total") > 0
    )
    return f"{_number(measured, 'hidden_share') * 100:.0f} %" if known else "-"


def _cells(point: Json, names: list[str], base: float) -> list[str]:
    measured = point["measured"]
    return [
        *(_text(point, name) for name in names),
        _text(point, "mode"),
        f"{_number(point, 'ranks'):.0f}",
        _in_us(_number(point, "median_s")),
        _interval(measured),
        f"{_number(measured, 'gflops'):.2f}",
        f"{_number(measured, 'effective_gbytes_per_s'):.1f}",
        _hidden(point),
        f"{_rate(point) / base * 100:.0f} %" if base > 0 else "-",
    ]


def _aligned(lines: list[list[str]], left: int) -> str:
    """Lines of cells as columns: the last cell and the first `left` to the left, the others to the right."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    to_left = [i < left or i + 1 == len(widths) for i in range(len(widths))]
    rows = (
        "  ".join(
            cell.ljust(width) if at_left else cell.rjust(width)
            for cell, width, at_left in zip(line, widths, to_left)
        )
        for line in lines
    )
    return "".join(row.rstrip() + "\n" for row in rows)


def scaling_table(points: list[Json]) -> str:
    """A table with parallel efficiency: nonzeros per time and rank, against those of the fastest mode of the same
    format and partition on the fewest ranks. Points that were left out are named below it."""
    measured = sorted(
        (p for p in points if "measured" in p), key=lambda p: (_group(p), _number(p, "ranks"))
    )
    base = _base_rates(measured)
    names = ["format"]
    names += [
        name
        for name in ("partition", "transport")
        if len({_text(point, name) for point in measured}) > 1
    ]
    head = [
        *names,
        "mode",
        "ranks",
        "median us",
        "95 % interval",
        "GF/s",
        "GB/s",
        "hidden",
        "efficiency",
    ]
    table = _aligned(
        [head, *(_cells(point, names, base[_group(point)]) for point in measured)], len(names) + 1
    )
    return table + "".join(_left_out(point) for point in points if "left_out" in point) + _NOTE


def _left_out(point: Json) -> str:
    mode, transport, format_, partition = (
        _text(point, name) for name in ("mode", "transport", "format", "partition")
    )
    ranks = _number(point, "ranks")
    return f"left out: {mode} over {transport}, {format_}, {partition}, {ranks:.0f} ranks: {_text(point, 'left_out')}\n"
