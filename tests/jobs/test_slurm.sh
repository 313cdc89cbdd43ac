#!/usr/bin/env bash
# Submits jobs/strong_scaling.sbatch to a virtual Slurm cluster of two nodes and checks its results.
#   test_slurm.sh ROOT PROGRAM      exit 77 with the reason if such a cluster cannot run
set -euo pipefail
root=$(readlink -f "$1")
program=$(readlink -f "$2")
# shellcheck source=tests/jobs/checks.sh
source "$(dirname "$0")/checks.sh"
cluster=$root/tests/jobs/virtual_cluster.sh

"$cluster" check || exit $?
folder=$(mktemp -d)
finish() {
  "$cluster" down "$folder/cluster" || true
  rm -rf "$folder"
}
trap finish EXIT
mkdir "$folder/cluster" "$folder/out"

# A wrapper between srun and the program: records what each rank was given, and fails on request.
cat >"$folder/out/program" <<P
#!/usr/bin/env bash
case \$1 in --list | --version) exec "$program" "\$@" ;; esac
echo "\$SLURM_STEP_ID \$SLURM_PROCID \$(hostname) gpus=\${CUDA_VISIBLE_DEVICES:-none} \$(taskset -pc \$\$)" >>"$folder/out/ranks"
[ "\$SLURM_NTASKS" != "\${FAIL_AT:-}" ] || exit 9
exec "$program" "\$@"
P
chmod +x "$folder/out/program"

"$cluster" up "$folder/cluster" 2 2 "$root" "$(dirname "$program")" "$folder/out"
cd "$root"
job() {  # EXTRA-SBATCH-WORDS -- ARGUMENTS...: runs a job to its end; its exit code
  local words=()
  while [ "$1" != -- ]; do
    words+=("$1")
    shift
  done
  shift
  words+=(jobs/strong_scaling.sbatch --generate "stencil7:12,12,12" --formats pjds
    --program "$folder/out/program" "$@" -- --max-seconds 0.05 --min-repetitions 3)
  submit "${words[@]}" && return
  local code=$?
  crashed_in_mpi || return $code
  echo "note: MPI crashed before the program began; the job is submitted again. What it left:"
  cat "$folder/out/log"
  submit "${words[@]}"
}
# Whether a rank crashed before the program printed anything. Happens rarely on busy machines with Open MPI 4.1.4, PMIx 4.2.2 and
# Slurm 22.05: a rank in MPI_Init gets a message before it is ready.
crashed_in_mpi() {
  grep -q 'Segmentation fault' "$folder/out/log" && ! grep -qE '^(spmv_dist|warning|note|backend): ' "$folder/out/log"
}
submit() {  # SBATCH-WORDS...: its exit code, or 124 if it does not end
  local id state
  rm -f "$folder/out/log"
  id=$("$cluster" run "$folder/cluster" sbatch --parsable --time=20 --nodes=2 --output="$folder/out/log" "$@")
  for _ in $(seq 4000); do
    state=$("$cluster" run "$folder/cluster" scontrol show job "$id" --oneliner)
    case $state in
      *JobState=PENDING* | *JobState=RUNNING* | *JobState=COMPLETING* | *JobState=CONFIGURING*) sleep 0.3 ;;
      *) return "$(sed -n 's/.* ExitCode=\([0-9]*\):.*/\1/p' <<<"$state")" ;;
    esac
  done
  echo "job $id does not end: $state"
  return 124
}
points() { grep -c '"median_s"' "$folder/out/$1" 2>/dev/null || true; }

say_case "two ranks on two nodes, one core each"
job --ntasks-per-node=1 -- --ranks 1,2 --results "$folder/out/cpu.jsonl" || show_log "$folder/out/log" "the job failed"
expect "points: 2 rank counts x 3 modes" 6 "$(points cpu.jsonl)"
expect "both nodes took part" "n1 n2" "$(awk '{print $3}' "$folder/out/ranks" | sort -u | xargs)"
expect "the table is in the log" 1 "$(grep -c '^efficiency:' "$folder/out/log")"
expect "the job is in every point" 6 "$(grep -c '"slurm_job":"[0-9]' "$folder/out/cpu.jsonl")"

