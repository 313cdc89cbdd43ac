#!/usr/bin/env bash
# jobs/bench/two_nodes.sh with the host backend: separate cores and a slow network, and both nodes on the same cores.
#   test_two_nodes.sh ROOT PROGRAM MPIRUN      exit 77 with the reason if virtual nodes cannot be made
set -euo pipefail
root=$(readlink -f "$1")
program=$(readlink -f "$2")
mpirun=$3
# shellcheck source=tests/jobs/checks.sh
source "$(dirname "$0")/checks.sh"
"$root/jobs/virtual_nodes.sh" check || exit $?
command -v python3 >/dev/null || { echo "skipped: python3 is missing" && exit 77; }
"$mpirun" --version 2>/dev/null | grep -E 'Open MPI|OpenRTE' >/dev/null || { echo "skipped: this test starts nodes with Open MPI only" && exit 77; }
[ "$(env -u OMP_NUM_THREADS nproc)" -ge 2 ] || { echo "skipped: two nodes need two cores" && exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

two_nodes() {  # ARGUMENTS...: leaves $folder/log; its exit code
  local code=0
  "$root/jobs/bench/two_nodes.sh" --program "$program" --mpirun "$mpirun" --out "$folder/out" --format csr "$@" >"$folder/log" 2>&1 || code=$?
  return $code
}
short=(-- --backend host --warmup 1 --min-repetitions 3 --max-repetitions 5 --max-seconds 0.1)
# read_result NAME EXPRESSION: evaluates it on `run`, and on `modes` by name.
read_result() {
  python3 -c 'import json, sys
run = json.load(open(sys.argv[1]))
modes = {m["mode"]: m for m in run["modes"]}
print(eval(sys.argv[2]))' "$folder/out/$1.json" "$2"
}

say_case "a core for each node, and a slow network"
two_nodes --generate stencil27:128,128,4 --rate 50mbit --name slow "${short[@]}" || {
  ! grep -q "limits no rates" "$folder/log" || { cat "$folder/log" && exit 77; }
  show_log "$folder/log" "no product"
  passed
}
expect "hosts" "['n1', 'n2']" "$(read_result slow 'run["environment"]["hosts"]')"
expect "modes" "['vector', 'naive', 'task']" "$(read_result slow 'list(modes)')"
expect "right results" True "$(read_result slow 'all(m["verified"] and m["rows_wrong"] == 0 for m in modes.values())')"
expect "nothing is shared" "[] []" "$(read_result slow 'str(run["environment"]["shared_gpus"]) + " " + str(run["environment"]["shared_cores"])')"
# The halo is 128 KiB each way, of which 64 KiB may be sent in a burst.
expect "the halo takes at least the network's time" True "$(read_result slow 'modes["vector"]["halo_alone_s"] > 0.5 * 65536 * 8 / 50e6')"
expect "files of the run" "slow.csv slow.json slow.log slow.setup.json slow.trace.json" "$(cd "$folder/out" && echo *)"
expect "modes in the timeline" 3 "$(python3 -c 'import json, sys
print(len({e["cat"] for e in json.load(open(sys.argv[1]))["traceEvents"] if e["ph"] == "X"}))' "$folder/out/slow.trace.json")"

say_case "both nodes on the same cores"
two_nodes --generate stencil27:16,16,16 --same-cores --name same "${short[@]}" || show_log "$folder/log" "no product"
expect "the hosts that share cores" "[['n1', 'n2']]" "$(read_result same '[s["hosts"] for s in run["environment"]["shared_cores"]]')"
expect "and their ranks" "[[0, 1]]" "$(read_result same '[s["ranks"] for s in run["environment"]["shared_cores"]]')"
expect "the report says so" 1 "$(tr -s '\n ' ' ' <"$folder/out/same.log" | grep -cE 'cores n1, n2 share cores [0-9,-]+ of one machine: give each its own \(taskset\)')"
expect "runs in the table" "same slow" "$(sed -n 's/^| \(same\|slow\) .*/\1/p' "$folder/log" | xargs)"
expect "shared hardware per run" "nodes on cores / nothing" "$(sed -n 's/^| same .*n1, n2 on cores [0-9,-]* |$/nodes on cores/p; s/^| slow .*| nothing *|$/nothing/p' "$folder/log" | paste -sd/ | sed 's,/, / ,')"

say_case "iterations of a solver"
two_nodes --generate stencil27:16,16,16 --solver cg --name cg -- --backend host --times 1 || show_log "$folder/log" "no solution"
expect "modes" "[('vector', 'converged'), ('naive', 'converged'), ('task', 'converged')]" \
  "$(python3 -c 'import json, sys
print([(s["mode"], s["stop"]) for s in json.load(open(sys.argv[1]))["solvers"]])' "$folder/out/cg.json")"
expect "a table of their own" 1 "$(grep -cE '^\| cg .*\| cg +(\| [0-9.]+ \([0-9.]+ \+ ([0-9.]+|-) \+ [0-9.]+\) *){3}\|$' "$folder/log")"

say_case "refused"
for wrong in "--rate fast" "--ranks 0" "--name ../up" "pigeon" "--limit"; do
  code=0
  # shellcheck disable=SC2086  # an option and its value
  two_nodes $wrong || code=$?
  expect "$wrong" 2 $code
done
passed
