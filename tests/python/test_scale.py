"""Scaling studies: their points, resuming after any interruption, what ends a study, and strange
names."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import unittest
from pathlib import Path
from typing import Any

from tools import FEW, HOSTILE, PROGRAM, Ended, ToolTest, children, points, runs_on

STENCIL = ["--generate=stencil7:8,8,8", "--launcher=mpirun"]
ONE_MODE = ["--mode=vector", "--format=csr", "--partition=rows"]
WIDE = ["--ranks=1,2", "--mode=vector,task", "--format=csr,ellpack_r", "--partition=rows,nonzeros"]
KEY = ("matrix", "partition", "format", "transport", "mode", "options", "commit", "ranks")


def keys(file: Path) -> list[tuple[Any, ...]]:
    """The fields that identify each point in a file, sorted."""
    return sorted(tuple(point[name] for name in KEY) for point in points(file))


class StudyTest(ToolTest):
    def study(self, code: int, file: str, *words: str) -> Ended:
        return self.tool(code, "scale", *STENCIL, f"--results={file}", *words, "--", *FEW)


class Points(StudyTest):
    def test_every_point_once_and_only_what_is_new(self) -> None:
        file = self.folder / "all.jsonl"
        ended = self.study(0, "all.jsonl", *WIDE)
        self.assertEqual(len(set(keys(file))), 16)
        self.assertEqual(len(keys(file)), 16)
        for point in points(file):
            for name in [
                "commit",
                "compiler",
                "cuda",
                "driver",
                "mpi",
                "launcher",
                "hosts",
                "binding",
                "gpus",
                "launch",
                "places",
            ]:
                self.assertIn(name, point["environment"])
            self.assertTrue(all(point["environment"]["hosts"]) and point["environment"]["hosts"])
            self.assertRegex(point["environment"]["binding"][0], "^[0-9]")
        rows = [
            line.split()
            for line in ended.out.splitlines()
            if line.startswith(("csr ", "ellpack_r "))
        ]
        self.assertEqual(len(rows), 16)
        self.assertTrue(
            all(row[-3:-2] == ["-"] for row in rows if row[3] == "1"), "hidden on one rank"
        )
        self.assertIn("efficiency: ", ended.out)
        self.assertIn("2 ranks, csr, rows, modes vector,task: mpirun -np 2", ended.err)
        self.assertEqual(points(file)[0]["ranks"], 2, "the largest run comes first")
        self.assertFalse(list(self.folder.glob("all.jsonl.*")), "files are left")

        before = file.read_bytes()
        ended = self.study(
            0,
            "all.jsonl",
            "--ranks=2,1",
            "--mode=task,vector",
            "--format=csr,ellpack_r",
            "--partition=nonzeros,rows",
        )
        self.assertEqual(file.read_bytes(), before)
        self.assertNotIn("modes", ended.err)
        ended = self.study(
            0,
            "all.jsonl",
            "--ranks=1",
            "--mode=vector,naive,task",
            "--format=csr",
            "--partition=rows",
        )
        self.assertIn("1 ranks, csr, rows, modes naive: ", ended.err)
        self.assertEqual(len(points(file)), 17)
        for line in ("[1, 2]", '{"matrix": "m"}', "nonsense", "7", ""):
            (self.folder / "strange.jsonl").write_bytes(file.read_bytes() + line.encode() + b"\n")
            self.refuses(
                4,
                ["strange.jsonl:18", "remove the line"],
                "scale",
                "--results=strange.jsonl",
                *STENCIL,
            )

    def test_runs_are_kept(self) -> None:
        for modes, code in (("vector", 0), ("vector,task", 0)):
            self.study(
                code,
                "kept.jsonl",
                "--keep-runs=kept/of",
                "--ranks=1,2",
                f"--mode={modes}",
                *ONE_MODE[1:],
            )
        kept = sorted((self.folder / "kept/of").iterdir())
        self.assertEqual(
            [file.name for file in kept],
            [f"csr_rows_{number:05}_ranks_{ranks}.json" for number in (1, 2) for ranks in (1, 2)],
        )
        self.assertTrue(all('"modes"' in file.read_text() for file in kept))
        (self.folder / "file").touch()
        self.study(5, "kept.jsonl", "--keep-runs=file", "--ranks=1", "--mode=naive", *ONE_MODE[1:])

    def test_what_cannot_be_is_a_point_and_not_tried_again(self) -> None:
        file = self.folder / "left.jsonl"
        ended = self.study(0, "left.jsonl", "--ranks=2", "--mode=all", *ONE_MODE[1:])
        if any("left_out" in point for point in points(file)):
            self.assertIn("left out: ", ended.out)
        before = file.read_bytes()
        self.study(0, "left.jsonl", "--ranks=2", "--mode=all", *ONE_MODE[1:])
        self.assertEqual(file.read_bytes(), before)

    def test_transport_that_was_chosen_is_still_auto(self) -> None:
        self.study(0, "auto.jsonl", "--ranks=2", *ONE_MODE, "--transport=staged,auto")
        found = points(self.folder / "auto.jsonl")
        self.assertEqual(sorted(point["transport"] for point in found), ["auto", "staged"])
        self.assertTrue(all("measured" in point for point in found))

    def test_weak_scaling(self) -> None:
        grows = ["--weak", "--generate=stencil7:8,8,{4*ranks}", "--launcher=mpirun"]
        self.tool(0, "scale", *grows, "--results=weak.jsonl", "--ranks=1,2", *ONE_MODE, "--", *FEW)
        self.assertEqual(
            {point["rows"] for point in points(self.folder / "weak.jsonl")}, {256, 512}
        )

    def test_dry_run(self) -> None:
        ended = self.study(0, "dry.jsonl", "--dry-run", "--ranks=2", *ONE_MODE)
        self.assertIn(f"{PROGRAM} --generate=stencil7:8,8,8 --mode=vector", ended.err)
        self.assertEqual(points(self.folder / "dry.jsonl"), [])


class Interruptions(StudyTest):
    def test_killed_again_and_again(self) -> None:
        """A killed and resumed study has the same points as an uninterrupted one, each once."""
        here = shlex.quote(str(self.folder))
        killer = self.stand_in(
            "killer",
            f"""cd {here}
