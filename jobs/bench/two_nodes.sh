#!/usr/bin/env bash
# Vector, naive and task mode over a real network stack on one machine: two virtual nodes joined by TCP, each with half of
# the GPUs and cores (jobs/virtual_nodes.sh).
#   jobs/bench/two_nodes.sh [OPTION...] [-- OPTION OF spmv_dist...]
#
#   --generate MATRIX    default: stencil27:192,192,192
#   --format FORMAT      default: ellpack_r
#   --solver SOLVER      iterations of this solver instead of products: what a mode gains in all of an iteration
#   --ranks N            per node (default: its number of GPUs, or one)
#   --rate RATE          limit of what a node sends, in tc's notation: 4gbit (default: no limit)
#   --same-cores         both nodes may use all cores, like containers without cpusets
#   --same-gpus          both nodes see all GPUs, like containers with the same GPUs
#   --out FOLDER         default: jobs/results/raw/two_nodes
#   --name NAME          of the result files (default: made from the options above)
#   --limit SECONDS      time limit of the run (default: 300)
#   --program FILE       default: build/bin/spmv_dist
#   --mpirun FILE        Open MPI's (default: from PATH)
#
# FOLDER keeps each run's output (NAME.log), results (NAME.json, and of products NAME.csv), the timeline of one product of every
# mode (NAME.trace.json) and the nodes' set-up (NAME.setup.json). At the end a table of all runs in FOLDER is printed:
# jobs/bench/two_nodes_table.py FOLDER. Needs root, ip and tc from PATH (iproute2), and python3.
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -euo pipefail
# shellcheck source=jobs/common.sh
source "$(dirname "$(readlink -f "$0")")/../common.sh"

usage() { sed -n '2,21s/^# \?//p' "$0"; }
refuse() { fail 2 "$*; see jobs/bench/two_nodes.sh --help"; }

nodes=$SPMV_ROOT/jobs/virtual_nodes.sh
matrix=stencil27:192,192,192 format=ellpack_r solver='' ranks='' rate='' same_cores=no same_gpus=no out=$SPMV_ROOT/jobs/results/raw/two_nodes name='' limit=300
program=$SPMV_ROOT/build/bin/spmv_dist mpirun=mpirun extra=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --) shift; extra=("$@"); break ;;
    --same-cores) same_cores=yes; shift; continue ;;
    --same-gpus) same_gpus=yes; shift; continue ;;
    --*) [ $# -ge 2 ] || refuse "$1 needs a value" ;;&
    --generate) matrix=$2 ;;
    --format) format=$2 ;;
    --solver) solver=$2 ;;
    --ranks) ranks=$2 ;;
    --rate) rate=$2 ;;
    --out) out=$2 ;;
    --name) name=$2 ;;
    --limit) limit=$2 ;;
    --program) program=$2 ;;
    --mpirun) mpirun=$2 ;;
    *) refuse "unknown argument '$1'" ;;
  esac
  shift 2
done
[[ "$ranks" =~ ^([1-9][0-9]*)?$ ]] || refuse "--ranks takes a number, not '$ranks'"
[[ "$limit" =~ ^[1-9][0-9]*$ ]] || refuse "--limit takes whole seconds, not '$limit'"
[[ "$rate" =~ ^([0-9]+[kmgt]?bit)?$ ]] || refuse "--rate takes a rate such as 4gbit, not '$rate'"
[[ "$name" =~ ^([A-Za-z0-9][A-Za-z0-9._-]*)?$ ]] || refuse "--name takes letters, digits and ._-, not '$name'"
[ -x "$program" ] || fail $exit_environment "there is no program $program: build it with jobs/quickstart.sh, or name it with --program"
command -v python3 >/dev/null || fail $exit_environment "python3 is missing; on Debian or Ubuntu: apt-get install python3"
# Open MPI's mpiexec calls itself OpenRTE.
"$mpirun" --version 2>/dev/null | grep -E 'Open MPI|OpenRTE' >/dev/null ||
  fail $exit_environment "$mpirun is no mpirun of Open MPI, the only MPI that this script starts on virtual nodes"
reason=$("$nodes" check) || fail $exit_environment "$reason"

