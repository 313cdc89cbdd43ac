#!/usr/bin/env python3
"""Reads the points of a scaling study, which spmv_dist.scale writes: a file with one JSON object per line, one line per point.

  scaling_points.py table --results FILE [SERIES]      print a series

A file may have several series: SERIES is --matrix M --partition P --options O --commit C, by default those of the last point.
Points that were left out have no time and are passed over. Needs Python 3.8, no packages.
"""
import argparse
import json
import os
import sys

SERIES = ("matrix", "partition", "options", "commit")
# What every line has, and of which type.
POINT = {**dict.fromkeys(SERIES, str), "ranks": int, "format": str, "mode": str, "median_s": (int, float),
         "measured": dict, "environment": dict}


def read(path):
    """All points of a file. A last line that a killed run left unfinished does not count."""
    points = []
    if not os.path.exists(path):
        return points
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for number, line in enumerate(file, 1):
            try:
                point = json.loads(line)
            except ValueError as error:
                if line.endswith("\n"):
                    sys.exit(f"{path}:{number}: not a JSON object ({error}): remove the line")
                continue
            if isinstance(point, dict) and isinstance(point.get("left_out"), str):
                continue
            require_point(point, f"{path}:{number}")
            points.append(point)
    return points


def require_point(point, where):
    """Ends the program, naming the line, where it holds something else than a point of a study."""
    if not isinstance(point, dict):
        sys.exit(f"{where}: not a JSON object but {json.dumps(point)[:40]}: remove the line")
    for key, kind in POINT.items():
        value = point.get(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            sys.exit(f"{where}: no point of a study: its {key} is {json.dumps(value)[:40]}: remove the line")
    if point["ranks"] < 1 or not 0 <= point["median_s"] < float("inf"):
        sys.exit(f"{where}: no point of a study: {point['ranks']} ranks, {point['median_s']} s: remove the line")


def of_series(points, series):
    """The points with these values; what is not given is that of the last point."""
    wanted = {key: series.get(key) if series.get(key) is not None else points[-1][key] for key in SERIES} if points else {}
    return [p for p in points if all(p.get(key) == wanted[key] for key in SERIES)]


def with_efficiency(points):
    """Adds efficiency: against the fastest mode of the same format on the fewest ranks, T0 N0 / (T N)."""
    points = sorted(points, key=lambda p: (p["format"], p["ranks"]))
    for point in points:
        same = [p for p in points if p["format"] == point["format"]]
        fewest = same[0]["ranks"]
        base = min(p["median_s"] for p in same if p["ranks"] == fewest) * fewest
        point["efficiency"] = base / (point["median_s"] * point["ranks"])
    return points


def table(points):
    points = with_efficiency(points)
    print(f"{'format':<12}{'ranks':>6}  {'mode':<8}{'median us':>12}{'GF/s':>9}{'GB/s':>9}{'efficiency':>12}"
          f"{'hidden':>8}{'to vector':>11}")
    for p in sorted(points, key=lambda p: (p["format"], p["ranks"])):
        vector = [q["median_s"] for q in points
                  if (q["format"], q["ranks"], q["mode"]) == (p["format"], p["ranks"], "vector")]
        gain = f"{vector[0] / p['median_s']:.2f} x" if vector else "-"
        m = p["measured"]
        print(f"{p['format']:<12}{p['ranks']:>6}  {p['mode']:<8}{p['median_s'] * 1e6:>12.1f}{m['gflops']:>9.2f}"
              f"{m['effective_gbytes_per_s']:>9.1f}{p['efficiency'] * 100:>10.0f} %{m['hidden_share'] * 100:>6.0f} %"
              f"{gain:>11}")
    print("efficiency: against the fastest mode of the format on the fewest ranks; to vector: speed-up over vector mode")


def series_arguments(parser):
    parser.add_argument("--results", required=True)
    for key in SERIES:
        parser.add_argument("--" + key)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("table",))
    series_arguments(parser)
    args = parser.parse_args()
    table(of_series(read(args.results), vars(args)))


if __name__ == "__main__":
    main()