if [ "${{OMPI_COMM_WORLD_RANK:-${{PMI_RANK:-0}}}}" = 0 ]; then
  echo run >>runs
  if [ "$(wc -l <runs)" -gt 2 ] && [ -s pid ]; then
    echo $$ >left
    kill -KILL "$(cat pid)"
    rm pid
  fi
fi
exec {shlex.quote(PROGRAM)} "$@"
""",
        )
        file = self.folder / "killed.jsonl"
        words = [*STENCIL, "--results=killed.jsonl", f"--program={killer}", *WIDE, "--", *FEW]
        for _ in range(3):
            (self.folder / "runs").write_text("")
            process = self.start("scale", *words)
            (self.folder / "pid.new").write_text(str(process.pid))
            (self.folder / "pid.new").rename(self.folder / "pid")
            self.assertEqual(self.end_of(process).code, -signal.SIGKILL)
            left = int((self.folder / "left").read_text())
            self.wait_for_end(left)  # its child processes end with it
            with open(file, "a") as torn:
                torn.write('{"matrix":"stencil7:8,8,8","par')
        ended = self.study(0, "killed.jsonl", *WIDE)
        self.assertIn("torn", ended.err)
        self.study(0, "whole.jsonl", *WIDE)
        self.assertEqual(keys(file), keys(self.folder / "whole.jsonl"))
        self.assertFalse(
            list(self.folder.glob("killed.jsonl.run.*")), "files of killed runs are left"
        )

    def test_failing_run(self) -> None:
        failing = self.stand_in("failing", "echo what a pity >&2\nexit 9\n")
        ended = self.study(9, "fail.jsonl", "--ranks=1", f"--program={failing}")
        self.assertIn("what a pity", ended.err)
        self.assertRegex(
            ended.err,
            "(?m)^spmv_dist.scale: stencil7:8,8,8 on 1 ranks, format auto, ended with exit code 9 .*goes on from here",
        )
        self.assertEqual(points(self.folder / "fail.jsonl"), [])
        self.assertIn("what a pity", (self.folder / "fail.jsonl.log").read_text())

    def test_run_beyond_its_limit(self) -> None:
        ended = self.study(
            7, "fail.jsonl", "--ranks=1", f"--program={self._sleeping()}", "--run-limit=0.5"
        )
        self.assertIn("--run-limit", ended.err)

    def test_program_of_another_commit_or_none(self) -> None:
        old = self.script(
            "old",
            f'[ "$1" != --version ] || {{ echo "spmv_dist 1, commit old"; echo "MPI  M"; exit; }}\nexec {shlex.quote(PROGRAM)} "$@"\n',
        )
        self.refuses(
            5,
            ["commit"],
            "scale",
            *STENCIL,
            "--results=x",
            "--ranks=1",
            *ONE_MODE,
            f"--program={old}",
            "--",
            *FEW,
        )
        self.refuses(5, ["--program"], "scale", *STENCIL, "--results=x", "--program=./none")
        self.refuses(5, ["--program"], "scale", *STENCIL, "--results=x", "--program=/bin/true")

    def test_signals_end_the_study_and_its_launcher(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            process = self._begin(f"--program={self._sleeping()}")
            launcher = children(process.pid)[0]
            process.send_signal(number)
            ended = self.end_of(process)
            self.assertEqual(ended.code, 128 + number)
            self.assertIn("goes on from here", ended.err)
            self.assertFalse(runs_on(launcher), "the launcher is left behind")

    def test_launcher_gets_the_same_signal(self) -> None:
        """A launcher that is signalled can end its processes on other nodes; one that is killed
        cannot."""
        told, ready = self.folder / "told", self.folder / "ready"
        self.script(
            "asked/mpirun",
            f"""cd {shlex.quote(str(self.folder))}
