"""Job scripts: the requested resources, and names with special characters stay single words."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from pathlib import Path

from spmv_dist import jobscript
from tools import FEW, HOSTILE, PROGRAM, ToolTest, points

LARGE = [
    *(
        "--nodes=4",
        "--gpus-per-node=4",
        "--cores-per-rank=8",
        "--time=1:30:00",
        "--account=my-project",
    ),
    *("--queue=gpu", "--module=openmpi/4.1", "--generate=stencil7:8,8,8"),
]
STENCIL = "--generate=stencil7:4,4,4"
SITES = [site.name for site in jobscript.SITES]


class JobScripts(ToolTest):
    def job(self, site: str, *words: str) -> list[str]:
        """The lines of a script that is valid bash."""
        self.tool(0, "jobscript", f"--site={site}", "-o", "job.sh", f"--program={PROGRAM}", *words)
        file = self.folder / "job.sh"
        self.assertEqual(subprocess.run(["bash", "-n", str(file)], check=False).returncode, 0)
        return file.read_bytes().decode("utf-8", "surrogateescape").split("\n")

    def has_lines(self, script: list[str], *lines: str) -> None:
        for line in lines:
            self.assertIn(line, script)

    def test_slurm(self) -> None:
        script = self.job("slurm", *LARGE)
        words = "--nodes=4 --ntasks-per-node=4 --cpus-per-task=8 --gpus-per-node=4 --time=01:30:00 --account=my-project"
        for word in [*words.split(), "--partition=gpu", "--signal=B:TERM@60", "--exclusive"]:
            self.has_lines(script, f"#SBATCH {word}")
        self.has_lines(script, "module load openmpi/4.1", 'cd -- "$SLURM_SUBMIT_DIR"')
        self.assertRegex(
            script[-2],
            "^exec .* -m spmv_dist.scale --ranks=16,8,4,2,1 .*--launcher=srun --ranks-per-node=4 --cores-per-rank=8",
        )

    def test_pbs(self) -> None:
        script = self.job("pbs", *LARGE)
        self.has_lines(
            script, "#PBS -l select=4:ncpus=32:mpiprocs=4:ngpus=4", "#PBS -l walltime=01:30:00"
        )
        self.has_lines(script, 'cd -- "$PBS_O_WORKDIR"', "#PBS -A my-project", "#PBS -q gpu")
        self.assertIn("--launcher=mpirun", script[-2])
        script = self.job("pbs", STENCIL, "--nodes=2")
        self.has_lines(script, "#PBS -l select=2:ncpus=2:mpiprocs=1")
        self.assertFalse([line for line in script if line.startswith(("#PBS -A", "#PBS -q"))])

    def test_lsf(self) -> None:
        script = self.job("lsf", *LARGE)
        self.has_lines(
            script, "#BSUB -n 16", '#BSUB -R "span[ptile=4] affinity[core(8)]"', "#BSUB -W 01:30"
        )
        self.has_lines(script, '#BSUB -gpu "num=4:mode=shared"', 'cd -- "$LS_SUBCWD"')
        printed = self.tool(0, "jobscript", "--site=lsf", f"--program={PROGRAM}", *LARGE).out
        self.assertEqual(printed.split("\n"), script)

    def test_every_site_is_a_row_and_a_template(self) -> None:
        package = Path(jobscript.__file__).parent
        self.assertEqual(
            sorted(file.stem for file in (package / "sites").glob("*.job")), sorted(SITES)
        )
        for site in SITES:
            script = self.job(site, STENCIL)
            self.assertFalse([line for line in script if "{{" in line or line.endswith("=")], site)

    def test_package_is_found(self) -> None:
        """The script finds the package by PYTHONPATH unless Python has it installed, and says
        which."""
        lines = self.job("local", STENCIL)
        self.assertIn("# PYTHONPATH names the folder of the package spmv_dist.", lines)
        del self.environment["PYTHONPATH"]
        package = Path(jobscript.__file__).resolve().parents[1]
        self.environment["PYTHONPATH"] = str(self.folder / "a '$(touch oops)")
        os.symlink(package, self.environment["PYTHONPATH"])
        lines = self.job(
            "local", STENCIL, "--ranks=1", "--results=p.jsonl", "--mode=vector", "--format=csr"
        )
        self.environment["PYTHONPATH"] = ""
        self.run_script(0)
        self.assertFalse((self.folder / "oops").exists())
        self.assertEqual(len(points(self.folder / "p.jsonl")), 1)

    def run_script(self, code: int) -> None:
        job = ["bash", "job.sh"]
        ended = subprocess.run(
            job, cwd=self.folder, env=self.environment, capture_output=True, check=False
        )
        self.assertEqual(ended.returncode, code, ended.stderr)

    def test_hostile_names(self) -> None:
        """Every site's script has the same command; the local script runs it."""
        results = "r #'/r '\"$(touch oops)#.jsonl"
        (self.folder / HOSTILE).write_text(
            "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 1\n"
        )
        one = [
            "--mode=vector",
            "--format=csr",
            "--partition=rows",
            "--ranks=1",
            "--cores-per-rank=1",
        ]
        for site in SITES:
            script = self.job(site, f"--results={results}", *one, "--", HOSTILE, *FEW)
            for line in script[1:-1]:
                self.assertRegex(line, "^(#|set|cd|exec|export|module|mkdir)")
                self.assertNotRegex(line, "^#SBATCH --nodes=9")
            words = self._words_of(script[-2])
            for word in (f"--results={results}", HOSTILE, "--backend=host", f"--program={PROGRAM}"):
                self.assertIn(word, words)
        for _ in range(2):
            self.run_script(0)
            self.assertEqual(len(points(self.folder / results)), 1)
        self.assertFalse((self.folder / "oops").exists(), "a name was executed")

    def _words_of(self, line: str) -> list[str]:
        """How bash splits a line that begins with exec."""
        told = "exec() { printf '%s\\0' \"$@\"; }\n" + line
        data = subprocess.run(["bash", "-c", told], capture_output=True, check=True).stdout
        return data.decode("utf-8", "surrogateescape").split("\0")[:-1]

    def test_exit_code_is_that_of_the_run(self) -> None:
        self.job("local", "--results=bad.jsonl", "--ranks=1", "--", "none.mtx")
        self.run_script(4)

    def test_what_is_no_job(self) -> None:
        # Batch systems do not interpret quotes, so names that need them are refused.
        for text in ("a\n#SBATCH --nodes=9", "a b", "-a", "a'", "$(a)", "a#", "é", "a\n"):
            for option in ("--name", "--account", "--queue", "--module"):
                self.refuses(
                    2, [option, "no dash"], "jobscript", "--site=slurm", STENCIL, f"{option}={text}"
                )
        for text in (
            "1",
            "1:2",
            "00:00:00",
            "1:60:00",
            "1:00:00:00",
            "-1:00:00",
            "a:b:c",
            "1:0:0\n",
        ):
            self.refuses(
                2, ["--time", "01:30:00"], "jobscript", "--site=slurm", STENCIL, f"--time={text}"
            )
        for says, words in (
            (["'sge'", "slurm, pbs, lsf, local"], ["--site=sge"]),
            (
                ["--ranks 9", "room for 8"],
                ["--site=slurm", "--nodes=2", "--ranks-per-node=4", "--ranks=9"],
            ),
            (["--site"], []),
            (["--name"], ["--site=slurm", "--name="]),
            (["'fast'"], ["--site=slurm", "--mode=fast"]),
        ):
            self.refuses(2, says, "jobscript", STENCIL, *words)
        self.refuses(5, ["none/job.sh"], "jobscript", STENCIL, "--site=slurm", "-o", "none/job.sh")

    def test_needs_the_standard_library_only(self) -> None:
        package = str(Path(jobscript.__file__).parents[1])
        imports = f"import sys; sys.path.append({package!r}); import spmv_dist.scale.study, spmv_dist.jobscript"
        subprocess.run([sys.executable, "-I", "-S", "-c", imports], check=True)


if __name__ == "__main__":
    unittest.main()
