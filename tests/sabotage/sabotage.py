#!/usr/bin/env python3
"""Makes mistakes in a copy of the source, one at a time, and reports those that no test notices. See README.md here."""

from __future__ import annotations

import argparse
import fnmatch
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Callable

from bench import Bench, Test, lib, mpi, program, unit
from mistakes import MISTAKES
from operators import mutations_of

ENDS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
PRODUCT = ("src/core", "src/io", "src/load", "src/lib", "src/app", "kernels", "comm", "dist")
ON_RANKS = mpi(3, "-Soak*:FullProducts*")
# The tests of each box, fastest first.
TESTS_OF_BOX = {
    "src/core": [unit("core"), unit("kernels", "Formats/1.*"), mpi(2, "Overlap*:Exchange*")],
    "src/io": [unit("io"), mpi(2, "LoadRows*:SavedMatri*:StoredPartitions*")],
    "src/load": [
        unit("load"),
        mpi(3, "LoadRows*:SavedMatri*:StoredPartitions*:OneTriangle*:WriteMatrix*"),
    ],
    "src/lib": [
        lib(
            3,
            "LibraryProducts/1.*:LibraryMultiVectors/1.*:LibraryMultiVectorUse*:LibraryUse*:BadUse*:CInterface*",
        )
    ],
    "src/app": [unit("app")],
    "kernels": [
        unit("kernels", "-Formats/0*:Formats/2*:Formats/3*"),
        unit("kernels", "Formats/2*:Formats/3*"),
    ],
    "comm": [
        unit("comm"),
        mpi(3, "Exchange*:HaloPlan*:Communicator*:FailureNews*:LentMemory*"),
        ON_RANKS,
    ],
    "dist": [unit("dist"), ON_RANKS],
}


@dataclass(frozen=True)
class Change:
    """One mistake: the changed text of a file, and the tests of which one must fail."""

    name: str
    path: Path
    text: str
    tests: list[Test]
    shown: str  # the change, for a reader


class Interrupted(Exception):
    """A signal from the user or the system ended the run."""


def interrupt(number: int, _frame: object) -> None:
    raise Interrupted(signal.Signals(number).name)


def named_changes(source: Path, pattern: str) -> list[Change]:
    """The listed mistakes whose names match."""
    changes = []
    for mistake in MISTAKES:
        if fnmatch.fnmatchcase(mistake.name, pattern):
            path = mistake.place(source)
            text = mistake.made_in(path.read_text(encoding="utf-8"))
            changes.append(
                Change(
                    mistake.name,
                    path,
                    text,
                    [mistake.test],
                    f"{mistake.pattern} -> {mistake.replacement}",
                )
            )
    if not changes:
        raise ValueError(f"no mistake is called {pattern}")
    return changes


def binaries(source: Path) -> list[tuple[Path, Callable[[str], Test]]]:
    """Every folder of tests with its own binary, and the names of its tests; those without ranks
    first."""
    boxes = sorted(path for path in (source / "tests/unit").iterdir() if path.is_dir())
    serial = [(path, partial(unit, path.name)) for path in boxes]
    return [
        *serial,
        (source / "tests/mpi", partial(mpi, 3)),
        (source / "tests/mpi/program", partial(program, 3)),
    ]


def tests_of(source: Path, file: str) -> list[Test]:
    """The tests for a file: suites that include it or its header, then those of its box."""
    box = next(box for box in PRODUCT if file.startswith(box + "/"))
    header = file.removeprefix("src/").rpartition(".")[0] + ".hpp"
    first = []
    for folder, test_of in binaries(source):
        suites = []
        for test in sorted(folder.glob("*_test.cpp")):
            text = test.read_text(encoding="utf-8")
            if f'#include "{header}"' in text:
                suites += [
                    f"*{suite}*"
                    for suite in re.findall(
                        r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+)", text, re.MULTILINE
                    )
                ]
        if suites:
            first.append(test_of(":".join(dict.fromkeys(suites))))
    return first + TESTS_OF_BOX[box]