for signal in TERM INT; do trap "echo $signal >told; kill \\$!; exit 1" "$signal"; done
sleep 300 &
: >ready
wait
""",
        )
        self.environment["PATH"] = f"{self.folder}/asked:{self.environment['PATH']}"
        for number in (signal.SIGTERM, signal.SIGINT):
            for file in (told, ready):
                file.unlink(missing_ok=True)
            process = self._begin()
            self.wait_for(ready.exists, process)
            process.send_signal(number)
            self.end_of(process)
            self.assertEqual(f"SIG{told.read_text().strip()}", number.name)

    def test_ignored_signals_stay_ignored(self) -> None:
        done = self.stand_in("done", "sleep 2; exit 9\n")
        process = self._begin(
            f"--program={done}", preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)
        )
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.end_of(process).code, 9)

    def test_killed_study_takes_its_launcher_along(self) -> None:
        process = self._begin(f"--program={self._sleeping()}")
        launcher = children(process.pid)[0]
        process.kill()
        self.end_of(process)
        self.wait_for_end(launcher)

    def test_two_studies_with_one_file(self) -> None:
        process = self._begin(f"--program={self._sleeping()}")
        self.refuses(5, ["another study"], "scale", *STENCIL, "--results=ended.jsonl", "--ranks=1")
        process.terminate()
        self.end_of(process)

    def _sleeping(self) -> str:
        return self.stand_in("sleeping", "exec sleep 300\n")

    def _begin(self, *words: str, **more: Any) -> subprocess.Popen[bytes]:
        """A study that has started its launcher, in its own process group."""
        process = self.start(
            "scale", *STENCIL, "--results=ended.jsonl", "--ranks=1", *words, **more
        )

        def is_under_way() -> bool:
            return any(
                os.getpgid(child) == child for child in children(process.pid) if runs_on(child)
            )

        self.wait_for(is_under_way, process)
        return process


class Names(StudyTest):
    def test_hostile_names_are_words_and_text(self) -> None:
        (self.folder / HOSTILE).write_text(
            "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 1\n"
        )
        results = "=r$(touch oops) '.jsonl"
        for _ in range(2):
            ended = self.tool(
                0,
                "scale",
                "--launcher=mpirun",
                f"--results={self.folder}/{results}",
                "--ranks=1",
                *ONE_MODE,
                "--",
                HOSTILE,
                *FEW,
            )
            self.assertNotIn("\x1b", ended.out + ended.err)
        self.assertFalse((self.folder / "oops").exists(), "a name was executed")
        found = points(self.folder / results)
        self.assertEqual(len(found), 1)
        self.assertIn("\\xff", found[0]["matrix"], "a file is UTF-8, which any reader takes")

    def test_place_of_the_matrix_makes_no_other_point(self) -> None:
        (self.folder / "m.mtx").write_text(
            "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 1\n"
        )
        common = ["--launcher=mpirun", "--results=m.jsonl", "--ranks=1", *ONE_MODE]
        self.tool(0, "scale", "m.mtx", *common, "--", *FEW)
        self.tool(0, "scale", *common, "m.mtx", "--", *FEW)
        self.tool(0, "scale", *common, "--", "m.mtx", *FEW)
        self.assertEqual(len(points(self.folder / "m.jsonl")), 1)

    def test_what_is_no_study(self) -> None:
        small = ["--results=x", "--generate=stencil7:4,4,4"]
        for code, says, words in (
            (2, ["--results"], ["--generate=stencil7:4,4,4"]),
            (2, ["either a file", "--generate"], ["--results=x"]),
            (2, ["'fast'", "vector"], [*small, "--mode=fast"]),
            (2, ["'crs'"], [*small, "--format=csr,crs"]),
            (2, ["--ranks"], [*small, "--ranks=0"]),
            (2, ["--ranks"], [*small, "--ranks=1,x"]),
            (2, ["--cores-per-rank"], [*small, "--cores-per-rank=1,2"]),
            (2, ["--timeout"], [*small, "--timeout=nan"]),
            (2, ["unknown format ''"], [*small, "--format=,"]),
            (2, ["--mode belongs before --"], [*small, "--", "--mode=task"]),
            (2, ["'m.mtx' is neither"], [*small, "--", "m.mtx"]),
            (2, ["--weak", "{ranks}"], [*small, "--weak"]),
            (2, ["unknown launcher 'carrier'"], [*small, "--ranks=1", "--launcher=carrier"]),
            (
                5,
                ["cannot be written"],
                ["--results=none/x", "--generate=stencil7:4,4,4", "--ranks=1"],
            ),
        ):
            self.refuses(code, says, "scale", *words)
        self.environment.update(OMPI_COMM_WORLD_SIZE="2", OMPI_COMM_WORLD_RANK="0")
        self.refuses(2, ["without mpirun"], "scale", *small)
        self.environment.update(OMPI_COMM_WORLD_RANK="1")
        self.assertEqual(self.tool(2, "scale", *small).err, "")


if __name__ == "__main__":
    unittest.main()
