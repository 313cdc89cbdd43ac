"""No output of a tool destroys a file that the tool, or what it starts, reads or writes as well."""

from __future__ import annotations

import importlib.util
import os
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path

from tools import PROGRAM, ToolTest

CONTENT = b"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 5\n"
HAS_CHARTS = all(map(importlib.util.find_spec, ("altair", "jinja2", "vl_convert")))
ONE = (f"--program={PROGRAM}", "--mode=vector", "--format=csr")
JOB = ("--site=slurm", *ONE)


def spellings(file: Path) -> Iterator[str]:
    """Names of the same file."""
    yield file.name
    yield f"./{file.name}"
    yield str(file)
    for name, link in (("symbolic.svg", os.symlink), ("hard.svg", os.link)):
        beside = file.with_name(name)
        beside.unlink(missing_ok=True)
        link(file, beside)
        yield name


class Outputs(ToolTest):
    def kept(self, tool: str, words: Callable[[str], list[str]], other: str) -> None:
        """The tool refuses every name of a file `other` for the output that words() puts it in."""
        file = self.folder / other
        file.write_bytes(CONTENT)
        file.chmod(0o755)
        for name in spellings(file):
            self.refuses(2, ["is the same file as", "name another file"], tool, *words(name))
            self.assertEqual(file.read_bytes(), CONTENT, f"{tool} {words(name)}")
        file.unlink()

    def test_jobscript(self) -> None:
        self.kept("jobscript", lambda o: [*JOB, "a.mtx", "-o", o], "a.mtx")
        self.kept("jobscript", lambda o: [*JOB, "-o", o, "--", "a.mtx"], "a.mtx")
        weak = [*JOB, "--ranks-per-node=2", "--weak", "a{ranks}.mtx"]
        self.kept("jobscript", lambda o: [*weak, "-o", o], "a2.mtx")
        self.kept("jobscript", lambda o: [*JOB, "a.mtx", "--results=r.jsonl", "-o", o], "r.jsonl")
        self.kept("jobscript", lambda o: [*JOB, "a.mtx", "-o", o], "scaling.jsonl.log")
        self.kept("jobscript", lambda o: [*JOB, "a.mtx", "-o", o, "--", "--read-x", "x"], "x")
        self.kept("jobscript", lambda o: [*JOB, "a.mtx", "-o", o, "--", "--write-y=y"], "y")
        self.kept("jobscript", lambda o: [*JOB, "a.mtx", f"--results={o}"], "a.mtx")
        self.refuses(
            *(2, ["--results", "is the same file as"], "jobscript", *JOB, "a.mtx"),
            *("-o", "new.job", "--results=./new.job"),
        )
        self.assertFalse((self.folder / "new.job").exists())

    def test_the_program(self) -> None:
        program = Path(self.stand_in("program", "exit 1"))
        text = program.read_bytes()
        for name in spellings(program):
            for tool, words in (
                ("jobscript", ["--site=slurm", "-o"]),
                ("scale", ["--ranks=1", "-o"]),
            ):
                study = [*words, name, "--generate=stencil5:4,4", "--program=./program"]
                self.refuses(2, ["--program", "is the same file as"], tool, *study)
                self.assertEqual(program.read_bytes(), text, name)

    def test_scale(self) -> None:
        one = [*ONE, "--ranks=1,2"]
        self.kept("scale", lambda o: [*one, "a.mtx", "-o", o], "a.mtx")
        self.kept("scale", lambda o: [*one, "--weak", "a{ranks}.mtx", "-o", o], "a2.mtx")
        self.kept("scale", lambda o: [*one, "a.mtx", "-o", o, "--", "--csv", "b"], "b")
        self.kept("scale", lambda o: [*one, "-o", "a", "--", o], "a.log")

    def test_a_study_cuts_nothing_off_that_is_no_point(self) -> None:
        for content in (b"a binary file\0", b"a line\nand another", b"[1, 2]"):
            file = self.folder / "other"
            file.write_bytes(content)
            study = [*ONE, "--ranks=1", "--generate=stencil5:4,4", "-o", "other"]
            self.refuses(4, ["other:1", "no point of a study"], "scale", *study)
            self.assertEqual(file.read_bytes(), content)

    def test_figures_and_comparisons(self) -> None:
        self.kept("report", lambda o: ["b", "a.json", "-o", o], "a.json")
        self.kept("density", lambda o: ["b", "a.svg", "-o", o], "a.svg")
        self.kept("market", lambda o: ["a.npz", "-o", o], "a.npz")
        self.kept("compare", lambda o: ["a.json", "b", "--json", o], "a.json")
        self.kept("compare", lambda o: ["b", "a.json", "--json", o], "a.json")

    @unittest.skipUnless(
        HAS_CHARTS, "the packages of the report are missing; jobs/test.sh installs them"
    )
    def test_tables_of_the_papers(self) -> None:
        formats = self.folder / "formats.csv"
        formats.write_text("matrix,format,status,device,reason\nm,csr,refused,d,r\n")
        (self.folder / "analysis.json").write_text("[]")
        os.symlink("formats.csv", self.folder / "summary.html")
        before = formats.read_bytes()
        self.refuses(
            2, ["summary.html is the same file as formats.csv"], "papers", str(self.folder)
        )
        self.assertEqual(formats.read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
