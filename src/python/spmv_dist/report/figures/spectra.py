"""What `spmv_dist eigen` and `dos` found: eigenvalues, how their residuals fell, and densities of states."""

from __future__ import annotations

import altair as alt

from spmv_dist.density import Row, area_of_error, layers, points
from spmv_dist.report import charts
from spmv_dist.report.figures.histories import MOST_HISTORY, history_lines, history_points
from spmv_dist.report.parts import Drawing, Legend, Plot, Table, numbers_table, series_colour
from spmv_dist.schema import Json, items, member, number_or_0, numbers, text
from spmv_dist.words import count, digits, plural, seconds

MOST_LINES = 8
MOST_ROWS = 200  # of a table
MOST_POINTS = 4000  # of a curve
MOST_ENERGIES = 10_000_000


def computed(of: list[Json]) -> list[Json]:
    """The modes that were not refused, in the order of the table."""
    return [one for one in of if isinstance(one, dict) and not text(one, "refused")]


def _title(one: Json) -> str:
    over = text(one, "transport")
    return text(one, "mode") + (f" over {over}" if over else "")


# ---- Eigenvalues -------------------------------------------------------------------------------


def _found(eigen: Json) -> Json:
    """The first search that found something."""
    searches = computed(items(eigen, "searches"))
    return next((one for one in searches if items(one, "eigenvalues")), None)


def _pairs_table(values: list[float], residuals: list[float]) -> Table:
    rows = [("", "eigenvalue", "|A v - λ v|")]
    for i, (value, residual) in enumerate(zip(values, residuals)):
        rows.append((count(i + 1), f"{value:.15g}", f"{residual:.2e}"))
    return Table(rows[: MOST_ROWS + 1])


def draw_eigenvalues(eigen: Json) -> Drawing:
    """The eigenvalues with their residuals, which bound their errors."""
    search = _found(eigen)
    values = numbers(member(search, "eigenvalues"), MOST_HISTORY)
    residuals = numbers(member(search, "residuals"), MOST_HISTORY)
    if not values or len(values) != len(residuals):
        return Drawing("no search of this file has eigenvalues")
    which = text(eigen, "which")
    says = f"The {which} {plural(len(values), 'eigenvalue')}, in {plural(number_or_0(search, 'products'), 'product')}"
    says += f" and {seconds(number_or_0(search, 'seconds'))} of mode {_title(search)}"
    says += f"; every one is within {max(residuals):.1e} of an eigenvalue of the matrix."
    if text(search, "stop") != "converged":
        says += f" The search did not converge ({text(search, 'stop')}): {text(search, 'reason')}."
    if len(values) > MOST_ROWS:
        says += f" The first {MOST_ROWS} are shown."
    return Drawing(says, [_pairs_table(values, residuals)])


def _searches_table(searches: list[Json]) -> Table:
    rows = [("search", "products", "restarts", "subspace", "time", "step", "product", "vectors", "sums",
             "format", "layout", "stop", "reason")]  # fmt: skip
    for one in searches:
        counts = (count(number_or_0(one, key)) for key in ("products", "restarts", "subspace"))
        times = ("seconds", "seconds_per_step", "product_s", "vectors_s", "sums_s")
        shown = (seconds(max(0.0, number_or_0(one, key))) for key in times)
        words = (text(one, key) or "–" for key in ("format", "layout", "stop", "reason"))
        rows.append((_title(one), *counts, *shown, *words))
    return numbers_table(rows)


