"""The page of figures: runs in order, foreign names appear as text, and invalid results are refused."""

from __future__ import annotations

import packages

packages.need("altair", "jinja2", "vl_convert")

import copy
import json
import random
import re
import unittest
from typing import Any
from unittest import mock

from made_runs import dos, eigen, grown, record, run, search, solve, solver, specs, whole
from spmv_dist.report import page as pages
from spmv_dist.report.__main__ import MODULE, main
from spmv_dist.report.figures import RUN_FIGURES
from spmv_dist.report.page import page
from spmv_dist.report.runs import runs_of
from spmv_dist.schema import Record, parse_records, require_run
from spmv_dist.tool import ToolError
from tools import FEW, PROGRAM, Ended, ToolTest, call

FIGURES = [figure.name for figure in RUN_FIGURES]
HOSTILE = '"></script><script>alert(1)</script><img src=x onerror=alert(1)>'


class Pages(unittest.TestCase):
    def test_matrices_that_grow_are_one_figure(self) -> None:
        html = page([record(grown(1, 100, 1)), record(grown(2, 200, 1)), record(run(2, 1))])
        self.assertRegex(
            html, r'<h1>stencil7:8,8,\{4\*ranks\}</h1>\s*<figure class="figure-weak_scaling"'
        )
        self.assertEqual(
            html.count("Strong scaling: left out"), 1, "of the matrix that does not grow alone"
        )

    def test_runs_of_one_matrix_are_together_the_most_ranks_first(self) -> None:
        other = run(4, 1)
        other["matrix"]["name"] = "other"
        html = page([record(run(1, 1), "a"), record(other, "b"), record(run(8, 1), "c")])
        places = [html.index(f"From {name}") for name in "cab"]
        self.assertEqual(places, sorted(places))
        self.assertIn("figure-scaling", html)

    def test_points_of_a_study_become_runs(self) -> None:
        point = {
            "matrix": "m",
            "mode": "task",
            "transport": "auto",
            "ranks": 2,
            "rows": 4,
            "nonzeros": 9,
        }
        point.update(
            format="auto", measured={"mode": "task", "median_s": 1.0}, storage={"interior": "csr"}
        )
        point["environment"] = {"ranks": 2, "date": "d"}
        naive, absent, later = (copy.deepcopy(point) for _ in range(3))
        naive["measured"]["mode"] = "naive"
        del absent["measured"]
        absent["left_out"] = "needs GPUs"
        later["environment"]["date"] = "e"
        lines = "\n".join(json.dumps(one) for one in (point, naive, absent, later))
        runs = runs_of(parse_records(lines, "f"))
        self.assertEqual([len(one.json["modes"]) for one in runs], [2, 1])
        self.assertEqual(runs[0].json["left_out"][0]["reason"], "needs GPUs")
        self.assertEqual(runs[1].where, "f:4")

    def test_solves_stand_beside_runs(self) -> None:
        records = runs_of([record(run(1, 1)), record(solve(solver("cg", "task", 1)), "solve.json")])
        html = page(records)
        self.assertLess(html.index("figure-modes"), html.index("From solve.json"))
        for name in ("history", "iteration"):
            self.assertIn(f"figure-{name}", html)
        self.assertIn("2 ranks, preconditioner jacobi.", html)
        ended = {**solve(), "incomplete": "ended by SIGTERM"}
        html = page(runs_of([record(ended)]))
        self.assertIn("INCOMPLETE: ended by SIGTERM", html)
        self.assertIn("left out, because no solver of this file", html)

    def test_spectra_stand_beside_runs(self) -> None:
        found = [record(eigen(search("task")), "eigen.json"), record(dos(), "dos.json")]
        html = page(runs_of([*found, record(run(1, 1))]))
        self.assertLess(html.index("figure-modes"), html.index("From eigen.json"))
        for name in ("eigenvalues", "convergence", "density"):
            self.assertIn(f"figure-{name}", html)
        self.assertIn("2 ranks, lowest 2 eigenvalues, tolerance 1.00e-08.", html)
        self.assertIn("1 rank, 4 moments of 3 start vectors.", html)
        ended = {**dos(energy=[], density=[], error=[]), "incomplete": "ended by SIGTERM"}
        html = page(runs_of([record(ended)]))
        self.assertIn("INCOMPLETE: ended by SIGTERM", html)
        self.assertIn("left out, because there was no density", html)

    def test_wrong_and_incomplete_runs_say_so(self) -> None:
        one = {**run(1, 1), "incomplete": "ended by SIGTERM"}
        one["modes"][0]["rows_wrong"] = 3
        html = page([record(one)])
        self.assertIn("WRONG: 3 rows of mode task", html)
        self.assertIn("INCOMPLETE: ended by SIGTERM", html)

    def test_what_has_no_room_is_named(self) -> None:
        large = run(2, 1)
        large["environment"]["versions"] = "v" * 1_500_000
        names = ("first", "second", "third")
        html = page([record(one, name) for one, name in zip((large, large, run(1, 1)), names)])
        self.assertLessEqual(len(html.encode()), pages.MOST_BYTES)
        self.assertIn("From first", html)
        self.assertNotIn("From second", html)
        self.assertRegex(html, r"would become too large: 1 part</p>\s*<ul>\s*<li>second</li>")

    def test_what_stays_together_on_paper(self) -> None:
        html = page([record(whole())])
        table = "<table><thead><tr><th>mode</th>.*?</tr></thead><tbody><tr><td>task</td>"
        self.assertRegex(html.replace("\n", ""), table, "a head is repeated on every sheet")
        for figure in RUN_FIGURES:
            drawing = figure.draw(whole())
            kinds = [part.kind for part in drawing.to_first_chart]
            self.assertIn(kinds, [[], ["plot"], ["pair"], ["legend", "plot"], ["legend", "pair"]])
            self.assertEqual(kinds == [], figure.name in ("overlap", "environment"), figure.name)

    def test_nothing_of_it_is_elsewhere(self) -> None:
        html = page([record(whole())])
        own = html.replace(pages._chart_library(), "")
        self.assertIsNone(re.search(r"(src|href|action)=|@import|url\(|https?:", own))
        self.assertIn("default-src 'none'", own)
        self.assertNotIn("unsafe-eval", own)

    def test_anything_in_any_place_makes_a_page_without_foreign_markup(self) -> None:
        """Strange values in fields of a run must stay text; the page's own scripts come after its
        sections."""
        others = [None, 3, -1e300, 10**400, HOSTILE, [HOSTILE, 7, None], {HOSTILE: HOSTILE},
                  [[HOSTILE, 1, 2], [-5, 1e18, 3, 1e12]]]  # fmt: skip
        cases = [(path, other) for path in paths_of(whole()) for other in others]
        make = pages.Sections()
        for path, other in random.Random(1).sample(cases, 60):
            changed = with_value(whole(), path, other)
            try:
                require_run(record(changed))
            except ToolError:
                continue
            larger = {**copy.deepcopy(changed), "environment": {"ranks": 4}}
            html = make.run(Record(HOSTILE, changed), False)
            html += make.weak_scaling(HOSTILE, [record(changed), record(larger)])
            for spec in specs(html):
                self.assertNotIn("NaN", json.dumps(spec), f"{path}: {other}")
            rest = re.sub(r'<script type="application/json">[^<]*</script>', "", html)
            self.assertNotIn("<script", rest, f"{path}: {other}")
            self.assertNotIn("<img", rest, f"{path}: {other}")
            self.assertNotRegex(rest, r'="(nan|inf)%', f"{path}: {other}")


