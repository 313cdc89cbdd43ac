#!/usr/bin/env python3
"""Makes every wrong change of changes/, one at a time, in a copy of the source, and tells which test has caught it.

See README.md beside this file.
"""

import argparse
import fnmatch
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from changes import CHANGES  # noqa: E402

BINARIES = {"unit": "spmv_unit_tests", "mpi": "spmv_mpi_tests", "lib": "spmv_library_tests"}

# Ranks share few cores, and what starts them may be root in a container.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMP_NUM_THREADS": "1",
    "OMP_PROC_BIND": "false",
    "OMP_WAIT_POLICY": "passive",
}

# What googletest and main_mpi.cpp print where a test fails. A rank may have failed while the others wait for it: the
# first sign is enough.
FAILURE = re.compile(r"^\[  FAILED  \]|: Failure$|^rank \d+, \S+: ", re.MULTILINE)


class Interrupted(Exception):
    """The user, or the system, wants an end."""


def interrupt(number, _frame):
    raise Interrupted(signal.Signals(number).name)


def descendants(pid):
    """All processes that a process has started, itself first, whatever groups and sessions they have made."""
    children = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            # The name, in parentheses, may hold anything: the parent stands two words behind its end.
            words = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
            children.setdefault(int(words[1]), []).append(int(entry.name))
        except (OSError, IndexError, ValueError):
            continue  # it has ended meanwhile
    found = [pid]
    for process in found:
        found.extend(children.get(process, []))
    return found


def alive(pid):
    try:
        words = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return False
    return words[0] != "Z"


def end_all(process):
    """Ends a process that was started here, with its group and all that it has started. mpirun gets the time to end
    its ranks itself."""
    family = descendants(process.pid)
    for number, patience_s in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, number)
        except (ProcessLookupError, PermissionError):
            pass
        for pid in family:
            try:
                os.kill(pid, number)
            except (ProcessLookupError, PermissionError):
                pass
        end = time.monotonic() + patience_s
        while time.monotonic() < end and (process.poll() is None or any(alive(pid) for pid in family)):
            time.sleep(0.1)
    process.wait()


class Run:
    """One command under a time limit."""

    def __init__(self, command, limit_s, cwd=None, environment=None, until_failure=False):
        """until_failure: ends it as soon as it says that a test has failed."""
        self.late = False
        self.failed = False
        with tempfile.TemporaryFile(mode="w+b") as output:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                       cwd=cwd, env=environment, start_new_session=True)
            try:
                self._watch(process, output, limit_s, until_failure)
            finally:
                if process.poll() is None:
                    end_all(process)
            output.seek(0)
            self.text = output.read().decode(errors="replace")
        self.code = process.returncode
        self.failed = self.failed or self.code != 0

    def _watch(self, process, output, limit_s, until_failure):
        end = time.monotonic() + limit_s
        seen = 0
        tail = ""
        while True:
            try:
                process.wait(timeout=0.2)
                return
            except subprocess.TimeoutExpired:
                pass
            if until_failure:
                new = os.pread(output.fileno(), 1 << 20, seen)
                seen += len(new)
                tail = tail[-300:] + new.decode(errors="replace")
                if FAILURE.search(tail):
                    self.failed = True
                    return
            if time.monotonic() > end:
                self.late = True
                return


def words_of(test):
    """A test as it is printed."""
    if test[0] in ("mpi", "lib"):
        return f"{test[0]} on {test[1]} rank{'s' if test[1] > 1 else ''} {test[2]}"
    return f"{test[0]} {test[1]}"


def filter_of(test):
    return test[-1]


