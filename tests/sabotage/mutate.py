#!/usr/bin/env python3
"""Makes wrong changes that a tool has thought of, one at a time, in a copy of the source, and tells which no test sees.

See README.md beside this file. The tool is universalmutator, from Python's package index.
"""

import argparse
import dataclasses
import fnmatch
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import sabotage  # noqa: E402
from changes import CHANGES  # noqa: E402
from changes.change import Change, OVERLAP, PRODUCTS, mpi, unit  # noqa: E402

# For what the tests of the file do not see: everything that runs in a minute or two.
EVERYTHING = [unit("*"), mpi(3, "-ChooseTransport*:GivenUpTrial*:Soak*")]

# Lines where a change is a matter of words, or of what the compiler alone sees.
WORDS = re.compile(r"^\s*(//|#|using |namespace |static_assert|\}?\s*//)|fmt::format|throw |\breserve\(|^\s*}")


def tests_of(file):
    """The tests that the changes by hand name for this file, those that most of them name first; where there are none,
    products."""
    named = [test for change in CHANGES if change.file == file for test in change.tests if test[0] in sabotage.BINARIES]
    first = sorted(dict.fromkeys(named), key=lambda test: -named.count(test))[:6]
    return (first or [OVERLAP, PRODUCTS]) + EVERYTHING


def changed_line(before, after):
    """The number of the only line that differs, from 0; None where it is not one line for one."""
    if len(before) != len(after):
        return None
    lines = [i for i, (old, new) in enumerate(zip(before, after)) if old != new]
    return lines[0] if len(lines) == 1 else None


def mutants_of(program, source, file):
    """Every change of one line that the tool proposes for a file, as (line, text of the whole file)."""
    before = (source / file).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([program, str(source / file), "cpp", "--noCheck", "--mutantDir", folder],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, check=False)
        if run.returncode != 0:
            raise SystemExit(f"mutate.py: {program} failed for {file}:\n{run.stdout}")
        texts = sorted(path.read_text(encoding="utf-8") for path in Path(folder).iterdir())
    mutants = []
    for text in texts:
        line = changed_line(before.splitlines(), text.splitlines())
        if line is not None and not WORDS.search(before.splitlines()[line]):
            mutants.append((line, text))
    return mutants


def choose(program, source, pattern, sample, seed):
    """A sample of all mutants of the files that match, as changes."""
    listed = subprocess.run(["git", "-C", str(source), "ls-files", "dist", "comm", "kernels", "src"],
                            stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout.split()
    files = [file for file in listed if file.endswith((".cpp", ".hpp")) and fnmatch.fnmatchcase(file, pattern)]
    if not files:
        raise SystemExit(f"mutate.py: no file of dist, comm, kernels or src matches {pattern}")
    found = []
    for file in files:
        before = (source / file).read_text(encoding="utf-8")
        for line, text in mutants_of(program, source, file):
            found.append(Change(f"{file}:{line + 1}", file, before, text, tests_of(file)))
    random.Random(seed).shuffle(found)
    return found[:sample]


class Bench(sabotage.Bench):
    """All tests together may take longer than those of one file."""

    def run(self, test):
        usual = self.limit_s
        self.limit_s = max(usual, 600) if test in EVERYTHING else usual
        try:
            return super().run(test)
        finally:
            self.limit_s = usual


def main():
    parser = argparse.ArgumentParser(description="Makes wrong changes that a tool proposes, and tells which no test sees.")
    parser.add_argument("--source", type=Path, required=True, help="a copy of the source, written and put back")
    parser.add_argument("--build", type=Path, required=True, help="its build folder, configured already")
    parser.add_argument("--files", metavar="GLOB", default="*", help="of dist, comm, kernels and src")
    parser.add_argument("--sample", type=int, default=50, metavar="N", help="how many to try (default: 50)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (default: 1)")
    parser.add_argument("--part", default="0/1", metavar="I/N", help="of the sample, every N-th from the I-th: for several copies")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="compilers at the same time")
    parser.add_argument("--limit", type=float, default=60, metavar="SECONDS", help="of one file's tests (default: 60)")
    parser.add_argument("--mutate", default="mutate", metavar="PROGRAM", help="universalmutator's program")
    parser.add_argument("--force", action="store_true", help="also where the source has uncommitted changes")
    arguments = parser.parse_args()

    source = arguments.source.resolve()
    program = shutil.which(arguments.mutate)
    if program is None:
        raise SystemExit(f"mutate.py: {arguments.mutate} is not on the path: pip install universalmutator, or name it with --mutate")
    if not arguments.force:
        sabotage.require_clean(source)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, sabotage.interrupt)
    part, parts = (int(number) for number in arguments.part.split("/"))
    changes = choose(program, source, arguments.files, arguments.sample, arguments.seed)[part::parts]
    bench = Bench(source, arguments.build.resolve(), arguments.jobs, arguments.limit)
    outcomes = {"caught": 0, "survived": 0, "does not compile": 0}
    try:
        by_file = [dataclasses.replace(change, tests=[test for test in change.tests if test not in EVERYTHING])
                   for change in changes]
        if not sabotage.sane(bench, by_file):
            return 1
        for change in changes:
            outcome, sentence = sabotage.try_change(bench, change)
            outcomes[outcome] += 1
            line = int(change.name.rpartition(":")[2]) - 1
            print(f"{change.name}: {sentence}\n    - {change.old.splitlines()[line].strip()}\n"
                  f"    + {change.new.splitlines()[line].strip()}", flush=True)
    except sabotage.Interrupted as ended_by:
        print(f"ended by {ended_by}; the source is as it was")
    print(f"caught {outcomes['caught']} of {outcomes['caught'] + outcomes['survived']}; "
          f"{outcomes['does not compile']} did not compile")
    return 0 if outcomes["survived"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