def paths_of(value: Any, path: tuple = ()) -> list[tuple]:
    parts = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    found = [path] if path else []
    for name, part in parts:
        found += paths_of(part, (*path, name))
    return found


def with_value(one: Any, path: tuple, value: Any) -> Any:
    at = one
    for name in path[:-1]:
        at = at[name]
    at[path[-1]] = value
    return one


class Command(ToolTest):
    """Pages from real results."""

    def report(self, code: int, *words: str) -> Ended:
        ended = call(main, MODULE, self.folder, words)
        self.assertEqual(ended.code, code, f"{words}: {ended.err}")
        return ended

    def refuses_page(self, code: int, texts: list[str], *words: str) -> None:
        err = self.report(code, *words).err
        self.assertEqual(err.count("spmv_dist.report: "), 1, err)
        for text in texts:
            self.assertIn(text, err)

    def html(self, name: str) -> str:
        return (self.folder / name).read_text()

    def drawn(self, html: str, names: list[str]) -> None:
        for name in names:
            self.assertRegex(
                html,
                f'<figure class="figure-{name}" data-figure="{name}"><div class="together"><h3>[^<]*</h3>'
                '<p class="says">[^<]{20,}',
            )

    def test_of_runs(self) -> None:
        hostile = '<img src=x onerror="alert(1)">&\'=cmd().mtx'
        self.program(1, "generate", "powerlaw:3000,9,400", "-o", "m.mtx")
        (self.folder / "m.mtx").rename(self.folder / hostile)
        options = ["--mode=vector,naive,task", "--format=csr", "--partition=metis", *FEW]
        for ranks in (1, 2, 3):
            self.program(ranks, hostile, *options, "--json", f"{ranks}.json")
        self.report(0, "3.json", "-o", "3.html")
        html = self.html("3.html")
        self.drawn(html, FIGURES)
        self.assertIn("Strong scaling: left out, because", html)
        self.assertIn("&lt;img src=x onerror=&#34;alert(1)&#34;&gt;&amp;&#39;=cmd().mtx", html)
        self.assertEqual(html.replace(pages._chart_library(), "").count("<img"), 0)
        self.pictures_are_those_of_the_run()

        self.report(0, "1.json", "2.json", "3.json", "-o", "all.html")
        html = self.html("all.html")
        self.drawn(html, ["scaling", *FIGURES])
        self.assertEqual(re.findall(r"<h2>(\d+) rank", html), ["3", "2", "1"])
        lines = "\n\n".join(json.dumps(json.loads(self.html(f"{n}.json"))) for n in (1, 2, 3))
        (self.folder / "all.jsonl").write_text(lines + "\n")
        self.report(0, "all.jsonl", "-o", "lines.html")
        self.assertEqual(self.html("lines.html").count('<section class="run">'), 3)

        self.report(0, "1.json", "-o", "one.html")
        for words in ("one rank has no halo", "one rank sends nothing", "one rank has all of it"):
            self.assertIn(f"left out, because {words}", self.html("one.html"))
        self.without_times_and_pictures()
        (self.folder / "many.jsonl").write_text(
            (json.dumps(json.loads(self.html("3.json"))) + "\n") * 40
        )
        with mock.patch.object(pages, "MOST_BYTES", 1_700_000):
            self.report(0, "many.jsonl", "-o", "many.html")
        self.assertLessEqual((self.folder / "many.html").stat().st_size, 1_700_000)
        self.assertIn("many.jsonl:40", self.html("many.html"))

    def pictures_are_those_of_the_run(self) -> None:
        one, three = (json.loads(self.html(f"{n}.json")) for n in (1, 3))
        p, m, halo = three["pictures"], three["matrix"], three["partition"]["halo_total"]
        for spy in ("spy_before", "spy_after"):
            self.assertEqual(sum(cell[2] for cell in p[spy]["cells"]), m["nonzeros"])
        self.assertEqual((p["every_row"], p["spy_before"]["side"]), (1, 64))
        self.assertEqual(sum(c[2] for c in p["row_lengths"]), m["rows"])
        self.assertLessEqual(len(p["row_lengths"]), 64)
        sent = p["communication"]["bytes"]
        self.assertEqual(sum(map(sum, sent)), 8 * halo)
        self.assertTrue(all(sent[i][i] == 0 for i in range(3)))
        sums = [sum(s[k] for s in p["shares"]["values"]) for k in ("rows", "nonzeros", "halo")]
        self.assertEqual(sums, [m["rows"], m["nonzeros"], halo])
        # After partitioning each rank has one range of rows, in rank order; before, they are mixed.
        self.assertEqual(turns(p["spy_after"]["cells"]), 2)
        self.assertGreater(turns(p["spy_before"]["cells"]), 2)
        self.assertEqual([len(t["ranks"]) for t in p["timelines"]], [3, 3, 3])
        # The input order is the same for any number of ranks.
        a, b = ({tuple(c[:3]) for c in r["pictures"]["spy_before"]["cells"]} for r in (one, three))
        self.assertEqual(a, b)

    def without_times_and_pictures(self) -> None:
        three = json.loads(self.html("3.json"))
        for mode in three["modes"]:
            mode.update({key: None for key in mode if key.endswith("_s")})
        (self.folder / "null.json").write_text(json.dumps(three))
        self.report(0, "null.json", "-o", "null.html")
        self.assertIn("no mode of this run has a time", self.html("null.html"))
        three = {**json.loads(self.html("3.json")), "pictures": {}}
        (self.folder / "old.json").write_text(json.dumps(three))
        self.report(0, "old.json", "-o", "old.html")
        self.drawn(self.html("old.html"), ["modes", "roofline", "environment"])
        self.assertIn(
            "Row lengths: left out, because these results have no section", self.html("old.html")
        )
        self.assertEqual(
            self.html("old.html").count("left out, because these results have no section"), 1
        )

    def test_of_a_study(self) -> None:
        words = [
            "--generate=powerlaw:300,6,60",
            "--ranks=1,2",
            "--mode=vector,task",
            "--format=csr",
        ]
        words += ["--partition=rows", "--launcher=mpirun", "--results=points.jsonl"]
        self.tool(0, "scale", "--program", PROGRAM, *words, "--", *FEW)
        self.report(0, "points.jsonl", "-o", "points.html")
        self.drawn(self.html("points.html"), ["scaling", "modes", "roofline", "environment"])
        self.assertEqual(
            self.html("points.html").count('<section class="run">'),
            2,
            "points of a run are together",
        )

    def test_what_is_no_result(self) -> None:
        def file(name: str, text: str) -> str:
            (self.folder / name).write_text(text)
            return name

        good = file("good.json", json.dumps(run(1, 1)))
        page_file = file("page.html", "old")
        output = ["-o", page_file]
        self.refuses_page(4, ["none.json: cannot be read"], "none.json", *output)
        self.refuses_page(4, [".: cannot be read"], ".", *output)
        self.refuses_page(
            4, ["broken.json: is no JSON"], good, file("broken.json", '{"modes": ['), *output
        )
        for text in ("[]", "3", "{}", '{"environment": {"ranks": 0}}', '{"environment": {"ranks": 2}, "matrix": 3}',
                     '{"environment": {"ranks": 2}, "matrix": {"name": "a"}, "modes": 3}',
                     '{"environment": {"ranks": 2}, "matrix": {"name": "a"}, "modes": [3]}'):  # fmt: skip
            self.refuses_page(4, ["foreign.json: ", "is no"], file("foreign.json", text), *output)
        half = file("half.jsonl", f'{json.dumps(run(1, 1))}\n\n{{"a": 1}}\n')
        self.refuses_page(4, ["half.jsonl:3", "environment.ranks"], half, *output)
        self.refuses_page(4, ["empty.jsonl", "empty"], file("empty.jsonl", ""), *output)
        self.refuses_page(
            4,
            ["new.json", "schema 99"],
            file("new.json", json.dumps({**run(1, 1), "schema": 99})),
            *output,
        )
        self.assertEqual(
            self.html("page.html"), "old", "a page that cannot be made replaces no other"
        )
        self.refuses_page(2, ["same file"], good, "-o", "./good.json")
        self.refuses_page(5, ["none/page.html"], good, "-o", "none/page.html")
        self.report(2, "-o", page_file)
        self.report(2, good)
        self.assertEqual([p.name for p in self.folder.iterdir() if p.name.startswith(".")], [])

    def test_the_program_names_the_tool(self) -> None:
        for words in (["report", "a.json"], ["compare", "a", "b"], ["m.mtx", "--html", "a.html"]):
            ended = self.of_program(*words)
            self.assertEqual(ended.code, 2, ended.err)
            tool = "compare" if words[0] == "compare" else "report"
            self.assertIn(f"python3 -m spmv_dist.{tool}", ended.err)
            self.assertEqual(len(ended.err.splitlines()), 1, ended.err)


def turns(cells: list[list[int]]) -> int:
    """Number of changes of owner along the diagonal."""
    owners = {row: rank for row, col, _, rank in cells if row == col}
    order = [owners[row] for row in sorted(owners)]
    return sum(a != b for a, b in zip(order, order[1:]))


class Reader(unittest.TestCase):
    def test_a_point_without_a_run_is_named(self) -> None:
        with self.assertRaises(ToolError) as caught:
            runs_of(parse_records('{"matrix": "m", "left_out": "why"}', "p"))
        self.assertIn("environment.ranks", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