class Bench:
    """The copy of the source, and where it is built."""

    def __init__(self, source, build, jobs, limit_s):
        self.source = source
        self.build_folder = build
        self.jobs = jobs
        self.limit_s = limit_s
        for name, value in ENVIRONMENT.items():
            os.environ.setdefault(name, value)
        self.mpirun = shutil.which(os.environ.get("MPIEXEC", "mpirun"))
        # What ranks leave behind is not mixed with what the user has remembered.
        os.environ.setdefault("XDG_CACHE_HOME", str(build / "tests" / "cache"))

    def build(self, tests):
        """Builds what these tests need; returns what the compiler said where that failed."""
        if not tests:
            return None
        command = ["cmake", "--build", str(self.build_folder), "-j", str(self.jobs)]
        if all(test[0] in BINARIES for test in tests):
            command += ["--target"] + sorted({BINARIES[test[0]] for test in tests})
        run = Run(command, 7200)
        return run.text if run.failed or run.late else None

    def launch(self, test, arguments):
        kind = test[0]
        binary = str(self.build_folder / "bin" / BINARIES[kind])
        if kind == "unit":
            return [binary] + arguments
        if self.mpirun is None:
            raise SystemExit("sabotage.py: there is no mpirun on the path")
        return [self.mpirun, "-np", str(test[1]), binary] + arguments

    def run(self, test):
        if test[0] == "ctest":
            command = ["ctest", "--test-dir", str(self.build_folder), "-R", test[1], "--output-on-failure",
                       "--stop-on-failure"]
            return Run(command, self.limit_s)
        # Not on ranks: one that ends at its own failure would leave the others waiting for it.
        arguments = [f"--gtest_filter={filter_of(test)}"] + (["--gtest_fail_fast"] if test[0] == "unit" else [])
        # mpirun ends itself, and its ranks, where this script cannot reach them any more.
        environment = dict(os.environ, MPIEXEC_TIMEOUT=str(int(self.limit_s) + 30))
        return Run(self.launch(test, arguments), self.limit_s, environment=environment, until_failure=True)

    def names(self, kind):
        """All tests of a binary, as filters of googletest see them."""
        run = Run(self.launch((kind, 1, ""), ["--gtest_list_tests"]), self.limit_s)
        names = []
        suite = ""
        for line in run.text.splitlines():
            name = line.split("#")[0].rstrip()
            if re.match(r"  \S", name):
                names.append(suite + name.strip())
            elif name.endswith("."):
                suite = name
        return names

    def selects_something(self, regex):
        """Whether ctest has an entry of such a name."""
        run = Run(["ctest", "--test-dir", str(self.build_folder), "-N", "-R", regex], self.limit_s)
        found = re.search(r"^Total Tests: (\d+)", run.text, re.MULTILINE)
        return found is not None and int(found.group(1)) > 0


def stale(change, source):
    """Why the change cannot be made; empty where it can."""
    try:
        text = (source / change.file).read_text(encoding="utf-8")
    except OSError as error:
        return f"{change.file} cannot be read: {error.strerror}"
    count = text.count(change.old)
    if change.old == change.new:
        return "nothing would change"
    if count != 1:
        return f"the old text occurs {count} times in {change.file}"
    return ""


def problems_of_list(changes, source):
    problems = []
    for name, count in Counter(change.name for change in changes).items():
        if count > 1:
            problems.append(f"{name}: {count} changes have this name")
    for change in changes:
        why = stale(change, source)
        if why:
            problems.append(f"{change.name}: {why}")
        if not change.tests:
            problems.append(f"{change.name}: no test is named")
        for test in change.tests:
            sizes = {"unit": 2, "ctest": 2, "mpi": 3, "lib": 3}
            if len(test) != sizes.get(test[0]):
                problems.append(f"{change.name}: no test is written like {test}")
    return problems


def require_clean(source):
    """Ends the program unless git says that the tree is as it was committed: it is about to be written."""
    run = subprocess.run(["git", "-C", str(source), "status", "--porcelain", "--untracked-files=no"],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, check=False)
    if run.returncode != 0:
        raise SystemExit(f"sabotage.py: git does not know {source}: give a copy that it does, or --force")
    if run.stdout.strip():
        raise SystemExit(f"sabotage.py: {source} has uncommitted changes, which may be somebody's work or what an "
                         f"earlier run has left:\n{run.stdout.rstrip()}\ngive a clean copy, or --force")


def try_change(bench, change):
    """Makes one change, and returns what became of it: a word for the summary, and a sentence. The file is put back on
    every way out."""
    path = bench.source / change.file
    before = path.read_bytes()
    ends = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    try:
        path.write_bytes(before.decode("utf-8").replace(change.old, change.new).encode("utf-8"))
        said = bench.build(change.tests)
        if said is not None:
            errors = [line for line in said.splitlines() if "error" in line][:3]
            return "does not compile", "does not compile: " + " | ".join(errors or said.splitlines()[-1:])
        for test in change.tests:
            begin = time.monotonic()
            run = bench.run(test)
            took = time.monotonic() - begin
            if run.late:
                return "caught", f"caught by {words_of(test)}, which hangs"
            if run.failed:
                return "caught", f"caught by {words_of(test)} in {took:.0f} s"
        return "survived", "SURVIVED " + ", ".join(words_of(test) for test in change.tests)
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, ends)  # a second Ctrl-C must not find the file half written
        path.write_bytes(before)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ends)


