"""Every figure of the page: its sentence, its numbers, and what its charts ask for."""

from __future__ import annotations

import packages

packages.need("altair", "jinja2", "vl_convert")

import json
import unittest
from typing import Any

from made_runs import dos, eigen, grown, run, search, solve, solver, table_of, whole
from spmv_dist.report.figures import RUN_FIGURES, STRONG_SCALING, WEAK_SCALING
from spmv_dist.report.figures.modes import draw_modes
from spmv_dist.report.figures.roofline import draw_roofline
from spmv_dist.report.figures.solves import draw_history, draw_iteration, titles
from spmv_dist.report.figures.spectra import (
    MOST_POINTS,
    draw_convergence,
    draw_density,
    draw_eigenvalues,
)
from spmv_dist.report.page import visible
from spmv_dist.report.parts import Drawing, Pair, Plot
from spmv_dist.words import byte_count, count, digits, percent, plural, seconds


class Words(unittest.TestCase):
    def test_numbers(self) -> None:
        self.assertEqual(
            [seconds(46.34e-6), seconds(0.9996e-3), seconds(0)], ["46.3 µs", "1.00 ms", "0 µs"]
        )
        self.assertEqual(
            [digits(x) for x in (123.4, 12345, 999.9, 0.25)], ["123", "12345", "1000", "0.250"]
        )
        self.assertEqual([byte_count(8456), byte_count(1)], ["8.46 kB", "1.00 B"])
        self.assertEqual(
            [count(1234567), count(-1234), count(123), count(0.25)],
            ["1\u202f234\u202f567", "-1\u202f234", "123", "0.250"],
        )
        self.assertEqual(
            [percent(0.0234), percent(0.5), percent(0)], ["2.3\u202f%", "50\u202f%", "0\u202f%"]
        )
        self.assertEqual([plural(1, "rank"), plural(2, "rank")], ["1 rank", "2 ranks"])

    def test_names_are_read_as_they_are_written(self) -> None:
        self.assertEqual(visible("\x1b[2J café\n"), "\\x1b[2J café\n")
        self.assertEqual(visible(b"\xff".decode("utf-8", "surrogateescape")), "\\xff")
        self.assertEqual(
            visible("a\u202eb\u2066c\u2069\u202ad"), "a\\u202eb\\u2066c\\u2069\\u202ad"
        )
        self.assertEqual(visible("\u2030\u2065\u206a"), "\u2030\u2065\u206a")
        self.assertEqual(visible({"a": ["\x00", 1]}), {"a": ["\\x00", 1]})


def drawn(name: str) -> Drawing:
    """A figure of a run that has something for each."""
    return next(figure for figure in RUN_FIGURES if figure.name == name).draw(whole())


def plots(drawing: Drawing) -> list[dict[str, Any]]:
    """The charts of a figure."""
    found: list[Plot] = []
    for part in drawing.parts:
        found += part.plots if isinstance(part, Pair) else [part] if isinstance(part, Plot) else []
    return [plot.spec for plot in found]


def layers(spec: dict[str, Any]) -> list[dict[str, Any]]:
    return spec.get("layer", [spec])


class Solves(unittest.TestCase):
    def test_histories_are_lines(self) -> None:
        stopped = solver("cg", "task", 2, stop="iterations", residual=0.5, history=[1, 0.5])
        drawing = draw_history(solve(solver("cg", "vector", 1), stopped))
        self.assertEqual(
            drawing.says,
            "cg, vector converges in 2 iterations; cg, task stops after 2 iterations with a residual of 5.0e-01 "
            "(iterations).",
        )
        spec = plots(drawing)[0]
        self.assertEqual(spec["encoding"]["y"]["scale"]["type"], "log")
        self.assertEqual(
            [(row["of"], row["residual"]) for row in spec["data"]["values"]],
            [("cg, vector", r) for r in (1, 1e-4, 1e-9)] + [("cg, task", r) for r in (1, 0.5)],
        )
        self.assertEqual(draw_history(solve(solver("cg", "task", 1, history=[]))).parts, [])

    def test_long_histories_keep_their_end(self) -> None:
        history = [1 / (1 + i) for i in range(10_007)]
        rows = plots(draw_history(solve(solver("cg", "task", 1, history=history))))[0]["data"][
            "values"
        ]
        self.assertLess(len(rows), 500)
        self.assertEqual((rows[-1]["step"], rows[-1]["residual"]), (10_006, 1 / 10_007))

    def test_parts_of_iterations_are_stacked(self) -> None:
        negative = solver("bicgstab", "task", 4e-6, product_s=5e-6, vectors_s=-2e-6, bound_s=1e-6)
        drawing = draw_iteration(solve(negative, solver("cg", "task", 2e-6, bound_s=1e-6)))
        self.assertEqual(
            drawing.says,
            "cg has the fastest iteration with 2.00 µs, of which products are 50\u202f%; at the bandwidth measured its "
            "bytes take 1.00 µs. bicgstab, the slowest, takes 2.00 times as long.",
        )
        rows = plots(drawing)[0]["data"]["values"]
        ends = [
            (row["solver"], row["part"], round(row["begin"], 9), round(row["end"], 9))
            for row in rows
        ]
        self.assertEqual(
            ends[:3],
            [("cg", "product", 0, 1), ("cg", "vectors", 1, 1.5), ("cg", "sums over ranks", 1.5, 2)],
        )
        self.assertEqual(ends[4], ("bicgstab", "vectors", 5, 5), "no bar goes backwards")
        self.assertEqual(draw_iteration(solve(solver("cg", "task", 1, product_s=0))).parts, [])

    def test_every_solver_has_a_name_of_its_own(self) -> None:
        same = solver("cg", "task", 1)
        refused = {"solver": "", "mode": "device", "refused": "why"}
        self.assertEqual(titles(solve(same, refused, same, same)), ["cg", "cg (2)", "cg (3)"])


