#!/usr/bin/env python3
"""Tables and figures of the papers about storage formats, from what jobs/papers/run.sh has measured.

  figures.py DIR       reads DIR/formats.csv, formats_float.csv, host.csv and analysis.json; writes CSV, PNG and summary.md
  figures.py --check   says what is missing in this python3, and leaves

[Wang 2020] proposes PELLR, [Kreutzer 2012] pJDS, [Vazquez 2011] ELLPACK-R; README.md says which figure is which. Needs numpy and matplotlib.
"""
import argparse
import csv
import os
import sys

import paper_data as data

try:
    import matplotlib
    import numpy as np
except ImportError as error:
    sys.exit(f"no figures: this python3 ({sys.executable}) has no {error.name}. On Debian or Ubuntu: apt-get install "
             "python3-matplotlib python3-numpy; elsewhere: python3 -m pip install matplotlib numpy")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend has to be chosen first)

# Okabe and Ito's colours, then their greys: distinct in every kind of colour blindness.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "0.2", "0.5", "0.75"]


def text(value):
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e6 else f"{value:.6g}"
    return str(value)


class Report:
    """Files in a folder, and summary.md that shows them."""

    def __init__(self, folder):
        self.folder = folder
        self.parts = []

    def path(self, name):
        return os.path.join(self.folder, name)

    def say(self, line):
        self.parts.append(line + "\n")

    def table(self, name, title, header, rows, show=True):
        with open(self.path(name + ".csv"), "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(header)
            writer.writerows([["" if v is None else v for v in row] for row in rows])
        lines = [f"### {title}", f"[{name}.csv]({name}.csv)", ""]
        if show:
            lines += ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
            lines += ["| " + " | ".join(text(v) for v in row) + " |" for row in rows]
        self.say("\n".join(lines))

    def picture(self, name, figure):
        figure.savefig(self.path(name + ".png"), dpi=130)
        plt.close(figure)
        self.say(f"![{name}]({name}.png)")

    def write(self):
        with open(self.path("summary.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(self.parts))


def dress(axes):
    axes.grid(True, axis="y", color="0.9")
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def contrast(rgba):
    """A colour for letters on this one."""
    return "white" if 0.299 * rgba[0] + 0.587 * rgba[1] + 0.114 * rgba[2] < 0.5 else "black"


def heat_map(report, name, title, label, groups, series, line):
    """A cell with its value for each of `groups`, downward, and of `series`; blue below `line` and red above it, where there is one."""
    values = np.array([[np.nan if v is None else v for v in column] for column in series.values()], dtype=float).T
    largest = np.nanmax(values)
    figure, axes = plt.subplots(figsize=(min(14, max(8, 3.2 + 0.5 * len(series))), 1.9 + 0.24 * len(groups)))
    if line is None:
        colours, norm = matplotlib.colormaps["viridis"].copy(), matplotlib.colors.Normalize(0, largest)
    else:
        colours, norm = matplotlib.colormaps["RdBu_r"].copy(), matplotlib.colors.TwoSlopeNorm(line, 0, max(largest, 1.5 * line))
    colours.set_bad("0.93")
    image = axes.imshow(values, aspect="auto", cmap=colours, norm=norm)
    for (row, column), value in np.ndenumerate(values):
        refused = np.isnan(value)
        axes.text(column, row, "–" if refused else f"{value:.3g}" if value < 1000 else f"{value:.0f}", ha="center", va="center", fontsize=6,
                  color="0.5" if refused else contrast(colours(norm(value))))
    axes.set_xticks(range(len(series)))
    axes.set_xticklabels(list(series), rotation=40, ha="left", rotation_mode="anchor", fontsize=8)
    axes.xaxis.tick_top()
    axes.set_yticks(range(len(groups)))
    axes.set_yticklabels(groups, fontsize=7)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.set_title(title, fontsize=10)
    figure.colorbar(image, ax=axes, label=label, fraction=0.03, pad=0.01)
    figure.tight_layout()
    report.picture(name, figure)


def lying_bars(report, name, title, label, groups, named, line):
    """One bar below the other, for many groups. `named`: the series' name and its values."""
    figure, axes = plt.subplots(figsize=(8, 1.6 + 0.19 * len(groups)))
    axes.barh(range(len(groups)), [np.nan if v is None else v for v in named[1]], color=COLOURS[0])
    if line is not None:
        axes.axvline(line, color="0.3", linewidth=1)
    axes.set_yticks(range(len(groups)))
    axes.set_yticklabels(groups, fontsize=7)
    axes.set_ylim(len(groups) - 0.4, -0.6)
    axes.set_xlabel(f"{label}: {named[0]}")
    axes.set_title(title, fontsize=10)
    dress(axes)
    axes.grid(True, axis="x", color="0.9")
    figure.tight_layout()
    report.picture(name, figure)


def bars(report, name, title, label, groups, series, line=None):
    """`series` is name -> one value or None for each of `groups`. The numbers go to a CSV file. Few are drawn as grouped bars, upright or,
    of one series, lying; more than that as a heat map: no picture is wider than a page."""
    series = {key: values for key, values in series.items() if any(v is not None for v in values)}
    rows = [[group] + [values[i] for values in series.values()] for i, group in enumerate(groups)]
    if not series or not groups:
        report.say(f"### {title}\nNot drawn: none of these formats was measured.")
        return
    report.table(name, title, ["matrix"] + list(series), rows, show=False)
    most_bars = 60
    if len(series) > 1 and len(groups) * len(series) > most_bars:
        heat_map(report, name, title, label, groups, series, line)
        return
    if len(series) == 1 and len(groups) > most_bars // 2:
        lying_bars(report, name, title, label, groups, *series.items(), line)
        return
    figure, axes = plt.subplots(figsize=(max(6.5, 1.5 + 0.16 * len(groups) * (len(series) + 1)), 4.6))
    width = 0.85 / len(series)
    for k, (key, values) in enumerate(series.items()):
        at = np.arange(len(groups)) - 0.425 + (k + 0.5) * width
        heights = [np.nan if v is None else v for v in values]
        axes.bar(at, heights, width, label=key, color=COLOURS[k % len(COLOURS)],
                 hatch="" if k < len(COLOURS) else "//")
    if line is not None:
        axes.axhline(line, color="0.3", linewidth=1)
    axes.set_xticks(range(len(groups)))
    axes.set_xticklabels(groups, rotation=40, ha="right", fontsize=8)
    axes.set_ylabel(label)
    axes.set_title(title, fontsize=10)
    if len(series) > 1:
        axes.legend(frameon=False, fontsize=8, ncol=max(1, min(len(series), 6)))
    dress(axes)
    figure.tight_layout()
    report.picture(name, figure)


def table_of_kreutzer(report, matrices, double, single, host):
    header = ["matrix", "data reduction %"]
    header += [f"{precision} {fmt} {unit}" for precision in ("SP", "DP") for fmt in ("ELLPACK-R", "pJDS")
               for unit in ("GF/s", "GB/s")]
    header += ["CPU CRS DP GF/s"]
    rows = []
    for m in matrices:
        stored, ellpack = (double.number(m, "pjds", key) for key in ("stored_elements", "ellpack_elements"))
        kept = data.ratio(stored, ellpack)
        row = [m, None if kept is None else 100 * (1 - kept)]
        for measured in (single, double):
            for fmt in ("ELLPACK-R", "pJDS"):
                row += [measured.gflops(m, fmt), measured.number(m, measured.ours(fmt), "effective_GB_s")]
        rows.append(row + [host.number(m, "csr", "gflops")])
    report.table("kreutzer2012_table1", "[Kreutzer 2012, Table 1]: memory that pJDS saves against ELLPACK, and performance", header, rows)


def row_lengths_of_kreutzer(report, matrices, analyses):
    few = 20
    columns = min(4 if len(matrices) <= few else 6, len(matrices))
    lines = (len(matrices) + columns - 1) // columns
    figure, grid = plt.subplots(lines, columns, figsize=(3.1 * columns if columns <= 4 else 2.3 * columns, 2.5 * lines if columns <= 4 else 1.9 * lines),
                                squeeze=False)
    for axes in grid.flat[len(matrices):]:
        axes.axis("off")
    for axes, m in zip(grid.flat, matrices):
        pairs = data.lengths(analyses[m])
        axes.bar([p[0] for p in pairs], [p[1] for p in pairs], width=1.0, color=COLOURS[0])
        axes.set_yscale("log")
        axes.set_ylim(bottom=0.7)  # one row is visible
        axes.yaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())
        axes.set_title(m, fontsize=8)
        axes.set_xlabel("nonzeros in a row", fontsize=7)
        axes.set_ylabel("rows", fontsize=7)
        axes.tick_params(labelsize=7)
        dress(axes)
    figure.tight_layout()
    report.table("kreutzer2012_fig3", "[Kreutzer 2012, Fig. 3]: row lengths, bins of 1", ["matrix", "length", "rows"],
                 [[m, length, rows] for m in matrices for length, rows in data.lengths(analyses[m])], show=False)
    report.picture("kreutzer2012_fig3", figure)


def table_of_vazquez(report, matrices, analyses):
    rows = []
    for m in matrices:
        a = analyses[m]
        mean, sigma = a["mean_length"], a["length_sigma"]
        rows.append([m, a["rows"], a["nonzeros"], mean, a["longest"] - mean, sigma,
                     100 * sigma / mean if mean else None, 100 * data.ell_share_of_hyb(a)])
    report.table("vazquez2011_table1", "[Vazquez 2011, Table I]: the matrices",
                 ["matrix", "N", "entries", "Av", "Max-Av", "sigma", "% sigma/Av", "% ELL(HYB)"], rows)


def figures_of_vazquez(report, matrices, analyses, double, host):
    names = ["CRS", "CRS(vector)", "SpMV4GPU", "ELLPACK", "HYB", "ELLPACK-R"]
    matrices = sorted(matrices, key=lambda m: analyses[m]["nonzeros"])
    gflops = {name: [double.gflops(m, name) for m in matrices] for name in names}
    bars(report, "vazquez2011_fig4", "[Vazquez 2011, Fig. 4]: performance by format, matrices by entries", "GFLOPS", matrices, gflops)
    bars(report, "vazquez2011_crs", "Speed-up over CRS on the same device (data of Fig. 4)", "speed-up", matrices,
         {name: [data.ratio(v, c) for v, c in zip(gflops[name], gflops["CRS"])] for name in names[1:]}, 1)
    mean = {}
    for name in names:
        # Over the matrices that every format of the figure can hold, so that none is spared the hard ones.
        common = [i for i, _ in enumerate(matrices)
                  if all(values[i] is not None for values in gflops.values() if any(v is not None for v in values))]
        weights = [analyses[matrices[i]]["nonzeros"] for i in common]
        if common and gflops[name][common[0]] is not None and sum(weights) > 0:
            mean[name] = float(np.average([gflops[name][i] for i in common], weights=weights))
    bars(report, "vazquez2011_fig5", "[Vazquez 2011, Fig. 5]: mean performance, weighted by entries", "GFLOPS", list(mean),
         {"mean": list(mean.values())})
    bars(report, "vazquez2011_fig6", "[Vazquez 2011, Fig. 6]: ELLPACK-R on the device over CSR on this machine's cores", "speed-up", matrices,
         {"speed-up": [data.ratio(double.gflops(m, "ELLPACK-R"), host.number(m, "csr", "gflops")) for m in matrices]}, 1)


def figures_of_wang(report, matrices, analyses, double):
    matrices = sorted(matrices, key=lambda m: analyses[m]["length_sigma"])
    rows = []
    for m in matrices:
        a = analyses[m]
        plain, ordered = data.iterations(a)
        rows.append([m, a["rows"], a["nonzeros"], a["mean_length"], a["length_sigma"],
                     a["longest"] - data.shortest(a), plain, ordered, data.ratio(plain, ordered), data.computations(a),
                     data.ratio(double.gflops(m, "PELLR"), double.gflops(m, "ELLR"))])
    report.table("wang2020_table1", "[Wang 2020, Table 1 and Eqs. 1, 2]: iterations of warps, and what they are worth",
                 ["matrix", "N", "nnz", "ave", "sigma", "max-min", "N_iter ELLR", "N_iter PELLR", "N_iter ratio", "N_p",
                  "PELLR / ELLR measured"], rows)
    for number, other in (("6", "ELLR"), ("8", "HYB"), ("9", "BiELL"), ("10", "BiJAD")):
        bars(report, f"wang2020_fig{number}", f"[Wang 2020, Fig. {number}]: PELLR over {other}, matrices by sigma", "ratio", matrices,
             {f"PELLR / {other}": [data.ratio(double.gflops(m, "PELLR"), double.gflops(m, other)) for m in matrices]}, 1)
    for number, names in (("11", ["PELLR", "HYB", "BiELL", "BiJAD"]),
                          ("12", ["CSRV", "JAD", "ELL", "ELLR", "PELLR", "HYB", "cuCSR"])):
        bars(report, f"wang2020_fig{number}", f"[Wang 2020, Fig. {number}]: {', '.join(names)}", "GFLOPS", matrices,
             {name: [double.gflops(m, name) for m in matrices] for name in names})


def all_formats(report, matrices, double):
    measured = [f for f in double.formats() if any(double.number(m, f, "gflops") is not None for m in matrices)]
    report.table("all_formats", "All formats: microseconds of a product", ["matrix"] + measured,
                 [[m] + [double.number(m, f, "median_us") for f in measured] for m in matrices])
    best = []
    for m in matrices:
        times = {f: double.number(m, f, "median_us") for f in measured}
        times = {f: t for f, t in times.items() if t is not None}
        if times:
            first = min(times, key=times.get)
            best.append([m, first, times[first], double.number(m, first, "effective_GB_s"),
                         double.number(m, first, "of_copy"), double.number(m, first, "build_products")])
    report.table("best", "The fastest format of every matrix",
                 ["matrix", "format", "us", "GB/s", "of copy", "built in products"], best)
    bars(report, "all_formats_bandwidth", "All formats: effective bandwidth over the device's copy", "of copy", matrices,
         {f: [double.number(m, f, "of_copy") for m in matrices] for f in measured}, 1)
    refused = [[m, f, row["reason"]] for (m, f), row in double.rows.items() if row["status"] != "ok"]
    if refused:
        report.table("refused", "Refused", ["matrix", "format", "reason"], refused, show=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--check", action="store_true", help="leave: everything needed is there")
    args = parser.parse_args()
    if args.check:
        return
    if args.folder is None:
        parser.error("name the folder with the measurements")
    double = data.Measured(os.path.join(args.folder, "formats.csv"))
    single = data.Measured(os.path.join(args.folder, "formats_float.csv"))
    host = data.Measured(os.path.join(args.folder, "host.csv")) or double
    if not double:
        sys.exit(f"no figures: {args.folder}/formats.csv has no lines; start jobs/papers/run.sh first")
    analyses = data.read_analyses(os.path.join(args.folder, "analysis.json"))
    matrices = [m for m in double.matrices() if m in analyses]
    report = Report(args.folder)
    report.say("# Formats of the papers, measured\n")
    report.say(f"Device: {', '.join(double.devices())}. Processor: {', '.join(host.devices())}. Times are medians without transfers; "
               "GF/s count 2 flops a nonzero.\n")
    table_of_kreutzer(report, matrices, double, single, host)
    row_lengths_of_kreutzer(report, matrices, analyses)
    table_of_vazquez(report, matrices, analyses)
    figures_of_vazquez(report, matrices, analyses, double, host)
    figures_of_wang(report, matrices, analyses, double)
    all_formats(report, matrices, double)
    report.write()


if __name__ == "__main__":
    main()