def sane(bench, changes):
    """Builds the source as it is, and looks whether every filter selects a test. Returns whether all do."""
    tests = sorted({test for change in changes for test in change.tests}, key=str)
    said = bench.build([test for test in tests if test[0] in BINARIES])
    if said is not None:
        print(said)
        print("the source does not compile as it is")
        return False
    names = {kind: bench.names(kind) for kind in sorted({test[0] for test in tests if test[0] in BINARIES})}
    good = True
    for test in tests:
        for part in [filter_of(test)] if test[0] == "ctest" else filter_of(test).split(":"):
            if test[0] == "ctest":
                found = bench.selects_something(part)
            else:
                found = any(fnmatch.fnmatchcase(name, part) for name in names[test[0]])
            if not found:
                print(f"{words_of(test)}: {part} selects no test")
                good = False
    return good


def pass_unchanged(bench, changes):
    """Runs every test that a change names on the source as it is. Returns whether all pass within the limit."""
    tests = sorted({test for change in changes for test in change.tests}, key=str)
    said = bench.build(tests)
    good = said is None
    for test in tests if good else []:
        begin = time.monotonic()
        run = bench.run(test)
        print(f"{words_of(test)}: {'hangs' if run.late else 'FAILS' if run.failed else 'passes'}, "
              f"{time.monotonic() - begin:.0f} s", flush=True)
        good = good and not (run.late or run.failed)
    return good


def main():
    parser = argparse.ArgumentParser(description="Makes wrong changes, one at a time, and tells which tests see them.")
    parser.add_argument("--source", type=Path, required=True, help="a copy of the source, written and put back")
    parser.add_argument("--build", type=Path, help="its build folder, configured already")
    parser.add_argument("--only", metavar="GLOB", default="*", help="the changes whose names match, or whose files do")
    parser.add_argument("--names", type=Path, metavar="FILE", help="of these, only those that FILE names, one a line")
    parser.add_argument("--list", action="store_true", help="print the changes and leave")
    parser.add_argument("--check", action="store_true", help="only look whether each change can be made")
    parser.add_argument("--baseline", action="store_true", help="only run the tests named, on the source as it is")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="compilers at the same time")
    parser.add_argument("--limit", type=float, default=180, metavar="SECONDS",
                        help="of one test; one that takes longer has caught the change (default: 180)")
    parser.add_argument("--force", action="store_true", help="also where the source has uncommitted changes")
    arguments = parser.parse_args()

    source = arguments.source.resolve()
    changes = [change for change in CHANGES
               if fnmatch.fnmatchcase(change.name, arguments.only) or fnmatch.fnmatchcase(change.file, arguments.only)]
    if arguments.names is not None:
        names = set(arguments.names.read_text().split())
        changes = [change for change in changes if change.name in names]
    if not changes:
        raise SystemExit(f"sabotage.py: no change is called {arguments.only}{' and named in the file' if arguments.names else ''}")
    if arguments.list:
        for change in changes:
            print(f"{change.name}  {change.file}  {'; '.join(words_of(test) for test in change.tests)}")
        return 0
    if arguments.check:
        problems = problems_of_list(changes, source)
        print("\n".join(problems + [f"{len(changes)} changes, {len(problems)} problems"]))
        return 1 if problems else 0

    if arguments.build is None or not (arguments.build / "CMakeCache.txt").exists():
        raise SystemExit("sabotage.py: --build must name a folder that cmake has configured for this source")
    build = arguments.build.resolve()
    home = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    if home is None or Path(home.group(1)).resolve() != source:
        raise SystemExit(f"sabotage.py: {build} is not a build of {source}")
    if not arguments.force:
        require_clean(source)
    signal.signal(signal.SIGTERM, interrupt)
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGHUP, interrupt)

    bench = Bench(source, build, arguments.jobs, arguments.limit)
    outcomes = {"caught": [], "survived": [], "does not compile": [], "stale": []}
    tried = 0
    try:
        if arguments.baseline:
            return 0 if pass_unchanged(bench, changes) else 1
        if not sane(bench, changes):
            return 1
        for change in changes:
            tried += 1
            why = stale(change, source)
            outcome, sentence = ("stale", f"stale: {why}") if why else try_change(bench, change)
            outcomes[outcome].append(change.name)
            print(f"{change.name}: {sentence}", flush=True)
    except Interrupted as ended_by:
        print(f"ended by {ended_by}; the source is as it was")
    print(f"caught {len(outcomes['caught'])} of {tried}")
    for outcome in ("survived", "does not compile", "stale"):
        if outcomes[outcome]:
            print(f"{outcome}: {' '.join(outcomes[outcome])}")
    return 0 if tried == len(changes) == len(outcomes["caught"]) else 1


if __name__ == "__main__":
    sys.exit(main())
