#!/usr/bin/env bash
# Has this machine, or the program, become slower? Measures a small study and compares it with the machine's stored baseline.
#   jobs/regress.sh [OPTION...] [-- OPTION OF spmv_dist.scale...]
#
#   --min-ratio R      least speed relative to the baseline (default: 0.95)
#   --accept           make the last measurement the new baseline; measure nothing
#   --name NAME        to keep several studies of one machine, each with its baseline (default: usual)
#   --machine NAME     folder below --folder (default: the cluster's or the host's name)
#   --folder FOLDER    folder of baselines (default: jobs/results/raw)
#   --program FILE     default: build/bin/spmv_dist
#
# Default study: the 27-point stencil in CSR and pJDS, all modes, on one rank and on all GPUs or cores. The first measurement
# becomes the baseline. Results that seem slower are measured again, and the second measurement decides. Exit codes: those of
# spmv_dist.scale and compare; 6: slower than --min-ratio.
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -euo pipefail
# shellcheck source=jobs/common.sh
source "$(dirname "$(readlink -f "$0")")/common.sh"

usage() { sed -n '2,15s/^# \?//p' "$0"; }
refuse() { fail 2 "$*; see jobs/regress.sh --help"; }

min_ratio=0.95 accept=no name=usual machine='' folder=$SPMV_ROOT/jobs/results/raw program=$SPMV_ROOT/build/bin/spmv_dist study=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --) shift; study=("$@"); break ;;
    --accept) accept=yes; shift; continue ;;
    --*) [ $# -ge 2 ] || refuse "$1 needs a value" ;;&
    --min-ratio) min_ratio=$2 ;;
    --name) name=$2 ;;
    --machine) machine=$2 ;;
    --folder) folder=$2 ;;
    --program) program=$2 ;;
    *) refuse "unknown argument '$1'" ;;
  esac
  shift 2
done
machine=${machine:-${SLURM_CLUSTER_NAME:-$(hostname -s)}}
for word in "$name" "$machine"; do
  [[ "$word" =~ ^[A-Za-z0-9][A-Za-z0-9._-]*$ ]] || refuse "'$word' is no name of a file: letters, digits and ._-"
done
[ -x "$program" ] || fail $exit_environment "there is no program $program: build it with jobs/quickstart.sh, or name it with --program"

baseline=$folder/$machine/regress_$name.jsonl latest=$folder/$machine/regress_${name}_latest.jsonl
keep_apart "$baseline" "$latest"{,.log} -- "$program" ${study[0]+"${study[@]}"}
if [ $accept = yes ]; then
  [ -s "$latest" ] || fail 4 "there is no measurement to accept: $latest is missing"
  mv -- "$latest" "$baseline"
  say "baseline: $baseline"
  exit 0
fi
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU' || true)
most=$((gpus > 0 ? gpus : $(physical_cores)))
if [ ${#study[@]} = 0 ]; then
  ranks=$([ "$most" = 1 ] || echo 1,)$most
  study=("--generate=stencil27:96,96,96" "--format=csr,pjds" --partition=nonzeros "--ranks=$ranks")
fi
[ -n "${SLURM_JOB_ID:-}" ] || mpi_settings "$most"
mkdir -p -- "$folder/$machine"
measure() {
  rm -f -- "$latest"  # so that no rest of another measurement is left in it
  python_tool scale "--program=$program" "--results=$latest" "${study[@]}"
}
judge() {
  status=0
  (
    find_python scipy || fail $exit_environment "$how_to_get_packages"
    python_tool compare "--min-ratio=$min_ratio" -- "$baseline" "$latest"
  ) || status=$?
}
measure
if [ ! -e "$baseline" ]; then
  mv -- "$latest" "$baseline"
  say "there was no baseline for $machine: this is it from now on: $baseline"
  exit 0
fi
judge
if [ $status = 6 ]; then
  say "slower than $min_ratio times the baseline: measured once more, since machines drift for seconds, and what has become slower stays it"
  measure
  judge
fi
[ $status != 6 ] || say "slower than $min_ratio times the baseline. If that is as it should be: jobs/regress.sh --accept --name $name --machine $machine"
exit $status
