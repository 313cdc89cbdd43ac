#!/usr/bin/env python3
"""What format auto chose beside the best of all formats and of cuSPARSE's, as Markdown.

    jobs/papers/auto_table.py FORMATS.csv

FORMATS.csv is format_compare's, of a run on a GPU with --auto. Times are medians in us; products of matrices below a million
nonzeros are replayed from a recording (cuSPARSE's are not: its calls are what its users queue).
"""
import csv
import math
import sys

PLAIN = ("csr", "csr_scalar", "csr_vector", "ellpack", "ellpack_r", "hyb", "biell", "jad", "bijad", "pellr", "pjds", "sell")
SMALL = 1_000_000


def microseconds(row, replayed):
    if row is None or not row["median_us"]:
        return None
    queued = float(row["median_us"])
    again = float(row["replayed_us"] or 0) if replayed else 0
    return min(queued, again) if again > 0 else queued


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def least(times):
    return min((t for t in times if t[0] is not None), default=(None, "-"))


def main(path):
    matrices = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            matrices.setdefault(row["matrix"].split("/")[-1], {})[row["format"]] = row
    print("| matrix | auto us | chosen | best format, us | auto / best | cuSPARSE CSR us | x | best cuSPARSE us | x | best plain, of copy |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    over_csr, over_best, near, small_worst = [], [], 0, math.inf
    for name, formats in matrices.items():
        auto = formats["auto"]
        small = int(auto["nonzeros"]) < SMALL
        time = microseconds(auto, small)
        best, best_name = least([(microseconds(r, small), f) for f, r in formats.items() if f != "auto" and "cusparse" not in f])
        csr = microseconds(formats["cusparse_csr"], False)
        rival, _ = least([(microseconds(r, False), f) for f, r in formats.items() if "cusparse" in f])
        plain, plain_name = least([(microseconds(formats.get(f), False), f) for f in PLAIN])
        share = float(auto["effective_bytes"]) / plain / 1e3 / float(auto["copy_GB_s"])
        near += time <= 1.05 * best
        if small:
            small_worst = min(small_worst, csr / time)
        else:
            over_csr.append(csr / time)
            over_best.append(rival / time)
        chosen = auto["choices"].split(":")[0]
        print(f"| {name} | {time:.2f} | {chosen} | {best_name} {best:.2f} | {time / best:.3f} | {csr:.2f} | {csr / time:.2f} "
              f"| {rival:.2f} | {rival / time:.2f} | {plain_name} {share:.3f} |")
    print(f"\nFrom a million nonzeros on, geometric means: {geometric_mean(over_csr):.2f} x cuSPARSE CSR (least {min(over_csr):.2f}), "
          f"{geometric_mean(over_best):.2f} x the best of cuSPARSE (least {min(over_best):.2f}). "
          f"Below: at least {small_worst:.2f} x cuSPARSE CSR. "
          f"Within 5 % of the best of all formats: {near} of {len(matrices)}.")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
