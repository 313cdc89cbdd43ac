"""Which table or figure of which paper is made of which numbers. A new one is a few lines here."""

from __future__ import annotations

from typing import Any

from spmv_dist.papers.data import (
    Analyses,
    Measured,
    computations,
    ell_share_of_hyb,
    iterations,
    lengths,
    ratio,
    shortest,
)

Matrices = list


def of_kreutzer(
    summary: Any,
    matrices: Matrices,
    double: Measured,
    single: Measured,
    host: Measured,
    analyses: Analyses,
) -> None:
    """[Kreutzer 2012]: pJDS."""
    formats = ("ELLPACK-R", "pJDS")
    head = ["matrix", "data reduction %"]
    head += [f"{p} {f} {u}" for p in ("SP", "DP") for f in formats for u in ("GF/s", "GB/s")]
    rows = [[*head, "CPU CRS DP GF/s"]]
    for m in matrices:
        stored, ellpack = (double.number(m, "pjds", f"{k}_elements") for k in ("stored", "ellpack"))
        kept = ratio(stored, ellpack)
        row = [m, None if kept is None else 100 * (1 - kept)]
        for measured in (single, double):
            for name in formats:
                row.append(measured.gflops(m, name))
                row.append(measured.number(m, measured.ours(name), "effective_GB_s"))
        rows.append([*row, host.number(m, "csr", "gflops")])
    title = "[Kreutzer 2012, Table 1]: memory that pJDS saves against ELLPACK, and performance"
    summary.table("kreutzer2012_table1", title, rows)
    summary.lengths(
        "kreutzer2012_fig3",
        "[Kreutzer 2012, Fig. 3]: row lengths, bins of 1",
        {m: lengths(analyses[m]) for m in matrices if lengths(analyses[m])},
    )


def of_vazquez(
    summary: Any, matrices: Matrices, analyses: Analyses, double: Measured, host: Measured
) -> None:
    """[Vazquez 2011]: ELLPACK-R."""
    rows = [["matrix", "N", "entries", "Av", "Max-Av", "sigma", "% sigma/Av", "% ELL(HYB)"]]
    for m in matrices:
        a = analyses[m]
        mean, sigma = a["mean_length"], a["length_sigma"]
        share = 100 * sigma / mean if mean else None
        hyb = 100 * ell_share_of_hyb(a)
        rows.append([m, a["rows"], a["nonzeros"], mean, a["longest"] - mean, sigma, share, hyb])
    summary.table("vazquez2011_table1", "[Vazquez 2011, Table I]: the matrices", rows)

    names = ["CRS", "CRS(vector)", "SpMV4GPU", "ELLPACK", "HYB", "ELLPACK-R"]
    matrices = sorted(matrices, key=lambda m: analyses[m]["nonzeros"])
    rates = {name: [double.gflops(m, name) for m in matrices] for name in names}
    title = "[Vazquez 2011, Fig. 4]: performance by format, matrices by entries"
    summary.chart("vazquez2011_fig4", title, "GFLOPS", matrices, rates)
    over = {n: [ratio(v, c) for v, c in zip(rates[n], rates["CRS"])] for n in names[1:]}
    title = "Speed-up over CRS on the same device (data of Fig. 4)"
    summary.chart("vazquez2011_crs", title, "speed-up", matrices, over, 1)
    mean = _weighted_means(matrices, analyses, rates)
    title = "[Vazquez 2011, Fig. 5]: mean performance, weighted by entries"
    summary.chart("vazquez2011_fig5", title, "GFLOPS", list(mean), {"mean": list(mean.values())})
    pairs = [(double.gflops(m, "ELLPACK-R"), host.number(m, "csr", "gflops")) for m in matrices]
    title = "[Vazquez 2011, Fig. 6]: ELLPACK-R on the device over CSR on this machine's cores"
    speed_up = {"speed-up": [ratio(a, b) for a, b in pairs]}
    summary.chart("vazquez2011_fig6", title, "speed-up", matrices, speed_up, 1)


