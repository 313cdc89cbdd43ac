#!/usr/bin/env python3
"""Plants faults into runs of spmv_dist, one per run, and checks how each run ends.

A first run on each number of ranks lists every rank's call sites (planted.cpp). Each of them, or of a sample, then gets its
fault in a run of its own. `judge` states what must hold.

    faults.py --program build/bin/spmv_dist --plant build/tests/faults/libspmv_planted_faults.so --ranks 2 --action fail
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

MEMORY = {
    "new",
    "posix_memalign",
    "mmap",
    "cudaMalloc",
    "cudaMallocHost",
    "cudaHostRegister",
    "cudaStreamCreateWithPriority",
    "cudaEventCreate",
    "cudaEventCreateWithFlags",
    "cudaGraphInstantiate",
}
SIGNALS = {"SIGKILL": 137, "SIGTERM": 143, "SIGINT": 130, "SIGSTOP": None}
FAILURES = {1, 4, 5, 8}  # exit codes of failures
OLD = '{"old": "whatever was here before"}\n'
LIMIT_S = 300  # starting and ending MPI may take 20 s more than the time-out

MATRIX = (
    """%%MatrixMarket matrix coordinate real symmetric
% a chain with a few long bonds
12 12 18
"""
    + "".join(f"{i} {i} {i + 0.5}\n" for i in range(1, 13))
    + "".join(f"{i} {j} -0.25\n" for i, j in ((2, 1), (5, 2), (7, 6), (9, 4), (11, 10), (12, 1)))
)


class Case(collections.namedtuple("Case", "rank call number action")):
    def __str__(self):
        return f"rank {self.rank}, {self.call} number {self.number}, {self.action}"


class Bench:
    """Starts the program, each time in a new folder."""

    def __init__(self, args):
        self.args = args
        self.program = str(pathlib.Path(args.program).resolve())
        self.plant = str(pathlib.Path(args.plant).resolve())

    def command(self, plant_environment):
        program = [
            "env",
            f"LD_PRELOAD={self.plant}",
            *plant_environment,
            self.program,
            "matrix.mtx",
            "--backend",
            self.args.backend,
            "--mode",
            "all",
            "--partition",
            "metis",
            "--timeout",
            str(self.args.timeout),
            "--json",
            "out.json",
            "--csv",
            "out.csv",
            "--trace",
            "out.trace",
            "--tune-cache",
            "cache",
            "--max-seconds",
            "0.001",
            "--min-repetitions",
            "1",
            "--max-repetitions",
            "2",
            "--warmup",
            "1",
            *self.args.option,
        ]
        return (
            program
            if self.args.ranks == 1
            else [self.args.mpirun, "-np", str(self.args.ranks), *program]
        )

    def run(self, folder, plant_environment):
        (folder / "matrix.mtx").write_text(MATRIX)
        (folder / "out.json").write_text(OLD)
        with open(folder / "stdout", "w") as out, open(folder / "stderr", "w") as err:
            process = subprocess.Popen(
                self.command(plant_environment),
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
            try:
                return process.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                for left in processes_in(folder) + [process.pid]:
                    try:
                        os.kill(left, 9)
                    except ProcessLookupError:
                        pass
                process.wait()
                return "hangs"

    def sites(self):
        """For every rank: (call, number of its first occurrence)."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            code = self.run(folder, [f"SPMV_SITES={folder}/sites"])
            if code != 0:
                sys.exit(
                    f"the run without a fault ends with {code}:\n{(folder / 'stderr').read_text()}"
                )
            return {
                (rank, *line.split()[:2])
                for rank in range(self.args.ranks)
                for line in (folder / f"sites.{rank}").read_text().splitlines()
            }


