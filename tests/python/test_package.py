"""The package as a whole: what it needs, and its messages if that is missing."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src/python/spmv_dist"


# What a user can start with python3 -m.
TOOLS = sorted(
    ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__main__")
    for file in PACKAGE.rglob("*.py")
    if 'if __name__ == "__main__"' in file.read_text()
)


def start(tool: str, *words: str, **environment: str) -> subprocess.CompletedProcess:
    return run("-m", tool, *words, **environment)


def run(*words: str, **environment: str) -> subprocess.CompletedProcess:
    """Python without packages of the user or the site."""
    return subprocess.run(
        [sys.executable, "-S", "-s", *words],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(PACKAGE.parent), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


class Package(unittest.TestCase):
    def test_its_version_is_the_programs(self) -> None:
        rule = re.search(r'^regex = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
        assert rule
        pattern = rule.group(1).replace("\\\\", "\\")
        found = re.search(pattern, (ROOT / "CMakeLists.txt").read_text())
        assert found
        self.assertRegex(found.group("value"), r"^\d+\.\d+\.\d+$")

    def test_a_missing_package_is_an_error_that_says_how_to_get_it(self) -> None:
        run = {"environment": {"ranks": 1}, "matrix": {"name": "m"}, "modes": []}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "r.json"
            path.write_text(json.dumps(run))
            ended = start("spmv_dist.report", str(path), "-o", f"{path}.html")
        self.assertEqual(ended.returncode, 5, ended.stderr)
        self.assertIn("python3 -m venv FOLDER && FOLDER/bin/pip install ", ended.stderr)
        self.assertEqual(len(ended.stderr.splitlines()), 1, ended.stderr)
        extra = re.search(
            r"^report = \[(.*)\]$", (ROOT / "pyproject.toml").read_text(), re.MULTILINE
        )
        assert extra
        for package in re.findall('"(.*?)"', extra.group(1)):
            self.assertIn(f" '{package}'", ended.stderr)

    def test_the_library_says_what_it_lacks_when_it_is_used_first(self) -> None:
        ended = run("-c", "import spmv_dist; print('tools run'); spmv_dist.Matrix")
        self.assertEqual(ended.stdout, "tools run\n")
        self.assertRegex(
            ended.stderr, "UnavailableError: spmv_dist: the library needs numpy and mpi4py"
        )
        names = run("-c", "import spmv_dist; spmv_dist.no_such_name")
        self.assertIn(
            "AttributeError: module spmv_dist has no attribute no_such_name", names.stderr
        )

    def test_help_needs_no_packages(self) -> None:
        self.assertIn("spmv_dist.papers.auto_table", TOOLS)
        for tool in TOOLS:
            ended = start(tool, "--help")
            self.assertEqual(ended.returncode, 0, f"{tool}: {ended.stderr}")

    def test_an_older_python_is_told_what_is_needed(self) -> None:
        """Stands in for one: the syntax is looked at, and the version is set before the tool starts."""
        first = ast.parse((PACKAGE / "__init__.py").read_text(), feature_version=(3, 6))
        newer = (ast.ImportFrom, ast.JoinedStr, ast.NamedExpr, ast.AnnAssign)
        self.assertFalse([node for node in ast.walk(first) if isinstance(node, newer)])
        for node in ast.walk(first):
            if isinstance(node, ast.FunctionDef):
                self.assertIsNone(node.returns)
            if isinstance(node, ast.arg):
                self.assertIsNone(node.annotation)
        imported = [node for node in first.body if isinstance(node, ast.Import)]
        self.assertEqual([name.name for node in imported for name in node.names], ["sys"])
        for tool in TOOLS:
            for version in ((2, 7, 18), (3, 6, 8), (3, 8, 20)):
                told = ".".join(map(str, version))
                as_older = f"import runpy, sys; sys.version_info, sys.version = {version}, '{told} (old)'; "
                as_older += f"runpy.run_module({tool!r}, run_name='__main__')"
                ended = run("-c", as_older)
                self.assertEqual(ended.returncode, 5, ended.stderr)
                self.assertRegex(
                    ended.stderr, rf"\Aspmv_dist: .*need Python 3\.9 .* is {told}: .*\n\Z"
                )

    def test_every_file_is_written_where_it_is_checked(self) -> None:
        """tool.py writes what is apart from all that is read; a study's points and logs are checked by its plan."""
        writes = re.compile(
            r"\bopen\([^)]*[\"'][wax+]b?[\"']|os\.O_WRONLY|os\.O_RDWR|\.write_(text|bytes)\(|copyfile"
        )
        files = [file for file in PACKAGE.rglob("*.py") if writes.search(file.read_text())]
        self.assertEqual(
            sorted(str(file.relative_to(PACKAGE)) for file in files),
            ["scale/child_run.py", "scale/points_file.py", "scale/study.py", "tool.py"],
        )

    def test_no_tool_runs_on_several_ranks(self) -> None:
        for tool in ("report", "compare"):
            ranks = {"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"}
            ended = start(f"spmv_dist.{tool}", "--help", **ranks)
            self.assertEqual(ended.returncode, 2)
            self.assertIn("without mpirun or srun", ended.stderr)

    @unittest.skipUnless(shutil.which("ruff"), "there is no ruff")
    def test_ruff_finds_nothing(self) -> None:
        for words in (["check"], ["format", "--check"]):
            ended = subprocess.run(
                ["ruff", *words, "src/python", "tests/python", "tests/sabotage"],
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(ended.returncode, 0, ended.stdout)


if __name__ == "__main__":
    unittest.main()
