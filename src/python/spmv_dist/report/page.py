"""Makes the page: groups of runs, their figures, and what has no room."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import os
from dataclasses import dataclass
from typing import Any, Callable

import jinja2
import vl_convert
from markupsafe import Markup

from spmv_dist.report.figures import (
    DOS_FIGURES,
    EIGEN_FIGURES,
    RUN_FIGURES,
    SOLVE_FIGURES,
    STRONG_SCALING,
    WEAK_SCALING,
    Figure,
)
from spmv_dist.report.parts import Drawing
from spmv_dist.report.runs import Matrix, matrix_of, mode_title, ranks_of, timed_modes
from spmv_dist.schema import Json, Record, is_dos, is_eigen, is_solve, number_or_0, text
from spmv_dist.tool import printable_lines
from spmv_dist.words import count, digits, plural, seconds

MOST_BYTES = 3_000_000  # of which the library of charts is 0.9
_KEPT_FREE = 100_000  # for the list of what has no room, and the end of the page
_LEAST_PART = 2_000  # with less room nothing more is made
_LONGEST_LIST = 100  # names, each of so many characters

# They would show a name in another order than it is written in.
_TURNING = {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}


def visible(value: Any) -> Any:
    """Text from outside with what could not be seen made visible, within lists and objects, too."""
    if isinstance(value, Markup):
        return value
    if isinstance(value, str):
        return printable_lines(value).translate(_TURNING)
    if isinstance(value, dict):
        return {key: visible(one) for key, one in value.items()}
    return [visible(one) for one in value] if isinstance(value, list) else value


def _spec_json(spec: dict[str, Any]) -> Markup:
    """A chart as JSON that is no markup."""
    plain = json.dumps(visible(spec), separators=(",", ":"))
    for character in "<>&":
        plain = plain.replace(character, f"\\u{ord(character):04x}")
    return Markup(plain)


def _asset(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


def _template() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("spmv_dist.report", "."),
        autoescape=True,
        finalize=visible,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["spec"] = _spec_json
    environment.filters["count"] = count
    environment.filters["plural"] = plural
    return environment


@functools.lru_cache(maxsize=1)
def _chart_library() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script."""
    code = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return code.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _hash(script: str) -> str:
    """As a browser's policy names a script that may run."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


# ---- Groups of runs ----------------------------------------------------------------------------

Group = list  # of Record


def _groups(runs: list[Record], key_of: Callable[[Json], Any]) -> list[Group]:
    """Runs with the same key, in the order in which keys come; those whose key is empty are left out."""
    groups: dict[Any, Group] = {}
    for run in runs:
        key = key_of(run.json)
        if key:
            groups.setdefault(key, []).append(run)
    return list(groups.values())


def _of_one_matrix(runs: list[Record]) -> list[Group]:
    """The runs on the most ranks first."""
    groups = _groups(runs, matrix_of)
    return [sorted(group, key=lambda run: -ranks_of(run.json)) for group in groups]


# ---- What commands found of one matrix ---------------------------------------------------------


@dataclass(frozen=True)
class Solution:
    """A kind of file that stands for itself. `says`: what was wanted, in a few words."""

    is_one: Callable[[Json], bool]
    figures: tuple[Figure, ...]
    says: Callable[[Json], str]


def _wanted_eigenvalues(eigen: Json) -> str:
    wanted = plural(number_or_0(eigen, "count"), "eigenvalue")
    return f"{text(eigen, 'which')} {wanted}, tolerance {digits(number_or_0(eigen, 'tolerance'))}"


def _wanted_moments(dos: Json) -> str:
    moments, vectors = (number_or_0(dos, key) for key in ("moments", "vectors"))
    return f"{plural(moments, 'moment')} of {plural(vectors, 'start vector')}"


SOLUTIONS = (
    Solution(
        is_solve,
        SOLVE_FIGURES,
        lambda solve: f"preconditioner {text(solve, 'preconditioner') or 'unknown'}",
    ),
    Solution(is_eigen, EIGEN_FIGURES, _wanted_eigenvalues),
    Solution(is_dos, DOS_FIGURES, _wanted_moments),
)


def _solution_of(record: Record) -> Solution | None:
    return next((kind for kind in SOLUTIONS if kind.is_one(record.json)), None)


# ---- Sections ----------------------------------------------------------------------------------


class Sections:
    """Makes the parts of the page."""

    def __init__(self) -> None:
        self._macros = _template().get_template("sections.html").module

    def _missing(self, title: str, reason: str) -> str:
        return str(self._macros.missing(title, reason))

    def figure(self, figure: Figure, drawing: Drawing) -> str:
        """A figure that has parts."""
        return str(self._macros.figure(figure, drawing))

    def run(self, run: Record, alone: bool) -> str:
        """One run with all its figures; what is not there is named with the reason."""
        head = "" if alone else _introduction(run.json)
        return self._section(run, head, RUN_FIGURES)

    def solution(self, of: Solution, record: Record) -> str:
        """The head of a matrix, and what a command found of it."""
        head = str(self._macros.matrix(matrix_of(record.json)))
        ranks = plural(ranks_of(record.json), "rank")
        says = f"{ranks}, {of.says(record.json)}."
        return head + self._section(record, says, of.figures)

    def _section(self, run: Record, head: str, table: tuple[Figure, ...]) -> str:
        figures, reasons = [], {}
        for figure in table:
            drawing = figure.draw(run.json)
            if drawing.parts:
                figures.append(self.figure(figure, drawing))
            else:
                reasons.setdefault(drawing.says, []).append(figure.title)
        figures += [self._missing("; ".join(titles), why) for why, titles in reasons.items()]
        return str(self._macros.run(head, run.where, _warnings(run.json), Markup("".join(figures))))

    def matrix(self, matrix: Matrix, group: Group) -> str:
        """The head of a matrix, with its strong scaling."""
        drawing = STRONG_SCALING.draw([run.json for run in group])
        head = str(self._macros.matrix(matrix))
        if drawing.parts:
            return head + self.figure(STRONG_SCALING, drawing)
        # Each matrix of weak scaling is there on one number of ranks.
        grows = text(group[0].json, "grows_as")
        return head + ("" if grows else self._missing(STRONG_SCALING.title, drawing.says))

    def weak_scaling(self, name: str, group: Group) -> str:
        drawing = WEAK_SCALING.draw([run.json for run in group])
        head = str(self._macros.head(name))
        if drawing.parts:
            return head + self.figure(WEAK_SCALING, drawing)
        return head + self._missing(WEAK_SCALING.title, drawing.says)


def _introduction(run: Json) -> str:
    """What a run is, in one sentence."""
    fmt = text(run, "format", "interior")
    says = f"{plural(ranks_of(run), 'rank')} in {'format ' + fmt if fmt else 'an unknown format'}"
    modes = timed_modes(run)
    if modes:
        time = seconds(number_or_0(modes[0], "median_s"))
        says += f"; fastest product {time} in mode {mode_title(run, modes[0])}"
    return says + "."


def _warnings(run: Json) -> list[str]:
    warnings = []
    if text(run, "incomplete"):
        warnings.append(f"INCOMPLETE: {text(run, 'incomplete')}")
    for mode in timed_modes(run):
        wrong = number_or_0(mode, "rows_wrong")
        if wrong > 0:
            warnings.append(f"WRONG: {plural(wrong, 'row')} of mode {mode_title(run, mode)}")
    return warnings


def _sections(runs: list[Record]) -> list[tuple[str, Callable[[], str]]]:
    """Names of the page's parts, and what makes each."""
    make = Sections()
    solutions = [(kind, run) for run in runs if (kind := _solution_of(run)) is not None]
    runs = [run for run in runs if _solution_of(run) is None]
    parts: list[tuple[str, Callable[[], str]]] = []
    for group in _groups(runs, lambda run: text(run, "grows_as")):
        name = text(group[0].json, "grows_as")
        parts.append((name, functools.partial(make.weak_scaling, name, group)))
    for group in _of_one_matrix(runs):
        matrix = matrix_of(group[0].json)
        parts.append((matrix.name, functools.partial(make.matrix, matrix, group)))
        alone = len(runs) == 1
        parts += [(run.where, functools.partial(make.run, run, alone)) for run in group]
    for kind, record in solutions:
        parts.append((record.where, functools.partial(make.solution, kind, record)))
    return parts


def render(title: str, sections: list[tuple[str, Callable[[], str]]]) -> str:
    """A page of these parts, at most MOST_BYTES large. What does not fit is named."""
    library, script, style = _chart_library(), _asset("page.js"), _asset("page.css")
    room = MOST_BYTES - _KEPT_FREE - len(library) - len(script) - len(style)
    body, without_room = [], []
    for name, make in sections:
        part = make() if room > _LEAST_PART else ""
        room_left = room - len(part.encode("utf-8", "backslashreplace"))
        if part and room_left > 0:
            body.append(part)
            room = room_left
        else:
            without_room.append(name[:_LONGEST_LIST])
    return (
        _template()
        .get_template("page.html")
        .render(
            title=title,
            policy=f"{_hash(library)} {_hash(script)}",
            library=Markup(library),
            script=Markup(script),
            style=Markup(style),
            body=Markup("".join(body)),
            without_room=without_room[:_LONGEST_LIST],
            number_without_room=len(without_room),
        )
    )


def page(runs: list[Record]) -> str:
    """The page of these runs."""
    alone = len(runs) == 1
    title = matrix_of(runs[0].json).name[:_LONGEST_LIST] if alone else plural(len(runs), "run")
    return render(title, _sections(runs))