# The cores that this process may use, one per line, sorted by physical core.
own_cores() {
  local list part core
  list=$(taskset -cp $$)
  for part in $(tr ',' ' ' <<<"${list##*: }"); do seq "${part%-*}" "${part#*-}"; done | while read -r core; do
    echo "$(sed 's/[,-].*//' "/sys/devices/system/cpu/cpu$core/topology/thread_siblings_list" 2>/dev/null || echo "$core") $core"
  done | sort -n -k1,1 -k2,2 | cut -d' ' -f2
}
own_gpus() {
  if [ -n "${CUDA_VISIBLE_DEVICES:-}" ]; then tr ',' '\n' <<<"$CUDA_VISIBLE_DEVICES"; else
    nvidia-smi --query-gpu=index --format=csv,noheader 2>/dev/null || true
  fi
}
# share NODE SAME ITEMS...: the items of node 1 or 2, separated by commas: half of them if there are at least two, all if both nodes
# have the SAME.
share() {
  local node=$1 same=$2 half
  shift 2
  half=$(($# / 2))
  if [ "$same" = no ] && [ $half -gt 0 ]; then
    if [ "$node" = 1 ]; then set -- "${@:1:half}"; else set -- "${@:half+1}"; fi
  fi
  (IFS=, && echo "$*")
}

mapfile -t cores < <(own_cores)
mapfile -t gpus < <(own_gpus)
[ $same_cores = yes ] || [ ${#cores[@]} -ge 2 ] || fail $exit_environment "two nodes need two cores, and this process may use one: give it more, or say --same-cores"
[ ${#gpus[@]} != 1 ] || say "both nodes use the one GPU"
half=$((${#gpus[@]} / 2))
ranks=${ranks:-$((half > 0 ? half : 1))}
shares="$([ $same_cores = no ] || echo _same_cores)$([ $same_gpus = no ] || echo _same_gpus)"
name=${name:-$(tr -c 'A-Za-z0-9.\n-' _ <<<"$matrix")_${format}${solver:+_$solver}_2x$ranks${rate:+_$rate}$shares}
keep_apart "$out/$name".{log,json,csv,trace.json,setup.json} -- "$program" ${extra[0]+"${extra[@]}"}
mkdir -p "$out"
out=$(cd "$out" && pwd) program=$(readlink -f "$program")

state=$(mktemp -d)
finish() {
  "$nodes" down "$state" || true
  rm -rf "$state"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
"$nodes" nodes "$state" 2 "$SPMV_ROOT" "$(dirname "$program")" "$out"
for node in 1 2; do
  words=(taskset -c "$(share $node $same_cores "${cores[@]}")")
  [ ${#gpus[@]} = 0 ] || words+=(env "CUDA_VISIBLE_DEVICES=$(share $node $same_gpus "${gpus[@]}")")
  "$nodes" start_with "$state" n$node "${words[@]}"
  say "node n$node: $ranks ranks, ${words[*]}"
done
if [ -n "$rate" ]; then
  say "the nodes send $rate at most"
  reason=$("$nodes" rate "$state" "$rate") || fail $exit_environment "$reason"
fi

mpi=(-np $((2 * ranks)) --host "n1:$ranks,n2:$ranks" --bind-to none --mca plm rsh --mca plm_rsh_agent "$state/agent" --mca pml ob1)
mpi+=(--mca btl "tcp,self$([ "$ranks" = 1 ] || echo ,vader)")
if [ ${#cores[@]} -lt $((4 * ranks)) ]; then
  say "fewer than two cores a rank: threads that wait give their core away"
  mpi+=(--mca mpi_yield_when_idle 1)
  export OMP_WAIT_POLICY=passive
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset TMPDIR  # every node has its own /tmp
cd "$SPMV_ROOT"
if [ -n "$solver" ]; then
  measured=(solve --solver "$solver")
else
  measured=(--csv "$out/$name.csv" --trace "$out/$name.trace.json")
fi
status=0
"$nodes" run "$state" timeout --signal=KILL "$limit" "$mpirun" "${mpi[@]}" "$program" "${measured[@]}" --generate "$matrix" --format "$format" \
  --partition rows --mode vector,naive,task --transport staged --json "$out/$name.json" "${extra[@]}" </dev/null 2>&1 | tee "$out/$name.log" || status=$?
[ $status = 0 ] || fail $status "the run failed, or did not end within $limit s; its output is above and in $out/$name.log"
printf '{"rate": "%s", "ranks_per_node": %s, "same_cores": "%s", "same_gpus": "%s"}\n' \
  "$rate" "$ranks" $same_cores $same_gpus >"$out/$name.setup.json"
say "all runs of $out, times in us"
python3 "$SPMV_ROOT/jobs/bench/two_nodes_table.py" "$out"
