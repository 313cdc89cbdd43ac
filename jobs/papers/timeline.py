#!/usr/bin/env python3
"""The timeline of one product in every mode, as in Fig. 4 of [Kreutzer 2012], from the file that spmv_dist --trace has written.

  timeline.py TRACE.json [--out FILE.png] [--modes vector,naive,task] [--ranks 0,1]
  timeline.py --check      says what is missing in this python3, and leaves

Modes stand side by side on one scale, ranks below each other; a rank's rows are the host thread that moves messages,
the copies each way and the kernels. The paper's task mode is that of spmv_dist --layout split, in which `interior` is the
local product and `boundary` the nonlocal one. The picture is PNG or SVG, by the name of --out. Needs matplotlib.
"""
import argparse
import json
import os
import sys

try:
    import matplotlib
except ImportError as error:
    sys.exit(f"no picture: this python3 ({sys.executable}) has no {error.name}. On Debian or Ubuntu: apt-get install "
             "python3-matplotlib; elsewhere: python3 -m pip install matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend has to be chosen first)
from matplotlib.patches import Patch  # noqa: E402

# Okabe and Ito's colours: distinct in every kind of colour blindness.
COLOURS = {"gather": "#56B4E9", "d2h": "#E69F00", "mpi": "#D55E00", "h2d": "#F0E442", "merged": "#CC79A7",
           "interior": "#0072B2", "boundary": "#009E73", "upload_x": "0.6", "download_y": "0.8"}


class Trace:
    """Slices of a trace by mode and rank, times in microseconds since the mode's product began."""

    def __init__(self, path):
        try:
            with open(path, encoding="utf-8") as file:
                events = json.load(file)["traceEvents"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            sys.exit(f"no picture: {path} is no trace of spmv_dist ({error}); write one with --trace")
        self.names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
        slices = [e for e in events if e["ph"] == "X"]
        self.modes = list(dict.fromkeys(e["cat"] for e in slices))
        self.ranks = sorted({e["pid"] for e in slices})
        begins = {m: min(e["ts"] for e in slices if e["cat"] == m) for m in self.modes}
        self.slices = [(e["cat"], e["pid"], self.names[e["pid"], e["tid"]], e["name"], e["ts"] - begins[e["cat"]], e["dur"])
                       for e in slices if self.names[e["pid"], e["tid"]] != "mode"]

    def of(self, mode, rank):
        return [s[2:] for s in self.slices if s[0] == mode and s[1] == rank]

    def length(self, modes, ranks):
        return max((s[4] + s[5] for s in self.slices if s[0] in modes and s[1] in ranks), default=1)

    def rows(self, mode, rank):
        """Names of the rows of a rank in a mode, from top to bottom: in the order of the file's threads."""
        used = {row for row, *_ in self.of(mode, rank)}
        return [name for (pid, _), name in sorted(self.names.items()) if pid == rank and name in used]


def draw(trace, modes, ranks, path):
    most_rows = max(len(trace.rows(m, r)) for m in modes for r in ranks)
    figure, grid = plt.subplots(len(ranks), len(modes), squeeze=False, sharex=True,
                                figsize=(4.6 * len(modes), 0.9 + len(ranks) * (0.6 + 0.3 * most_rows)))
    length = trace.length(modes, ranks)
    unit, scale = ("ms", 1e-3) if length > 5000 else ("us", 1)
    drawn = set()
    for line, rank in enumerate(ranks):
        for column, mode in enumerate(modes):
            axes = grid[line][column]
            # The host thread on top, as in the paper; what it drives below.
            rows = sorted(trace.rows(mode, rank), key=lambda name: (not name.startswith("MPI"), name.startswith("kernels")))
            for row, phase, begin, duration in trace.of(mode, rank):
                axes.barh(rows.index(row), duration * scale, left=begin * scale, height=0.7,
                          color=COLOURS.get(phase, "0.5"), edgecolor="0.2", linewidth=0.4)
                drawn.add(phase)
            axes.set_yticks(range(len(rows)))
            axes.set_yticklabels(rows, fontsize=7)
            axes.set_ylim(most_rows - 0.5, -0.5)
            axes.set_xlim(0, length * scale * 1.02)
            axes.tick_params(axis="x", labelsize=7)
            axes.grid(True, axis="x", color="0.9")
            axes.set_axisbelow(True)
            for side in ("top", "right"):
                axes.spines[side].set_visible(False)
            if line == 0:
                axes.set_title(f"{mode} mode", fontsize=10)
            if column == 0:
                axes.set_ylabel(f"rank {rank}", fontsize=9)
            if line + 1 == len(ranks):
                axes.set_xlabel(unit, fontsize=8)
    known = [phase for phase in COLOURS if phase in drawn]
    handles = [Patch(facecolor=COLOURS.get(phase, "0.5"), edgecolor="0.2", label=phase)
               for phase in known + sorted(drawn - set(known))]
    figure.tight_layout(rect=(0, 0.3 / figure.get_figheight(), 1, 1))
    figure.legend(handles=handles, loc="lower center", ncol=len(handles), frameon=False, fontsize=8)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def chosen(text, known, what):
    """The comma-separated names of `text` among those that the file has, or all of them."""
    if text is None:
        return known
    names = [type(known[0])(name) for name in text.split(",")]
    unknown = [str(name) for name in names if name not in known]
    if unknown:
        sys.exit(f"no picture: the file has no {what} {', '.join(unknown)}; it has {', '.join(map(str, known))}")
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace", nargs="?")
    parser.add_argument("--out", help="default: the trace's name with .png")
    parser.add_argument("--modes")
    parser.add_argument("--ranks")
    parser.add_argument("--check", action="store_true", help="leave: everything needed is there")
    args = parser.parse_args()
    if args.check:
        return
    if args.trace is None:
        parser.error("name the trace")
    trace = Trace(args.trace)
    if not trace.slices:
        sys.exit(f"no picture: {args.trace} holds no phases")
    draw(trace, chosen(args.modes, trace.modes, "mode"), chosen(args.ranks, trace.ranks, "rank"),
         args.out or os.path.splitext(args.trace)[0] + ".png")


if __name__ == "__main__":
    main()
