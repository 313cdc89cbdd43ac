#!/usr/bin/env bash
# One of two nodes loses its network at various times of a run: all ranks end, on both nodes.
#   test_lost_node.sh ROOT PROGRAM MPIRUN      exit 77 with the reason if virtual nodes cannot be made
set -euo pipefail
root=$(readlink -f "$1")
program=$(readlink -f "$2")
mpirun=$3
# shellcheck source=tests/jobs/checks.sh
source "$(dirname "$0")/checks.sh"
cluster=$root/jobs/virtual_nodes.sh
"$cluster" check || exit $?
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Open MPI's mpiexec calls itself OpenRTE.
"$mpirun" --version | grep -E '(Open MPI|OpenRTE)\) 4' >/dev/null || { echo "skipped: this test starts nodes with Open MPI 4 only" && exit 77; }

folder=$(mktemp -d)
finish() {
  "$cluster" down "$folder/cluster" || true
  rm -rf "$folder"
}
trap finish EXIT
export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
cd "$root"  # a folder that the nodes see

talks() { "$cluster" innode "$folder/cluster" n1 ss --no-header --tcp state established dst 10.77.0.12 | grep . >/dev/null; }
ranks() { pgrep -f "^$program .*--json $folder/out/" | wc -l; }

# lose SECONDS ARGUMENTS...: four ranks on two nodes, one of which is cut off SECONDS after all
# ranks have started.
lose() {
  local after=$1
  shift
  rm -rf "$folder/cluster" "$folder/out"
  mkdir "$folder/cluster" "$folder/out"
  "$cluster" nodes "$folder/cluster" 2 "$root" "$(dirname "$program")" "$folder/out"
  # Senders to the lost node then get an error after 13 seconds, not after a quarter of an hour.
  for node in login n1 n2; do "$cluster" innode "$folder/cluster" $node sh -c 'echo 5 >/proc/sys/net/ipv4/tcp_retries2'; done
  # mpirun notices a lost node by TCP keepalive, by default after eight minutes. Here it does after the ranks' time-out, so that
  # the ranks can print what they were doing before it ends them.
  "$cluster" run "$folder/cluster" timeout --signal=KILL 400 "$mpirun" -np 4 --host n1:2,n2:2 --bind-to none \
    --mca plm rsh --mca plm_rsh_agent "$folder/cluster/agent" --mca btl tcp,vader,self --mca pml ob1 \
    --mca oob_tcp_keepalive_time 12 --mca oob_tcp_keepalive_intvl 1 --mca oob_tcp_keepalive_probes 3 \
    --mca mpi_yield_when_idle 1 -x OMP_NUM_THREADS -x OMP_WAIT_POLICY "$program" --backend host --timeout 4 --json "$folder/out/result.json" "$@" \
    >"$folder/out/log" 2>&1 </dev/null &
  local launcher=$!
  # When the nodes have a connection, MPI has started on both.
  until talks; do
    kill -0 "$launcher" 2>/dev/null || break
    sleep 0.1
  done
  expect "ranks that have started" 4 "$(ranks)"
  sleep "$after"
  expect "ranks that run until then" 4 "$(ranks)"
  "$cluster" cut "$folder/cluster" n2
  for _ in $(seq 600); do
    [ "$(ranks)" = 0 ] && break
    sleep 0.1
  done
  expect "ranks that are left a minute later, on either node" 0 "$(ranks)"
  local code=0
  wait "$launcher" || code=$?
  case $code in
    0) show_log "$folder/out/log" "the launcher ends with 0" ;;
    137) show_log "$folder/out/log" "the launcher does not end" ;;
    *) echo "ok      the launcher ends: exit code $code" ;;
  esac
  # Only ranks on the node that the launcher still reaches can print it.
  expect "a rank says what it was doing" yes \
    "$(grep -qE '^spmv_dist: rank [0-3] made no progress for 4 s while [a-z]' "$folder/out/log" && echo yes)"
  if [ -e "$folder/out/result.json" ]; then
    expect "results that look whole" 0 "$(grep -c '"incomplete": ""' "$folder/out/result.json")"
  fi
  "$cluster" down "$folder/cluster"
}
endless=(--max-seconds 1e9 --min-repetitions 2000000000 --max-repetitions 2000000000)

say_case "while the matrix is loaded"
lose 0.3 --generate stencil27:64,64,64 --mode vector --transport staged "${endless[@]}"
for transport in staged node_aware; do
  for mode in vector task; do
    say_case "while mode $mode is measured over $transport"
    lose 4 --generate stencil27:16,16,16 --mode $mode --transport $transport "${endless[@]}"
  done
done
passed