say_case "one rank per GPU: every rank sees all GPUs of its node, and has its own cores"
if [ "$(nproc)" -ge 2 ]; then
  rm -f "$folder/out/ranks"
  job --ntasks-per-node=2 --gpus-per-node=2 -- --ranks 4 --results "$folder/out/gpu.jsonl" ||
    show_log "$folder/out/log" "the job failed"
  expect "points" 3 "$(points gpu.jsonl)"
  expect "GPUs that ranks see" "gpus=0,1" "$(awk '{print $4}' "$folder/out/ranks" | sort -u | xargs)"
  expect "different cores on one node" 2 "$(awk '$3 == "n1" {print $NF}' "$folder/out/ranks" | sort -u | wc -l)"
else
  echo "skipped: this machine has one core"
fi

say_case "a failing step stops the job with its exit code; the next job continues"
status=0
FAIL_AT=1 job --ntasks-per-node=1 -- --ranks 1,2 --results "$folder/out/fail.jsonl" || status=$?
expect "exit code" 9 "$status"
expect "points before the failure" 3 "$(points fail.jsonl)"
expect "the log names the step" 1 "$(grep -c 'on 1 ranks, format pjds, ended with exit code 9' "$folder/out/log")"
job --ntasks-per-node=1 -- --ranks 1,2 --results "$folder/out/fail.jsonl" || show_log "$folder/out/log" "the job failed"
expect "points after the second job" 6 "$(points fail.jsonl)"

say_case "the script that spmv_dist.jobscript writes: names with shell characters, a failing step, and a second job that continues"
name=$'a b\'"$(touch oops)#\n#SBATCH --nodes=9\n.mtx'
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 2\n2 3 1\n3 1 5\n' >"$folder/out/$name"
PYTHONPATH=$root/src/python python3 -m spmv_dist.jobscript --site=slurm --nodes=2 --ranks-per-node=1 --cores-per-rank=1 --ranks=1,2 --mode=vector,task --format=csr --time=01:00:00 \
  --program="$folder/out/program" --results="$folder/out/=made \$(touch oops).jsonl" -o "$folder/out/job.sh" \
  -- "$folder/out/$name" --warmup=0 --min-repetitions=6 --max-repetitions=6
made="=made \$(touch oops).jsonl"
bash -n "$folder/out/job.sh" || show_log "$folder/out/job.sh" "the script is none"
status=0
FAIL_AT=1 submit "$folder/out/job.sh" || status=$?
expect "exit code" 9 "$status"
expect "points before the failure, of two ranks" "2 2" "$(points "$made") $(grep -c '"ranks":2,' "$folder/out/$made")"
submit "$folder/out/job.sh" || show_log "$folder/out/log" "the job failed"
expect "points" 4 "$(points "$made")"
expect "started by srun on both nodes" 2 "$(grep -c '"launcher":"srun","hosts":\["n1","n2"\]' "$folder/out/$made")"
expect "nothing was executed" "" "$(find "$folder" . -maxdepth 2 -name oops)"

say_case "from a matrix to a report in the five commands of jobs/README.md"
mkdir "$folder/out/user"
cd "$folder/out/user"
export PYTHONPATH=$root/src/python
"$program" generate stencil27:12,12,12 -o matrix.mtx >log 2>&1
"$program" convert matrix.mtx matrix.spmv >>log 2>&1 || show_log log "convert"
python3 -m spmv_dist.jobscript matrix.spmv --program "$program" --site slurm --nodes 2 --ranks-per-node 1 --cores-per-rank 1 --time 01:00:00 --format "csr,pjds" \
  --results points.jsonl --keep-runs results -o job.sh -- --max-seconds=0.05 >>log 2>&1 || show_log log "jobscript"
submit job.sh || show_log "$folder/out/log" "the job failed"
expect "the table of both numbers of ranks is in the log" "1 2" "$(tail -n 40 "$folder/out/log" | awk '$1 == "pjds" {print $3}' | sort -u | xargs)"
# shellcheck source=jobs/common.sh
source "$root/jobs/common.sh"
# shellcheck disable=SC2086  # words
if find_python $spmv_packages; then
  python_tool report results/*.json -o report.html >>log 2>&1 || show_log log "report"
  expect "the report has figures, scaling among them" yes "$(grep -q '<svg' report.html && grep -qi 'scaling' report.html && echo yes)"
else
  echo "no report: $how_to_get_packages"
fi
cd "$root"

say_case "a step that the program refuses"
status=0
submit --ntasks-per-node=1 jobs/strong_scaling.sbatch --matrix "$folder/out/none.mtx" --ranks 2 --program "$program" \
  --results "$folder/out/none.jsonl" || status=$?
expect "exit code" 4 "$status"
passed