def _weighted_means(matrices: Matrices, analyses: Analyses, rates: dict) -> dict[str, float]:
    """Over the matrices that every format of the figure can hold, so that none is spared the hard ones."""
    measured = {n: v for n, v in rates.items() if any(one is not None for one in v)}
    common = [i for i in range(len(matrices)) if all(v[i] is not None for v in measured.values())]
    weights = [analyses[matrices[i]]["nonzeros"] for i in common]
    if sum(weights) == 0:
        return {}
    return {
        name: sum(v[i] * w for i, w in zip(common, weights)) / sum(weights)
        for name, v in measured.items()
    }


def of_wang(summary: Any, matrices: Matrices, analyses: Analyses, double: Measured) -> None:
    """[Wang 2020]: PELLR."""
    matrices = sorted(matrices, key=lambda m: analyses[m]["length_sigma"])

    def over(name: str) -> list:
        return [ratio(double.gflops(m, "PELLR"), double.gflops(m, name)) for m in matrices]

    head = ["matrix", "N", "nnz", "ave", "sigma", "max-min", "N_iter ELLR", "N_iter PELLR"]
    rows = [[*head, "N_iter ratio", "N_p", "PELLR / ELLR measured"]]
    for m, measured in zip(matrices, over("ELLR")):
        a = analyses[m]
        plain, ordered = iterations(a)
        row = [m, a["rows"], a["nonzeros"], a["mean_length"], a["length_sigma"]]
        row += [a["longest"] - shortest(a), plain, ordered, ratio(plain, ordered), computations(a)]
        rows.append([*row, measured])
    title = "[Wang 2020, Table 1 and Eqs. 1, 2]: iterations of warps, and what they are worth"
    summary.table("wang2020_table1", title, rows)
    for number, name in (("6", "ELLR"), ("8", "HYB"), ("9", "BiELL"), ("10", "BiJAD")):
        title = f"[Wang 2020, Fig. {number}]: PELLR over {name}, matrices by sigma"
        ratios = {f"PELLR / {name}": over(name)}
        summary.chart(f"wang2020_fig{number}", title, "ratio", matrices, ratios, 1)
    for number, names in (
        ("11", ["PELLR", "HYB", "BiELL", "BiJAD"]),
        ("12", ["CSRV", "JAD", "ELL", "ELLR", "PELLR", "HYB", "cuCSR"]),
    ):
        rates = {name: [double.gflops(m, name) for m in matrices] for name in names}
        title = f"[Wang 2020, Fig. {number}]: {', '.join(names)}"
        summary.chart(f"wang2020_fig{number}", title, "GFLOPS", matrices, rates)


def of_all_formats(summary: Any, matrices: Matrices, double: Measured) -> None:
    """Every format on every matrix, and the fastest."""
    times = {f: {m: double.number(m, f, "median_us") for m in matrices} for f in double.formats()}
    times = {f: of for f, of in times.items() if any(t is not None for t in of.values())}
    rows = [[m, *(of[m] for of in times.values())] for m in matrices]
    title = "All formats: microseconds of a product"
    summary.table("all_formats", title, [["matrix", *times], *rows], folded=True)
    best = [["matrix", "format", "us", "GB/s", "of copy", "built in products"]]
    for m in matrices:
        of = {f: known[m] for f, known in times.items() if known[m] is not None}
        if of:
            f = min(of, key=of.get)
            more = ("effective_GB_s", "of_copy", "build_products")
            best.append([m, f, of[f], *(double.number(m, f, column) for column in more)])
    summary.table("best", "The fastest format of every matrix", best)
    shares = {f: [double.number(m, f, "of_copy") for m in matrices] for f in times}
    title = "All formats: effective bandwidth over the device's copy"
    summary.chart("all_formats_bandwidth", title, "of copy", matrices, shares, 1)
    refused = [
        [m, f, row["reason"]] for (m, f), row in double.rows.items() if row["status"] != "ok"
    ]
    if refused:
        head = ["matrix", "format", "reason"]
        summary.table("refused", "Refused", [head, *refused], folded=True)
