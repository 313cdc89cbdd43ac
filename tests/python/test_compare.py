"""Comparing two files of results, and the gate of a site that keeps a baseline."""

from __future__ import annotations

import packages

packages.need("scipy")

import copy
import json
import math
import random
import tempfile
import unittest
from pathlib import Path
from typing import Any

from spmv_dist.compare import MODULE, Compared, Comparison, compare, main, to_text
from spmv_dist.median_ratio import MedianRatio, median_ratio, median_weights
from spmv_dist.schema import load_run
from spmv_dist.series import Subject, parse_results
from spmv_dist.tool import ToolError, printable_lines
from tools import call


def noisy(typical: float, seed: int, count: int = 40) -> list[float]:
    """Times with some per cent of noise, and a few outliers."""
    of = random.Random(seed)
    return [
        typical * math.exp(0.03 * of.gauss(0, 1)) * (2 if of.random() < 0.05 else 1)
        for _ in range(count)
    ]


def mode(name: str, samples: list[float]) -> dict[str, Any]:
    return {
        "mode": name, "transport": "staged", "transport_chosen": True, "layout": "merged",
        "rows_wrong": 0, "samples_s": samples, "marks": [], "marks_reason": "",
    }  # fmt: skip


def run_with(*modes: dict[str, Any], folder: str = "a", driver: str = "550.54") -> dict[str, Any]:
    return {
        "incomplete": "",
        "environment": {
            "ranks": 2, "date": folder, "driver": driver, "versions": "MPI        Open MPI\n",
            "gpus": [{"name": "G", "clock_mhz": 5}, {"name": "G", "clock_mhz": 5}],
        },
        "matrix": {"name": f"/scratch/{folder}/m.mtx", "rows": 10, "nonzeros": 30, "value": "double"},
        "partition": {"partitioner": "rows"},
        "format": {"interior": "csr"},
        "tuning": {"automatic": False},
        "modes": list(modes),
    }  # fmt: skip


def results(seed: int, factor: float, **more: Any) -> dict[str, Any]:
    vector, task = noisy(5e-5 * factor, 2 * seed, 60), noisy(4e-5 * factor, 2 * seed + 1, 60)
    return run_with(mode("vector", vector), mode("task", task), folder=str(seed), **more)


def compared(a: Any, b: Any, min_ratio: float = 0) -> Comparison:
    return compare(parse_results(json.dumps(a), "a"), parse_results(json.dumps(b), "b"), min_ratio)


