"""schema.json describes everything that the program writes; readers' errors name file and field."""

from __future__ import annotations

import packages

packages.need("jsonschema")

import copy
import json
import unittest
from typing import Any

import jsonschema

from spmv_dist import schema
from spmv_dist.tool import ToolError
from tools import FEW, PROGRAM, ToolTest

DESCRIPTION = schema.description()


def complaints(kind: str, value: Any) -> list[str]:
    """The fields of a run or a point that schema.json lacks."""
    part = {"$ref": f"#/$defs/{kind}", "$defs": DESCRIPTION["$defs"]}
    found = jsonschema.Draft202012Validator(part).iter_errors(value)
    return [f"{error.json_path}: {error.message[:200]}" for error in found]


class Described(ToolTest):
    """Real output of the program."""

    def json_of(self, ranks: int, *words: str) -> Any:
        path = self.folder / "run.json"
        self.program(ranks, *words, *FEW, "--json", str(path))
        return json.loads(path.read_text())

    def test_the_description_is_one(self) -> None:
        jsonschema.Draft202012Validator.check_schema(DESCRIPTION)
        self.assertEqual(DESCRIPTION["$defs"]["version"]["const"], schema.SCHEMA)

    def test_runs(self) -> None:
        for ranks, words in (
            (1, ["--generate=stencil7:4,4,4", "--format=csr"]),
            (
                3,
                [
                    "--generate=powerlaw:300,6,60",
                    "--transport=all",
                    "--order=auto",
                    "--format=auto",
                ],
            ),
            (
                2,
                ["--generate=powerlaw:300,6,60", "--mode=task", "--partition=metis", "--no-verify"],
            ),
        ):
            run = self.json_of(ranks, *words)
            self.assertEqual(run["schema"], schema.SCHEMA)
            self.assertEqual(complaints("run", run), [])
            self.assertEqual(complaints("point", run) != [], True, "a run is no point")

    def test_solves(self) -> None:
        path = self.folder / "solve.json"
        words = [
            "solve",
            "--generate=stencil7:5,5,5",
            "--backend=host",
            "--tune-cache=off",
            f"--json={path}",
        ]
        for ranks, more in ((1, ["--solver=all"]), (2, ["--mode=all", "--transport=auto,nccl"])):
            self.program(ranks, *words, *more)
            solve = json.loads(path.read_text())
            self.assertTrue(schema.is_solve(solve))
            self.assertEqual(complaints("solve", solve), [])
            self.assertEqual(any("refused" in one for one in solve["solvers"]), ranks == 2)
            self.assertNotEqual(complaints("run", solve), [])

    def test_spectra(self) -> None:
        path = self.folder / "spectrum.json"
        words = ["--generate=stencil5:9,8", "--backend=host", "--tune-cache=off", f"--json={path}"]
        commands = (
            (["eigen", "--count=2"], "eigen", "searches", schema.is_eigen),
            (["dos", "--moments=8", "--vectors=2", "--energies=9"], "dos", "modes", schema.is_dos),
        )
        for command, kind, parts, is_one in commands:
            for ranks, more in ((1, []), (2, ["--mode=all", "--transport=auto,nccl"])):
                self.program(ranks, *command, *words, *more)
                found = json.loads(path.read_text())
                self.assertTrue(is_one(found))
                self.assertEqual(complaints(kind, found), [])
                self.assertEqual(any("refused" in one for one in found[parts]), ranks == 2)
                self.assertFalse(schema.is_run(found) or schema.is_solve(found))
                for part in (found, found[parts][0]):
                    name, value = part.popitem()
                    self.assertNotEqual(complaints(kind, found), [], f"{name} is missing")
                    part[name] = value
                    part["something_new"] = 1
                    self.assertNotEqual(complaints(kind, found), [], "a new field")
                    del part["something_new"]

    def test_points(self) -> None:
        words = ["--generate=stencil7:4,4,4", "--ranks=1,2", "--format=csr", "--mode=vector,task"]
        words += ["--transport=auto,nccl", "--launcher=mpirun", "--results=p.jsonl"]
        self.tool(0, "scale", "--program", PROGRAM, *words, "--", *FEW)
        points = [json.loads(line) for line in (self.folder / "p.jsonl").read_text().splitlines()]
        self.assertTrue(any("left_out" in point for point in points))
        self.assertTrue(any("measured" in point for point in points))
        for point in points:
            self.assertEqual(complaints("point", point), [])

    def test_a_field_that_is_not_described_is_noticed(self) -> None:
        run = self.json_of(2, "--generate=stencil7:4,4,4", "--format=csr")
        for path in ([], ["environment"], ["matrix"], ["modes", 0], ["modes", 0, "overlap"], ["setup"],
                     ["partition"], ["format"], ["tuning", "interior"], ["bandwidth"], ["model"],
                     ["pictures"], ["pictures", "shares"], ["transport_choice"], ["order"]):  # fmt: skip
            more = copy.deepcopy(run)
            part = more
            for name in path:
                part = part[name]
            part["something_new"] = 1
            self.assertNotEqual(complaints("run", more), [], f"a new field in {path}")
            less = copy.deepcopy(run)
            part = less
            for name in path:
                part = part[name]
            del part[min(set(part) - {"queued_exchange_choice", "asked", "reason", "predicted_s"})]
            if path != ["pictures"]:  # a run that ended early lacks some
                self.assertNotEqual(complaints("run", less), [], f"a field of {path} is missing")


