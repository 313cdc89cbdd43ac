"""Where and how a run was measured."""

from __future__ import annotations

from spmv_dist.report.parts import Drawing, Facts
from spmv_dist.report.runs import ranks_of
from spmv_dist.schema import Json, items, member, number_or_0, text
from spmv_dist.words import plural


def draw_environment(run: Json) -> Drawing:
    environment = member(run, "environment")
    values = list(environment.items()) + [
        ("format", member(run, "format", "interior")),
        ("partitioner", member(run, "partition", "partitioner")),
        ("reason", member(run, "partition", "reason")),
        ("transport", member(run, "transport")),
        ("reason", member(run, "transport_choice", "reason")),
    ]
    date = text(environment, "date")
    says = f"Measured {'on ' + date if date else 'at an unknown time'} on {plural(ranks_of(run), 'rank')}"
    nodes = number_or_0(environment, "nodes")
    if nodes > 0:
        says += f" of {plural(nodes, 'node')}"
    if text(environment, "backend"):
        says += f", backend {text(environment, 'backend')}"
    places = items(environment, "places")
    if places and isinstance(places[0], str):
        says += f"; rank 0: {places[0]}"
    known = [(name, value) for name, value in values if value is not None]
    return Drawing(says + ".", [Facts("Everything", known)])