class Interval(unittest.TestCase):
    def test_it_covers_the_true_ratio(self) -> None:
        covered = 0
        for i in range(200):
            found = median_ratio(noisy(1, 2 * i), noisy(1.25, 2 * i + 1))
            self.assertLessEqual(found.low, found.ratio)
            self.assertLessEqual(found.ratio, found.high)
            covered += found.low <= 0.8 <= found.high
        self.assertGreaterEqual(covered, 180, "of 200, at 95 %")
        self.assertLessEqual(covered, 199)

    def test_few_times_have_a_wide_one(self) -> None:
        few = median_ratio([1, 2, 3, 4, 5, 6], [1] * 6)
        self.assertEqual(few.ratio, 4)
        self.assertLessEqual(few.low, 2)
        self.assertGreaterEqual(few.high, 5)
        self.assertEqual(median_ratio([3.0] * 9, [2.0] * 6), (1.5, 1.5, 1.5))

    def test_weights_are_those_of_drawn_medians(self) -> None:
        of, count = random.Random(1), 11
        drawn = [0] * count
        for _ in range(20000):
            drawn[sorted(of.randrange(count) for _ in range(count))[count // 2]] += 1
        for weight, times in zip(median_weights(count), drawn):
            self.assertAlmostEqual(weight, times / 20000, delta=0.02)

    def test_thousands_of_times(self) -> None:
        found = median_ratio(noisy(1, 1, 5000), noisy(1, 2, 5000))
        self.assertLess(found.high - found.low, 0.01)


class Judged(unittest.TestCase):
    def test_the_gate_is_below_and_not_by_chance(self) -> None:
        def one(ratio: float, low: float, high: float) -> Compared:
            return Compared(Subject("", "", "", "", "", ""), 1, 1, MedianRatio(ratio, low, high))

        slower = one(0.9, 0.85, 0.93)
        self.assertEqual([slower.fails(r) for r in (0.95, 0.9, 0)], [True, False, False])
        may_be_as_fast = one(0.9, 0.8, 1.02)
        self.assertFalse(may_be_as_fast.fails(0.95))
        self.assertTrue(may_be_as_fast.is_below(0.95))
        self.assertTrue(one(0.9, 0.85, 0.97).fails(0.95), "slower for certain")
        self.assertTrue(one(1.1, 1.05, 1.15).fails(1.2), "faster, and not fast enough")
        self.assertFalse(one(1.1, 1.05, 1.15).fails(1.12), "perhaps fast enough")

    def test_the_machine_itself_differed_by_as_much(self) -> None:
        a, b = run_with(mode("vector", noisy(1, 1))), run_with(mode("vector", noisy(1.06, 2)))
        self.assertEqual(compared(a, b).series[0].doubts, [], "nothing is known of the machine")
        b["bandwidth"] = {"spread": 0.02}
        self.assertEqual(compared(a, b).series[0].doubts, [], "it differed by less")
        b["bandwidth"] = {"spread": 0.11}
        found = compared(a, b)
        self.assertIn(
            "vector in A and B: the difference may be the machine's, whose own copies varied by 0 % in A and 11 % in B",
            to_text(found),
        )
        self.assertTrue(compared(a, b, 0.99).series[0].fails(0.99), "the gate goes by the times")
        same = run_with(mode("vector", noisy(1, 5)))
        same["bandwidth"] = {"spread": 0.11}
        self.assertEqual(compared(a, same).series[0].doubts, [], "there is no difference")

    def test_what_differs(self) -> None:
        a = run_with(mode("vector", [1.0] * 6))
        b = copy.deepcopy(a)
        self.assertEqual(compared(a, b).differences, [])
        b["environment"]["gpus"][1]["clock_mhz"] = 4
        b["environment"].update(date="later", commit="abc")
        commit, gpus = compared(a, b).differences
        self.assertEqual((commit.name, commit.before), ("environment.commit", ""))
        self.assertEqual(gpus.name, "environment.gpus")
        self.assertIn("(2 x)", gpus.before)

    def test_auto_is_auto_whatever_it_took(self) -> None:
        a = run_with(mode("vector", [1.0] * 6))
        a["tuning"]["automatic"] = True
        b = copy.deepcopy(a)
        b["modes"][0]["transport"], b["format"]["interior"] = "shm", "sell"
        (only,) = compared(a, b).series
        self.assertEqual(only.subject.transport, "auto")
        self.assertEqual(only.chosen_before, "merged, staged, csr")
        self.assertEqual(only.chosen_after, "merged, shm, sell")

    def test_several_formats_are_matched_by_name(self) -> None:
        point = {"matrix": "m", "ranks": 2, "mode": "vector", "measured": mode("vector", [1.0] * 6)}
        csr, sell = (json.dumps({**point, "format": f}) + "\n" for f in ("csr", "sell"))

        def of(a: str, b: str) -> Comparison:
            return compare(parse_results(a, "a"), parse_results(b, "b"))

        self.assertEqual(len(of(csr, sell).series), 1, "one each: they are what is compared")
        both = of(csr + sell, sell)
        self.assertEqual((len(both.series), len(both.only_before)), (1, 1))
        self.assertEqual(both.differences, [])

    def test_any_file_is_refused_or_equal_to_itself(self) -> None:
        """Strange values in every field of a run and of a point."""
        run, strange = (
            results(1, 1),
            (None, 0, -1, 1e300, "", "\x1b<", [], {}, [[]], {"a": [1]}, True),
        )
        point = {
            "matrix": "m",
            "ranks": 2,
            "measured": mode("vector", [1.0] * 6),
            "environment": {},
        }
        for whole in (run, point):
            for path in paths_of(whole):
                for value in strange:
                    changed = with_value(whole, path, value)
                    try:
                        file = [parse_results(json.dumps(changed), "r.json") for _ in range(2)]
                    except ToolError as error:
                        self.assertIn("r.json", str(error))
                        self.assertIn(error.code, (3, 4))
                        continue
                    found = compare(*file, 0.5)
                    self.assertEqual([found.differences, found.only_before], [[], []])
                    self.assertTrue(all(one.speed.ratio == 1 for one in found.series))
                    self.assertEqual(to_text(found), printable_lines(to_text(found)))


def paths_of(value: Any, path: tuple = ()) -> list[tuple]:
    parts = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    found = [path] if path else []
    for name, part in list(parts)[:12]:
        found += paths_of(part, (*path, name))
    return found


def with_value(whole: Any, path: tuple, value: Any) -> Any:
    changed = copy.deepcopy(whole)
    at = changed
    for name in path[:-1]:
        at = at[name]
    at[path[-1]] = value
    return changed


class Command(unittest.TestCase):
    """As a user starts it."""

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def file(self, name: str, value: Any) -> str:
        (self.folder / name).write_text(value if isinstance(value, str) else json.dumps(value))
        return name

    def compare(self, code: int, *words: str) -> str:
        ended = call(main, MODULE, self.folder, words)
        self.assertEqual(ended.code, code, ended.out + ended.err)
        self.err = ended.err
        return ended.out

    def refuses(self, code: int, texts: list[str], *words: str) -> None:
        self.compare(code, *words)
        self.assertEqual(self.err.count("spmv_dist.compare: "), 1, self.err)
        for text in texts:
            self.assertIn(text, self.err)

    def test_repeats_pass_and_what_is_slower_does_not(self) -> None:
        gate = ["--min-ratio", "0.95"]
        for i in range(10):
            before = results(i, 1)
            a = self.file("a.json", before)
            b = self.file("b.json", results(100 + i, 1))
            slow = self.file("slow.json", results(200 + i, 1.1))
            self.compare(0, a, b, *gate)
            self.assertEqual(self.compare(6, a, slow, *gate).count("BELOW 0.95"), 2)
            planted = copy.deepcopy(before)
            for one in planted["modes"]:
                one["samples_s"] = [1.1 * s for s in one["samples_s"]]
            self.file("planted.json", planted)
            self.assertIn("0.909", self.compare(6, a, "planted.json", *gate))
            self.compare(0, "planted.json", a, *gate)
        first = self.compare(0, a, slow, "--json", "c.json")
        self.assertEqual(self.compare(0, a, slow), first, "the same files, the same comparison")
        written = json.loads((self.folder / "c.json").read_text())
        self.assertFalse(written["below_min_ratio"])
        self.assertEqual(len(written["series"]), 2)
        self.compare(6, a, b, "--min-ratio", "1.5")

    def test_what_differs(self) -> None:
        a, b = self.file("a.json", results(1, 1)), self.file("b.json", results(2, 1))
        old = self.file("old.json", results(3, 1, driver="535.104"))
        out = self.compare(0, old, a)
        self.assertIn("environment.driver: 535.104 -> 550.54", out)
        self.assertEqual(out.count("->"), 1, out)
        self.assertIn("nothing that the files tell", self.compare(0, a, b))
        naive = results(1, 1)
        naive["modes"][1]["mode"] = "naive"
        out = self.compare(0, a, self.file("naive.json", naive))
        self.assertIn("only in A: mode task", out)
        self.assertIn("only in B: mode naive", out)
        sell = results(1, 1)
        sell["format"]["interior"] = "sell"
        self.assertIn("format: csr -> sell", self.compare(0, a, self.file("sell.json", sell)))

    def test_points_of_a_study(self) -> None:
        def point(name: str, seconds: float) -> str:
            one = {"matrix": "m.mtx", "rows": 10, "nonzeros": 30, "value": "double", "ranks": 2}
            one.update(
                partition="rows", format="csr", transport="auto", mode=name, median_s=seconds
            )
            return json.dumps({**one, "measured": mode(name, [seconds] * 6), "environment": {}})

        lines = [
            point("vector", 1e-5),
            point("vector", 2e-5),
            point("task", 1e-5),
            '{"matrix": "m.m',
        ]
        out = self.compare(
            0,
            self.file("p.jsonl", "\n".join(lines)),
            self.file("a.json", results(1, 1)),
            "--min-ratio",
            "0.2",
        )
        self.assertIn("A has 1 older points", out)
        self.assertRegex(out, r"(?m)^vector +20\.0", "the last point of a subject counts")

    def test_marks_and_names_are_text(self) -> None:
        marked = results(1, 1)
        marked["modes"][0].update(marks=["noisy"], marks_reason="cores are \x1b[2J shared")
        marked["matrix"]["name"] = "<script>\x1b[31m\n=cmd().mtx"
        name = self.file("m.json", marked)
        out = self.compare(0, name, name)
        self.assertIn(r"A: noisy: cores are \x1b[2J shared", out)
        self.assertIn(r"<script>\x1b[31m\x0a=cmd().mtx", out)
        self.assertNotIn("\x1b", out)

    def test_what_is_no_file_of_results(self) -> None:
        a = self.file("a.json", results(1, 1))

        def changed(name: str, **fields: Any) -> str:
            other = results(1, 1)
            other["modes"][0].update(fields)
            return self.file(name, other)

        no_samples = changed("medians.json", samples_s=None)
        self.refuses(
            4, ["medians.json: mode vector", "samples_s", "measure it again"], a, no_samples
        )
        few = changed("few.json", samples_s=[1e-5])
        self.refuses(4, ["1 samples", "--min-repetitions"], few, a, "--min-ratio", "0.5")
        self.refuses(4, ["no time: -1"], a, changed("negative.json", samples_s=[-1] * 8))
        wrong = changed("wrong.json", rows_wrong=3)
        self.refuses(3, ["wrong.json", "3 rows", "wrong"], a, wrong)
        other = results(1, 1)
        other["matrix"]["rows"] = 11
        self.refuses(4, ["no measurement in common", "11 rows"], a, self.file("other.json", other))
        self.refuses(4, ["some.json", "neither"], self.file("some.json", {"a": 1}), a)
        solved: tuple[tuple[str, dict[str, Any]], ...] = (
            ("solve", {"solvers": []}),
            ("eigen", {"searches": []}),
            ("dos", {"density": [], "modes": []}),
        )
        for command, found in solved:
            name = self.file(f"{command}.json", found)
            says = [f"what spmv_dist {command} has written", "give what --json of a run"]
            self.refuses(4, says, name, name)
            with self.assertRaisesRegex(ToolError, says[0]):
                load_run(str(self.folder / name))
        self.refuses(4, ["nonsense", "is no JSON"], self.file("nonsense", "nonsense\n"), a)
        self.refuses(4, ["none.json", "cannot be read"], "none.json", a)
        self.refuses(
            4, ["new.json", "schema 99"], self.file("new.json", {**results(1, 1), "schema": 99}), a
        )
        self.refuses(2, ["the same file"], a, "few.json", "--json", "./few.json")
        self.refuses(5, ["none/c.json"], a, a, "--json", "none/c.json")
        for words in (
            [a],
            [a, a, "--min-ratio", "fast"],
            [a, a, "--min-ratio", "-1"],
            [a, a, "--min"],
        ):
            self.compare(2, *words)


if __name__ == "__main__":
    unittest.main()
