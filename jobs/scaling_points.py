#!/usr/bin/env python3
"""Keeps the points of a strong-scaling study: a file with one JSON object per line, one line per point.

  scaling_points.py missing SERIES --ranks N --format F --modes A,B   print the modes that are not in the file yet
  scaling_points.py add     SERIES --ranks N --format F --run RUN     append the points of one --json file of spmv_dist
  scaling_points.py table   SERIES                                    print the series

SERIES names the results file and what its points share: --results FILE --matrix M --partition P --options O --commit C.
A point is that, plus ranks, format and mode. Needs Python 3.8, no packages.
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
    return [p for p in points if all(p.get(key) == series[key] for key in SERIES)]


def with_efficiency(points):
    """Adds efficiency: against the fastest mode of the same format on the fewest ranks, T0 N0 / (T N)."""
    points = sorted(points, key=lambda p: (p["format"], p["ranks"]))
    for point in points:
        same = [p for p in points if p["format"] == point["format"]]
        fewest = same[0]["ranks"]
        base = min(p["median_s"] for p in same if p["ranks"] == fewest) * fewest
        point["efficiency"] = base / (point["median_s"] * point["ranks"])
    return points


def points_of_run(run, series, ranks, fmt, launch):
    environment = dict(run["environment"], launch=launch, setup=run["setup"], bandwidth=run["bandwidth"],
                       slurm_job=os.environ.get("SLURM_JOB_ID"))
    shared = {key: run[key] for key in ("partition", "transport", "vectors", "model")}
    shared["partition_stats"] = shared.pop("partition")
    for mode in run["modes"]:
        if ranks != run["environment"]["ranks"]:
            sys.exit(f"the launcher started {run['environment']['ranks']} ranks instead of {ranks}: it does not belong "
                     "to the MPI library of the program")
        yield {**series, "ranks": ranks, "mode": mode["mode"], "format": fmt, "median_s": mode["median_s"],
               "nonzeros": run["matrix"]["nonzeros"], "rows": run["matrix"]["rows"], "value": run["matrix"]["value"],
               "measured": mode, "storage": run["format"], **shared, "environment": environment}


def add(args, series):
    with open(args.run, encoding="utf-8") as file:
        run = json.load(file)
    lines = [json.dumps(p) + "\n" for p in points_of_run(run, series, args.ranks, args.format, args.launch)]
    unfinished = False
    if os.path.exists(args.results) and os.path.getsize(args.results) > 0:
        with open(args.results, "rb") as file:
            file.seek(-1, os.SEEK_END)
            unfinished = file.read(1) != b"\n"
    if unfinished:
        keep = [json.dumps(p) + "\n" for p in read(args.results)]
        with open(args.results, "w", encoding="utf-8") as file:
            file.writelines(keep)
    with open(args.results, "a", encoding="utf-8") as file:
        file.writelines(lines)


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
        parser.add_argument("--" + key, required=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("missing", "add", "table"))
    series_arguments(parser)
    parser.add_argument("--ranks", type=int)
    parser.add_argument("--format")
    parser.add_argument("--modes")
    parser.add_argument("--run")
    parser.add_argument("--launch", default="")
    args = parser.parse_args()
    series = {key: getattr(args, key) for key in SERIES}
    if args.command == "add":
        add(args, series)
        return
    points = of_series(read(args.results), series)
    if args.command == "table":
        table(points)
        return
    there = {p["mode"] for p in points if p["ranks"] == args.ranks and p["format"] == args.format}
    print(",".join(mode for mode in args.modes.split(",") if mode not in there))


if __name__ == "__main__":
    main()
