"""The package as a whole: what it needs, and its messages if that is missing."""

from __future__ import annotations

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


def start(*words: str, **environment: str) -> subprocess.CompletedProcess:
    """Without packages of the user or the site."""
    return subprocess.run(
        [sys.executable, "-S", "-s", "-m", *words],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(PACKAGE.parent), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


class Package(unittest.TestCase):
    def test_its_version_is_the_programs(self) -> None:
        rule = re.search(r'^pattern = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
        assert rule
        pattern = rule.group(1).replace("\\\\", "\\")
        found = re.search(pattern, (ROOT / "CMakeLists.txt").read_text())
        assert found
        self.assertRegex(found.group("version"), r"^\d+\.\d+\.\d+$")

    def test_a_missing_package_is_an_error_that_says_how_to_get_it(self) -> None:
        run = {"environment": {"ranks": 1}, "matrix": {"name": "m"}, "modes": []}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "r.json"
            path.write_text(json.dumps(run))
            ended = start("spmv_dist.report", str(path), "-o", f"{path}.html")
        self.assertEqual(ended.returncode, 5, ended.stderr)
        self.assertIn("pip install 'spmv_dist[report]'", ended.stderr)
        self.assertEqual(len(ended.stderr.splitlines()), 1, ended.stderr)

    def test_help_needs_no_packages(self) -> None:
        for tool in ("report", "compare", "papers", "transports", "scale", "jobscript"):
            ended = start(f"spmv_dist.{tool}", "--help")
            self.assertEqual(ended.returncode, 0, f"{tool}: {ended.stderr}")

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