RUN = {"environment": {"ranks": 2}, "matrix": {"name": "m"}, "modes": [{"mode": "vector"}]}


def parsed(text: str) -> list[schema.Record]:
    return schema.parse_records(text, "r.json")


class Reader(unittest.TestCase):
    def refuses(self, text: str, *words: str) -> None:
        with self.assertRaises(ToolError) as caught:
            for record in parsed(text):
                schema.require_run(record)
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_versions(self) -> None:
        for version in ({}, {"schema": 0}, {"schema": schema.SCHEMA}):
            self.assertEqual(len(parsed(json.dumps({**RUN, **version}))), 1)
        self.refuses(
            json.dumps({**RUN, "schema": schema.SCHEMA + 1}), "r.json: it has schema 2", "up to 1"
        )
        for wrong in ("1", 1.5, True, None, -1):
            self.refuses(json.dumps({**RUN, "schema": wrong}), "r.json", "schema")

    def test_errors_name_file_line_and_field(self) -> None:
        self.refuses(json.dumps({**RUN, "matrix": {"name": 3}}), "r.json", "matrix.name")
        self.refuses(
            json.dumps({**RUN, "environment": {"ranks": "2"}}), "r.json", "environment.ranks"
        )
        self.refuses(json.dumps({**RUN, "modes": [{}, 3]}), "r.json", "modes[1]")
        line = json.dumps(RUN)
        self.refuses(f"{line}\n{{}}\n", "r.json:2")
        self.refuses(f"{line}\nnonsense\n{line}", "r.json:2", "is no JSON")
        for text in ("", "\n \n", "3", "[]", '{"modes": [', '"a"', "[" * 100000, '{"a":' * 5000):
            self.refuses(text, "r.json")

    def test_a_torn_last_line_does_not_count(self) -> None:
        line = json.dumps(RUN)
        self.assertEqual(len(parsed(f'{line}\n\n{line}\n{{"matrix": "m.m')), 2)
        self.refuses(f'{line}\n{{"matrix": "m.m\n', "r.json:2")

    def test_numbers_that_are_none(self) -> None:
        for value in (None, "1", True, [], {}, 1e31, -1e-31, 10**400, float("nan"), float("inf")):
            self.assertIsNone(schema.as_number(value), str(value)[:20])
        for value in (0, 1, -2.5, 1e30, 1e-30):
            self.assertEqual(schema.as_number(value), value)


if __name__ == "__main__":
    unittest.main()