def processes_in(folder):
    """Ids of the processes that were started in this folder."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if (
                entry.name.isdigit()
                and os.readlink(entry / "cwd") == str(folder.resolve())
                and (entry / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
            ):
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def shared_memory():
    return {name for name in os.listdir("/dev/shm") if "spmv" in name}


def state_of(path):
    """State of an output file: "none", "old", "whole", "incomplete", or "broken"."""
    if not path.exists():
        return "none"
    text = path.read_text()
    if text == OLD:
        return "old"
    try:
        result = json.loads(text)
        incomplete = (
            result["incomplete"] if "incomplete" in result else result["otherData"]["incomplete"]
        )
    except (ValueError, KeyError, TypeError):
        return "broken"
    return "incomplete" if incomplete else "whole"


def modes_in(path):
    """The modes with correct products, in complete results."""
    return {
        mode["mode"] for mode in json.loads(path.read_text())["modes"] if mode["rows_wrong"] == 0
    }


def judge(case, ranks, code, folder):
    """Everything that is wrong with the end of this run, a sentence each."""
    # Open MPI 5's launcher sometimes ends its messages with a NUL.
    stderr = (folder / "stderr").read_text(errors="replace").replace("\0", "\n")
    stdout = (folder / "stdout").read_text(errors="replace")
    messages = re.findall(r"^spmv_dist: .*", stderr, re.MULTILINE)
    wrong = []
    if code == "hangs":
        return [f"still there after {LIMIT_S} s"]
    result = {name: state_of(folder / name) for name in ("out.json", "out.trace")}
    if "broken" in result.values():
        wrong.append(f"half-written output: {result}")
    transparent = case.action in ("short", "EINTR", "EOPNOTSUPP")
    if code == 0:
        if result["out.json"] != "whole" or "WRONG" in stdout or "correct" not in stdout:
            wrong.append(f"exit code 0, but the output is {result}")
        if messages:
            wrong.append("exit code 0 with a message")
    elif transparent:
        wrong.append(f"exit code {code}: nothing has failed")
    elif case.action in SIGNALS:
        # The results may be complete if the signal came after the measurements, and then the run
        # says so. A rank that waits for a stopped one knows only that results are being written, so
        # they must contain every mode.
        written = (
            re.search(r"had been written|were being written", stderr)
            or "while writing the results" in stderr
            and modes_in(folder / "out.json") == {"vector", "naive", "task", "device"}
        )
        if (
            result["out.json"] == "whole"
            and case.action != "SIGKILL"
            and not written
            and case.rank == 0
        ):
            wrong.append("the results look whole")
        # While the program reads its options, signals have their default effect; SIGKILL always
        # has.
        signal = (SIGNALS[case.action] or 128) - 128
        by_itself = code == -signal if ranks == 1 else f"exited on signal {signal}" in stderr
        at_the_begin = by_itself and set(result.values()) <= {"old", "none"}
        if (
            ranks == 1
            and code != SIGNALS[case.action]
            and not at_the_begin
            and not (by_itself and case.action == "SIGKILL")
        ):
            wrong.append(f"exit code {code}")
        if (
            case.action in ("SIGTERM", "SIGINT")
            and case.rank == 0
            and not at_the_begin
            and not re.search(rf"^note: ended by {case.action} while .+: .+", stderr, re.MULTILINE)
        ):
            wrong.append("the signal and the stage are not named")
        if case.action == "SIGSTOP" and (code != 7 or not messages):
            wrong.append(f"exit code {code}, {len(messages)} messages")
        # Open MPI names the signal or, if it notices the end before its reason, a non-zero exit
        # code: 128 + 9.
        told = "signal 9" in stdout + stderr or (code == 137 and "a non-zero exit code" in stderr)
        if case.action == "SIGKILL" and ranks > 1 and not told:
            wrong.append("the launcher does not say that a rank was killed")
    else:
        expected = {8} if case.call in MEMORY and case.action == "fail" else FAILURES
        if code not in expected:
            wrong.append(f"exit code {code} instead of {sorted(expected)}")
        # If MPI_Finalize fails, the results are complete, and the message is the launcher's.
        if len(messages) != 1 and not (
            case.call == "MPI_Finalize" and result["out.json"] == "whole"
        ):
            wrong.append(f"{len(messages)} messages instead of one")
        if code == 3 or "WRONG" in stdout:
            wrong.append("a wrong result")
    temporary = [
        entry.name
        for entry in folder.iterdir()
        if entry.name
        not in ("matrix.mtx", "out.json", "out.csv", "out.trace", "cache", "stdout", "stderr")
    ]
    if temporary and case.action != "SIGKILL" and case.call != "unlink":
        wrong.append(f"left behind: {', '.join(temporary)}")
    deadline = time.monotonic() + 60
    while (left := processes_in(folder)) and time.monotonic() < deadline:
        time.sleep(0.05)
    if left:
        wrong.append(f"{len(left)} processes still run")
    return wrong


def try_case(bench, case):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="spmv_faults_"))
    try:
        code = bench.run(
            folder, [f"SPMV_PLANT={case.rank} {case.call} {case.number} {case.action}"]
        )
        wrong = judge(case, bench.args.ranks, code, folder)
        return case, code, wrong, (folder / "stderr").read_text(errors="replace") if wrong else ""
    finally:
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", required=True)
    parser.add_argument("--plant", required=True)
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--backend", default="host", choices=["host", "cuda"])
    parser.add_argument(
        "--timeout", type=float, default=20, help="the program's time-out for hangs (default 20 s)"
    )
    parser.add_argument(
        "--action", default="fail", help="fail, short, EINTR, another errno, or a signal"
    )
    parser.add_argument("--calls", default="*", help="comma-separated patterns of the calls' names")
    parser.add_argument("--only-rank", type=int, help="plant on this rank only")
    parser.add_argument(
        "--sample", type=int, help="number of sites, drawn with --seed (default: all)"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument(
        "--option", action="append", default=[], help="another argument of the program"
    )
    parser.add_argument("--verbose", action="store_true", help="a line for every run")
    args = parser.parse_args()

    if args.backend == "cuda" and not pathlib.Path("/dev/nvidiactl").exists():
        print("skipped: this machine has no GPU")
        sys.exit(77)
    bench = Bench(args)
    patterns = args.calls.split(",")
    sites = sorted(
        site
        for site in bench.sites()
        if any(fnmatch.fnmatch(site[1], pattern) for pattern in patterns)
        and args.only_rank in (None, site[0])
    )
    if not sites:
        sys.exit(f"no call site matches {args.calls}")
    chosen = (
        sites
        if args.sample is None
        else random.Random(args.seed).sample(sites, min(args.sample, len(sites)))
    )
    cases = [Case(rank, call, int(number), args.action) for rank, call, number in chosen]
    before = shared_memory()
    codes = collections.Counter()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for case, code, wrong, stderr in pool.map(lambda case: try_case(bench, case), cases):
            codes[str(code)] += 1
            failed += bool(wrong)
            if wrong or args.verbose:
                print(
                    f"{'FAILED: ' if wrong else ''}{case}: exit code {code}{': ' if wrong else ''}{'; '.join(wrong)}",
                    flush=True,
                )
            if wrong:
                print(
                    "".join(f"    {line}\n" for line in stderr.splitlines()[:12]),
                    end="",
                    flush=True,
                )
    if left := shared_memory() - before:
        failed += 1
        print(f"FAILED: left in /dev/shm: {', '.join(sorted(left))}")
    print(
        f"{len(cases)} of {len(sites)} sites, {args.action}, {args.ranks} ranks: {failed} failures; exit codes "
        + ", ".join(f"{code}: {count}" for code, count in sorted(codes.items()))
    )
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
