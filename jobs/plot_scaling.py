#!/usr/bin/env python3
"""Draws a strong-scaling study: time and parallel efficiency against ranks, a line per mode and format.

  plot_scaling.py --results FILE.jsonl [--matrix M] [--partition P] [--options O] [--commit C] --output FILE.png

The arguments choose the series, by default that of the last point, as for scaling_points.py. Of several transports each point is the fastest. Needs matplotlib (Debian, Ubuntu: python3-matplotlib).
"""
import argparse
import re
import sys

import scaling_points

try:
    import matplotlib
except ImportError:
    sys.exit("no picture: this python3 has no matplotlib. On Debian or Ubuntu: apt-get install python3-matplotlib; "
             "elsewhere: pip install matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend has to be chosen first)

# Okabe and Ito's colours: distinct in every kind of colour blindness, and in grey by their markers.
MODE_STYLE = {"vector": ("#0072B2", "o"), "naive": ("#E69F00", "^"), "task": ("#D55E00", "s")}
MORE_STYLES = [("#009E73", "D"), ("#CC79A7", "v"), ("#56B4E9", "P")]
FORMAT_LINES = ["-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1, 1, 1))]


def fastest_transports(points):
    best = {}
    for p in points:
        key = (p["format"], p["mode"], p["ranks"])
        if key not in best or p["median_s"] < best[key]["median_s"]:
            best[key] = p
    return list(best.values())


def styles(points):
    modes = list(dict.fromkeys(p["mode"] for p in points))
    formats = list(dict.fromkeys(p["format"] for p in points))
    others = iter(MORE_STYLES * len(modes))
    mode_style = {mode: MODE_STYLE.get(mode) or next(others) for mode in modes}
    return mode_style, {fmt: FORMAT_LINES[i % len(FORMAT_LINES)] for i, fmt in enumerate(formats)}


def draw(points, path):
    points = scaling_points.with_efficiency(points)
    mode_style, format_line = styles(points)
    ranks = sorted({p["ranks"] for p in points})
    figure, (time, efficiency) = plt.subplots(1, 2, figsize=(11, 4.8))
    for fmt, line in format_line.items():
        for mode, (colour, marker) in mode_style.items():
            curve = [p for p in points if (p["format"], p["mode"]) == (fmt, mode)]
            if not curve:
                continue
            look = {"color": colour, "marker": marker, "linestyle": line, "linewidth": 1.8, "markersize": 6}
            x = [p["ranks"] for p in curve]
            time.plot(x, [p["median_s"] * 1e3 for p in curve], label=f"{mode}, {fmt}", **look)
            efficiency.plot(x, [p["efficiency"] for p in curve], **look)
    best = min(p["median_s"] for p in points if p["ranks"] == ranks[0])
    ideal = [best * ranks[0] / n * 1e3 for n in ranks]
    time.plot(ranks, ideal, color="0.4", linestyle="--", linewidth=1.2, label="ideal", zorder=1)
    efficiency.axhline(1, color="0.4", linestyle="--", linewidth=1.2, zorder=1)
    efficiency.set_title(f"1: fastest mode on {ranks[0]} rank{'s' * (ranks[0] > 1)}", fontsize=9, loc="right")
    time.set_title("median over products of the slowest rank", fontsize=9, loc="right")
    dress(time, efficiency, ranks)
    environment = points[-1]["environment"]
    figure.suptitle(
        f"{points[0]['matrix']}, {points[0]['nonzeros']:,} nonzeros, {points[0]['value']}, {points[0]['partition']}\n"
        f"{re.split(' [(]|,', environment['places'][0])[0]}, {environment['date'][:10]}, commit {points[0]['commit']}",
        fontsize=10)
    figure.legend(loc="lower center", ncol=4, frameon=False, fontsize=9, handlelength=3.5)
    rows = (len(time.get_legend_handles_labels()[0]) + 3) // 4
    figure.tight_layout(rect=(0, 0.04 * rows, 1, 1))
    figure.savefig(path, dpi=150)


def dress(time, efficiency, ranks):
    for axes in (time, efficiency):
        axes.set_xscale("log", base=2)
        axes.set_xticks(ranks)
        axes.set_xticklabels([str(n) for n in ranks])
        axes.minorticks_off()
        axes.set_xlabel("ranks")
        axes.grid(True, color="0.9")
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    time.set_yscale("log")
    time.yaxis.set_major_locator(matplotlib.ticker.LogLocator(base=10, subs=(1, 1.5, 2, 3, 5, 7)))
    time.yaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    time.yaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())
    time.set_ylabel("time of one product, ms")
    efficiency.set_ylim(bottom=0)
    efficiency.set_ylabel("parallel efficiency")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    scaling_points.series_arguments(parser)
    parser.add_argument("--output", required=True)
    args = parser.parse_args()
    points = fastest_transports(scaling_points.of_series(scaling_points.read(args.results), vars(args)))
    if not points:
        sys.exit(f"no picture: {args.results} has no points of this series")
    draw(points, args.output)


if __name__ == "__main__":
    main()