def draw_convergence(eigen: Json) -> Drawing:
    """The largest residual of the wanted pairs at every restart."""
    searches = computed(items(eigen, "searches"))
    shown = searches[:MOST_LINES]
    rows: list[dict] = []
    for i, one in enumerate(shown):
        history = numbers(one.get("history"), MOST_HISTORY)
        rows += history_points(_title(one), series_colour(i), history)
    if not rows:
        return Drawing("no search of this file has a history")
    ends = [
        f"{_title(one)} ends after {plural(number_or_0(one, 'restarts'), 'restart')}"
        for one in shown
    ]
    says = f"{'; '.join(ends)}; the tolerance is {digits(number_or_0(eigen, 'tolerance'))}."
    legend = Legend([(series_colour(i), _title(one)) for i, one in enumerate(shown)])
    lines = history_lines(rows, "restart", "largest |A v - λ v| / |A|", "Residual by restart")
    return Drawing(says, [legend, lines, _searches_table(searches)])


# ---- Densities of states -----------------------------------------------------------------------


def _curve(dos: Json) -> list[Row]:
    energy, density, error = (
        numbers(member(dos, key), MOST_ENERGIES) for key in ("energy", "density", "error")
    )
    if not energy or len(density) != len(energy) or len(error) not in (0, len(energy)):
        return []
    return points(energy, density, error)


def _thinned(curve: list[Row]) -> list[Row]:
    """Every so many points, and the last."""
    step = max(1, -(-len(curve) // MOST_POINTS))
    return curve[:-1:step] + curve[-1:]


def _plot(curve: list[Row]) -> Plot:
    head = ["energy", "density", "low", "high"]
    data = charts.csv_data(head, [tuple(row[key] for key in head) for row in curve])
    base = alt.Chart(data).encode(
        alt.X("energy:Q", title="energy", scale=alt.Scale(zero=False), axis=charts.few_ticks()),
        color=alt.value(series_colour(0)),
    )
    return charts.plot(layers(base), "Density of states by energy", 300)


def _moments_table(modes: list[Json]) -> Table:
    rows = [("mode", "moments", "start vectors", "products", "time", "step", "product", "vectors", "sums",
             "bounds", "format", "layout")]  # fmt: skip
    for one in modes:
        vectors = items(one, "moments")
        moments = len(vectors[0]) if vectors and isinstance(vectors[0], list) else 0
        counts = (count(n) for n in (moments, len(vectors), number_or_0(one, "products")))
        times = ("seconds", "seconds_per_step", "product_s", "vectors_s", "sums_s")
        shown = (seconds(max(0.0, number_or_0(one, key))) for key in times)
        bounds = ", ".join(digits(bound) for bound in numbers(one.get("bounds"), 2))
        words = (text(one, key) or "–" for key in ("format", "layout"))
        rows.append(
            (_title(one), *counts, *shown, f"[{bounds}], {text(one, 'bounds_from')}", *words)
        )
    return numbers_table(rows)


def _stands_on(mode: Json) -> str:
    """What the density is made of, and how far it is smeared."""
    vectors = [mu for mu in items(mode, "moments") if isinstance(mu, list) and mu]
    bounds = numbers(member(mode, "bounds"), 2)
    if not vectors or len(bounds) != 2:
        return "Its moments are not in the file"
    smeared = 3.14159265 * (bounds[1] - bounds[0]) / 2 / len(vectors[0])
    return (
        f"{plural(len(vectors[0]), 'moment')} of {plural(len(vectors), 'start vector')} resolve "
        f"{digits(smeared)} in energy, in the middle of [{digits(bounds[0])}, {digits(bounds[1])}]"
    )


def draw_density(dos: Json) -> Drawing:
    """The density of states with its error band."""
    curve = _curve(dos)
    if not curve:
        return Drawing("there was no density when the computation ended")
    modes = computed(items(dos, "modes"))
    first = next((one for one in modes if items(one, "moments")), None)
    says = _stands_on(first)
    if items(dos, "error"):
        says += f"; the area of the error band is {digits(area_of_error(curve))}, that of the density 1."
    else:
        says += "; one start vector gives no error band."
    shown = _thinned(curve)
    if len(shown) < len(curve):
        says += f" Of {count(len(curve))} energies {count(len(shown))} are shown."
    return Drawing(says, [_plot(shown), _moments_table(modes)])