REFUSED = {"mode": "device", "transport": "nccl", "refused": "why"}


class Spectra(unittest.TestCase):
    def test_eigenvalues_are_a_table_with_bounds_of_their_errors(self) -> None:
        drawing = draw_eigenvalues(eigen(REFUSED, search("task")))
        self.assertEqual(
            drawing.says,
            "The lowest 2 eigenvalues, in 60 products and 1.00 ms of mode task over shm; every one is within 2.0e-09 of "
            "an eigenvalue of the matrix.",
        )
        self.assertEqual(
            table_of(drawing.parts),
            [
                ("", "eigenvalue", "|A v - λ v|"),
                ("1", "-2.5", "1.00e-12"),
                ("2", "1.25", "2.00e-09"),
            ],
        )
        stopped = draw_eigenvalues(eigen(search("task", stop="asked", reason="stopped on request")))
        self.assertIn("did not converge (asked): stopped on request.", stopped.says)
        many = search("task", eigenvalues=[1.0] * 300, residuals=[0.0] * 300)
        self.assertEqual(len(table_of(draw_eigenvalues(eigen(many)).parts)), 201)
        self.assertIn("first 200", draw_eigenvalues(eigen(many)).says)

    def test_searches_without_eigenvalues(self) -> None:
        for one in (eigen(), eigen(REFUSED), eigen(search("task", eigenvalues=[], history=[]))):
            self.assertEqual(draw_eigenvalues(one).parts, [])
            self.assertEqual(draw_convergence(one).parts, [])
        torn = search("task", residuals=[1.0], history="x")
        self.assertEqual(draw_eigenvalues(eigen(torn)).parts, [])
        self.assertEqual(draw_convergence(eigen(torn)).parts, [])

    def test_convergence_is_a_line_of_every_search(self) -> None:
        drawing = draw_convergence(eigen(search("task"), REFUSED, search("vector", restarts=1)))
        self.assertEqual(
            drawing.says,
            "task over shm ends after 2 restarts; vector over shm ends after 1 restart; the tolerance is 1.00e-08.",
        )
        rows = plots(drawing)[0]["data"]["values"]
        self.assertEqual(
            [row["of"] for row in rows], ["task over shm"] * 3 + ["vector over shm"] * 3
        )
        self.assertEqual([row["residual"] for row in rows[:3]], [1.0, 1e-3, 1e-9])

    def test_a_density_with_its_band(self) -> None:
        drawing = draw_density(dos())
        self.assertEqual(
            drawing.says,
            "4 moments of 3 start vectors resolve 1.57 in energy, in the middle of [-2.00, 2.00]; the area of the error "
            "band is 0.225, that of the density 1.",
        )
        spec = plots(drawing)[0]
        self.assertEqual([layer["mark"]["type"] for layer in layers(spec)], ["area", "line"])
        self.assertEqual(
            spec["data"]["values"].split("\n"),
            [
                "energy,density,low,high",
                "-1.5,0.25,0.15,0.35",
                "0,0.5,0.5,0.5",
                "1.5,0.25,0.05,0.45",
            ],
        )
        self.assertIn("gives no error band", draw_density(dos(error=[])).says)

    def test_long_curves_keep_their_ends(self) -> None:
        energy = [float(i) for i in range(10 * MOST_POINTS + 3)]
        drawing = draw_density(dos(energy=energy, density=energy, error=[]))
        lines = plots(drawing)[0]["data"]["values"].split("\n")
        self.assertLessEqual(len(lines), MOST_POINTS + 2)
        self.assertEqual((lines[1][:2], lines[-1].split(",")[0]), ("0,", str(len(energy) - 1)))
        self.assertIn("are shown", drawing.says)

    def test_no_density(self) -> None:
        for wrong in ({"energy": []}, {"density": [1]}, {"error": [1]}, {"energy": None}):
            self.assertEqual(draw_density(dos(**wrong)).parts, [])
        self.assertTrue(draw_density(dos(modes=[REFUSED, {"mode": 3, "moments": [1]}])).parts)