def mutants(
    source: Path, pattern: str, most_files: int, per_file: int, seed: int
) -> Iterator[Change]:
    """A sample of mutations, the same for the same seed and source."""
    listed = subprocess.run(
        ["git", "-C", str(source), "ls-files", *PRODUCT],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    files = [
        file
        for file in listed.split()
        if file.endswith((".cpp", ".hpp")) and fnmatch.fnmatchcase(file, pattern)
    ]
    if not files:
        raise ValueError(f"no source of {', '.join(PRODUCT)} matches {pattern}")
    draw = random.Random(seed)
    draw.shuffle(files)
    used = 0
    for file in files:
        lines = (source / file).read_text(encoding="utf-8").splitlines()
        found = list(mutations_of(file, lines))
        if not found or used == most_files:
            continue
        used += 1
        for mutation in draw.sample(found, min(per_file, len(found))):
            shown = f"- {lines[mutation.line].strip()}\n    + {mutation.text.strip()}"
            text = "\n".join(mutation.made_in(lines)) + "\n"
            yield Change(
                f"{file}:{mutation.line + 1} {mutation.kind}",
                source / file,
                text,
                tests_of(source, file),
                shown,
            )


class Sabotage:
    """Makes changes, one at a time."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._sound: dict[Test, str] = {}  # why a test is unusable; empty if it is sound

    def attempt(self, change: Change) -> tuple[str, str]:
        """The verdict on a change (killed, survived, does not compile, proves nothing), and its
        reason. Always restores the file."""
        outcome, how, killer = self._make(change)
        if killer is not None:
            why = self._why_unsound(killer)
            if why:
                return "proves nothing", f"{killer} {why}"
        return outcome, how

    def _make(self, change: Change) -> tuple[str, str, Test | None]:
        before = change.path.read_bytes()
        try:
            change.path.write_text(change.text, encoding="utf-8")
            for test in change.tests:
                errors = self._bench.build(test.target)
                if errors:
                    return "does not compile", errors, None
                begin = time.monotonic()
                outcome = self._bench.run(test)
                if outcome.failed:
                    how = "by a hang of" if outcome.late else "by"
                    return "killed", f"{how} {test} in {time.monotonic() - begin:.0f} s", test
            return "survived", ", ".join(str(test) for test in change.tests), None
        finally:
            # A second Ctrl-C must not interrupt the writing of the file.
            signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
            change.path.write_bytes(before)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)

    def _why_unsound(self, test: Test) -> str:
        """A test that also fails on the unchanged source would seem to kill every mistake."""
        if test not in self._sound:
            errors = self._bench.build(test.target)
            failed = errors or ("" if not self._bench.run(test).failed else "fails")
            self._sound[test] = f"on the unchanged source: {failed}" if failed else ""
        return self._sound[test]


def check_list(source: Path) -> int:
    """Whether every listed mistake can be made. Returns the exit code."""
    problems = [
        f"{name}: {count} mistakes have this name"
        for name, count in Counter(m.name for m in MISTAKES).items()
        if count > 1
    ]
    for mistake in MISTAKES:
        try:
            path = mistake.place(source)
            text = path.read_text(encoding="utf-8")
            if mistake.made_in(text) == text:
                problems.append(f"{mistake.name}: nothing would change")
        except ValueError as error:
            problems.append(str(error))
    print("\n".join([*problems, f"{len(MISTAKES)} mistakes, {len(problems)} problems"]))
    return 1 if problems else 0


def require_clean(source: Path) -> None:
    """Exits if the source has uncommitted changes, because it is about to be changed."""
    run = subprocess.run(
        ["git", "-C", str(source), "status", "--porcelain", "--untracked-files=no"],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if run.returncode != 0 or run.stdout.strip():
        raise SystemExit(
            f"sabotage.py: {source} has uncommitted changes, or is no copy by git:\n{run.stdout.rstrip()}\ncommit, or --force"
        )


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Makes mistakes in a copy of the source, and reports those that no test notices."
    )
    parser.add_argument(
        "--source",
        type=Path,
        required=True,
        help="a copy of the source, whose files are changed and restored",
    )
    parser.add_argument("--build", type=Path, help="its configured build folder")
    parser.add_argument(
        "--check",
        action="store_true",
        help="only check that each listed mistake can be made; builds nothing",
    )
    parser.add_argument(
        "--named",
        metavar="GLOB",
        help="the listed mistakes with these names, instead of mutations",
    )
    parser.add_argument(
        "--files", metavar="GLOB", default="*", help="files to mutate (default: all of the product)"
    )
    parser.add_argument(
        "--most-files", type=int, default=5, metavar="N", help="at most N of them (default: 5)"
    )
    parser.add_argument(
        "--per-file", type=int, default=4, metavar="N", help="mutations per file (default: 4)"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the sample (default: 1)")
    parser.add_argument(
        "--serial",
        action="store_true",
        help="only tests without ranks: builds less, but more mistakes survive",
    )
    parser.add_argument(
        "--list", action="store_true", help="print the mutations or mistakes, and make none"
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="parallel compilers (default: all cores)",
    )
    parser.add_argument(
        "--limit",
        type=float,
        default=180,
        metavar="SECONDS",
        help="time limit of a test; a longer one counts as hanging (default: 180)",
    )
    parser.add_argument(
        "--force", action="store_true", help="even if the source has uncommitted changes"
    )
    return parser.parse_args()


def main() -> int:
    asked = parse()
    source = asked.source.resolve()
    if asked.check:
        return check_list(source)
    try:
        if asked.named:
            changes = named_changes(source, asked.named)
        else:
            changes = list(
                mutants(source, asked.files, asked.most_files, asked.per_file, asked.seed)
            )
    except ValueError as error:
        raise SystemExit(f"sabotage.py: {error}") from error
    if asked.serial:
        changes = [
            replace(change, tests=[t for t in change.tests if not t.ranks]) for change in changes
        ]
        changes = [change for change in changes if change.tests]
    if asked.list:
        for change in changes:
            print(f"{change.name}: {'; '.join(map(str, change.tests))}\n    {change.shown}")
        return 0
    if asked.build is None or not (asked.build / "CMakeCache.txt").exists():
        raise SystemExit(
            "sabotage.py: --build must name a folder that cmake has configured for this source"
        )
    if not asked.force:
        require_clean(source)
    for number in ENDS:
        signal.signal(number, interrupt)

    bench = Bench(source, asked.build.resolve(), asked.jobs, asked.limit)
    outcomes: Counter[str] = Counter()
    try:
        sabotage = Sabotage(bench)
        for change in changes:
            outcome, how = sabotage.attempt(change)
            outcomes[outcome] += 1
            word = outcome if outcome == "killed" else outcome.upper()
            print(f"{change.name}: {word} {how}\n    {change.shown}", flush=True)
    except Interrupted as ended_by:
        print(f"ended by {ended_by}; the source is restored")
    print(
        "; ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
        or "nothing was tried"
    )
    return 0 if outcomes["killed"] + outcomes["does not compile"] == len(changes) else 1


if __name__ == "__main__":
    sys.exit(main())
