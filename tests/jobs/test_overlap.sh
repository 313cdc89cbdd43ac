#!/usr/bin/env bash
# Compares modes when the halo takes as long as the local product: two virtual nodes with a slowed-down network. Task mode hides
# the halo, naive mode does not, because MPI moves nothing while the host computes. Checks only which is faster, because
# the differences vary too much here.
#   test_overlap.sh ROOT PROGRAM MPIRUN      exit 77 with the reason if such nodes cannot be made
set -euo pipefail
root=$(readlink -f "$1")
program=$(readlink -f "$2")
mpirun=$3
# shellcheck source=tests/jobs/checks.sh
source "$(dirname "$0")/checks.sh"
cluster=$root/jobs/virtual_nodes.sh

"$cluster" check || exit $?
command -v python3 >/dev/null || { echo "skipped: python3 is missing" && exit 77; }
"$mpirun" --version 2>/dev/null | grep -qE 'Open MPI|OpenRTE' || { echo "skipped: this test starts nodes with Open MPI only" && exit 77; }
[ "$(env -u OMP_NUM_THREADS nproc)" -ge 2 ] || { echo "skipped: two ranks that compute at once need two cores" && exit 77; }
folder=$(mktemp -d)
finish() {
  "$cluster" down "$folder/cluster" || true
  rm -rf "$folder"
}
trap finish EXIT
mkdir "$folder/cluster" "$folder/out"
cd "$root"  # a folder that the nodes see
"$cluster" nodes "$folder/cluster" 2 "$root" "$(dirname "$program")" "$folder/out"

# Otherwise both ranks would use the same core.
for node in 1 2; do "$cluster" start_with "$folder/cluster" n$node taskset -c $((node - 1)); done

# One rank per node; its communication thread shares the core, and yields it while it waits.
points=256
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
multiply() {  # ARGUMENTS...: leaves $folder/out/result.json
  "$cluster" run "$folder/cluster" timeout --signal=KILL 300 "$mpirun" -np 2 --host n1,n2 --bind-to none \
    --mca plm rsh --mca plm_rsh_agent "$folder/cluster/agent" --mca btl tcp,self --mca pml ob1 \
    --mca mpi_yield_when_idle 1 -x OMP_NUM_THREADS -x OMP_WAIT_POLICY \
    "$program" --generate "stencil27:$points,$points,16" --backend host --partition rows --format csr \
    --transport staged --min-repetitions 5 --max-repetitions 15 --max-seconds 4 --warmup 1 --timeout 60 \
    --json "$folder/out/result.json" "$@" >"$folder/out/log" 2>&1 </dev/null
}
# read_result EXPRESSION: evaluates it on `modes`, by name.
read_result() {
  python3 -c 'import json, sys
modes = {m["mode"]: m for m in json.load(open(sys.argv[1]))["modes"]}
print(eval("(" + sys.argv[2] + ")"))' "$folder/out/result.json" "$1"
}

measure_local() {
  multiply --mode vector || { show_log "$folder/out/log" "no product over the virtual network" && passed; }
  local_s=$(read_result 'modes["vector"]["phases"]["merged"]["min_s"]')
}
measure_local
# If other processes use the cores, use a smaller matrix: several hundred products follow.
while [ "$points" -gt 64 ] && [ "$(python3 -c "print($local_s > 0.12)")" = True ]; do
  points=$((points / 2))
  measure_local
done
# The network needs the local product's time for one layer of elements each way.
rate=$(python3 -c "print(int(8 * 8 * $points * $points / $local_s))")
"$cluster" rate "$folder/cluster" "${rate}bit" || exit $?
say_case "$(printf 'the product takes %.1f ms, the network carries %.0f Mbit/s' "${local_s}e3" "${rate}e-6")"

judged=0
for ((try = 1; try <= 8 && judged < 4; ++try)); do  # the machine may be busy
  multiply --mode all || { show_log "$folder/out/log" "no product over the slow network" && passed; }
  # Compares each mode's fastest product, which other processes disturb least.
  found=$(read_result '"vector %.1f, naive %.1f, task %.1f ms" % tuple(1e3 * modes[m]["min_s"] for m in ("vector", "naive", "task"))')
  echo "try $try: $found"
  # Not checked: naive slower than vector. It writes y twice, and other processes may take the
  # cores.
  directions=$(read_result 'modes["task"]["min_s"] < 0.9 * modes["vector"]["min_s"]
    and modes["naive"]["min_s"] > 0.8 * modes["vector"]["min_s"]')
  [ "$directions" = False ] || break
  # If other processes took these ranks' cores, the try proves nothing. (Task mode is left out: its threads share a core anyway.)
  undisturbed=$(read_result 'max(modes[m]["waited_for_core"] for m in ("vector", "naive")) < 0.1')
  [ "$undisturbed" = False ] || judged=$((judged + 1))
done
if [ "$directions" = False ] && [ "$judged" -lt 4 ]; then
  echo "skipped: other processes use the cores"
  exit 77
fi
expect "task is faster than vector, naive is not" True "$directions"
[ "$directions" = True ] || sed 's/^/    /' "$folder/out/log"
passed