class Figures(unittest.TestCase):
    def test_strong_scaling_in_numbers(self) -> None:
        one, two, slower, eight = run(1, 1), run(2, 0.625), run(2, 0.9), run(8, 0.5)
        drawing = STRONG_SCALING.draw([one, two, slower, eight])
        self.assertIn(
            "On 8 ranks the fastest mode, task, takes 500 ms for a product, 2.00 times as fast as the fastest on 1 "
            "rank: an efficiency of 25\u202f%; beyond 2 ranks no mode has 50\u202f%.",
            drawing.says,
        )
        self.assertEqual(
            table_of(drawing.parts)[2][:5],
            ("task", "2", "1.60", "625 ms", "80\u202f%"),
            "the faster of two",
        )
        self.assertEqual(STRONG_SCALING.draw([one, one]).parts, [])
        plot = next(
            p for p in STRONG_SCALING.draw([two, run(4, 0.25)]).parts if isinstance(p, Plot)
        )
        self.assertIn("2 ranks count as 2", json.dumps(plot.spec), "nothing is known of one rank")

    def test_formats_of_one_matrix_are_series(self) -> None:
        runs = [
            {**run(n, 1 / n), "format": {"interior": f}} for n in (1, 2) for f in ("csr", "sell")
        ]
        modes = {row[0] for row in table_of(STRONG_SCALING.draw(runs).parts)[1:]}
        self.assertEqual(modes, {"task, csr", "task, sell"})

    def test_weak_scaling_in_numbers(self) -> None:
        one, two, four = grown(1, 100, 1), grown(2, 220, 1.25), grown(4, 400, 2)
        drawing = WEAK_SCALING.draw([four, two, one])
        self.assertEqual(
            drawing.says,
            "On 4 ranks the fastest mode, task, takes 2.00 s for a product, where the fastest on 1 rank takes 1.00 s: "
            "an efficiency of 50\u202f%.",
        )
        row = table_of(drawing.parts)[2]
        self.assertEqual(row[:5], ("task", "2", "220", "1.25 s", "88\u202f%"), "by nonzeros")
        self.assertEqual(WEAK_SCALING.draw([two, two]).parts, [])

    def test_intervals_of_the_two_fastest_are_compared(self) -> None:
        one = run(1, 1)
        one["modes"][0].update(median_low_s=0.9, median_high_s=1.1)
        one["modes"].append(
            {"mode": "naive", "median_s": 1.2, "median_low_s": 1.05, "median_high_s": 1.3}
        )
        self.assertIn("but the intervals of the two overlap", draw_modes(one).says)
        one["modes"][1]["median_low_s"] = 1.11
        self.assertIn("the intervals of the two do not overlap", draw_modes(one).says)
        one["modes"][1]["median_low_s"] = None
        self.assertIn("from the minimum to the 95th percentile where", draw_modes(one).says)
        one["modes"][0].update(marks=["noisy"], marks_reason="Another process.")
        self.assertIn("task (noisy: Another process)", draw_modes(one).says)

    def test_roofline_by_the_bytes_of_the_format(self) -> None:
        one = run(1, 0.5)  # 1 Gflop per product: 1 flop per byte
        one.update(bandwidth={"copy_bytes_per_s": 4e9}, format={"moved_bytes": 1e9})
        self.assertIn(
            "At 1.00 flop per byte that allows 4.00 GF/s; task, the fastest mode, reaches 2.00 GF/s, 50\u202f% of it",
            draw_roofline(one).says,
        )
        one["bandwidth"] = {"copy_bytes_per_s": None}
        self.assertEqual(draw_roofline(one).parts, [])

    def test_the_dotted_line_of_the_efficiency_is_at_one_half(self) -> None:
        for drawing in (
            STRONG_SCALING.draw([run(1, 1), run(2, 0.6)]),
            WEAK_SCALING.draw([grown(1, 9, 1), grown(2, 18, 1)]),
        ):
            _, efficiency = plots(drawing)
            rules = [layer for layer in layers(efficiency) if layer["mark"]["type"] == "rule"]
            self.assertEqual([rule["mark"]["strokeDash"] for rule in rules], [[2, 4]])
            self.assertEqual(rules[0]["data"]["values"][0]["efficiency"], 0.5)

    def test_shades_are_those_that_are_named(self) -> None:
        for name in ("spy", "communication"):
            cells = layers(plots(drawn(name))[0])[0]["encoding"]["opacity"]
            self.assertEqual(
                cells["scale"]["type"], "ordinal", "else Vega-Lite takes points between two"
            )
            self.assertEqual(len(cells["scale"]["range"]), len(cells["scale"]["domain"]))

    def test_bytes_in_cells_have_a_unit(self) -> None:
        spec = plots(drawn("communication"))[0]
        self.assertEqual({row["words"] for row in spec["data"]["values"]}, {"8.00 B"})

    def test_ranks_are_whole_numbers(self) -> None:
        axis = layers(plots(drawn("imbalance"))[0])[0]["encoding"]["x"]["axis"]
        self.assertIn("floor(x1 - x0)", axis["tickCount"]["expr"])
        self.assertNotIn("format", axis, "it would round what lies between ranks")

    def test_every_figure_has_something_of_a_whole_run(self) -> None:
        for figure in RUN_FIGURES:
            self.assertNotEqual(figure.draw(whole()).parts, [], figure.name)


if __name__ == "__main__":
    unittest.main()
