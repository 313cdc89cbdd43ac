"""Numbers as people read them."""

import math
from collections.abc import Sequence

_SECONDS = ((1, "s"), (1e-3, "ms"), (1e-6, "µs"))
_BYTES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "B"))


def digits(x: float) -> str:
    """Three digits."""
    size = abs(x)
    if size != 0 and not 1e-3 <= size < 1e7:
        return f"{x:.2e}"
    decimals, bound = 0, 99.95  # 99.96 is 100
    while size != 0 and size < bound:
        decimals, bound = decimals + 1, bound / 10
    return f"{x:.{decimals}f}"


def _in_units(x: float, units: Sequence[tuple[float, str]]) -> str:
    """In the largest of these units, which descend, that x reaches; in the last one if it reaches none."""
    if x == 0:
        return f"0 {units[-1][1]}"
    size, name = next((u for u in units if abs(x) >= u[0] * 0.9995), units[-1])
    return f"{digits(x / size)} {name}"


def seconds(s: float) -> str:
    """Three digits and a unit."""
    return _in_units(s, _SECONDS)


def byte_count(b: float) -> str:
    """Three digits and a unit."""
    return _in_units(b, _BYTES)


def count(n: float) -> str:
    """A whole number, with thin spaces between groups of three digits; three digits of anything else."""
    if n != math.floor(n) or abs(n) >= 1e15:
        return digits(n)
    return f"{int(n):,}".replace(",", "\u202f")


def percent(share: float) -> str:
    """42 %, with a decimal below 10 %; the thin space keeps number and sign on one line."""
    of_100 = share * 100
    return f"{of_100:.{1 if of_100 != 0 and abs(of_100) < 9.95 else 0}f}\u202f%"


def plural(n: float, word: str) -> str:
    """1 rank, 3 ranks."""
    return f"{count(n)} {word}{'' if n == 1 else 's'}"
