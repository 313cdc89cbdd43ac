#!/usr/bin/env bash
# Measures one matrix on several rank counts, modes and formats with spmv_dist.scale; prints a table, and makes a page of figures.
#   jobs/strong_scaling.sh (--generate SPEC | --matrix FILE) [OPTION...] [-- OPTION OF spmv_dist...]
#
#   --ranks 1,2,4          rank counts (default: powers of two up to the number of cores, or of GPUs)
#   --modes A,B            default: vector,naive,task
#   --formats A,B          default: ellpack_r,pjds
#   --partition P          default: metis; several: A,B
#   --transport T          default: auto; several: A,B
#   --machine NAME         folder below jobs/results/raw (default: the cluster's or the host's name)
#   --results FILE         default: jobs/results/raw/<machine>/<date>_<commit>.jsonl, or the newest one of this commit there
#   --program FILE         default: build/bin/spmv_dist
#   --launcher L           mpirun or srun (inside a Slurm allocation; default: mpirun)
#   --launcher-options T   words for the launcher, instead of the binding that is chosen otherwise
#   --cores-per-rank N     default: cores / largest rank count, so that all rank counts have the same cores per rank
#   --ranks-per-node N     srun only; default: tasks per node of the allocation
#
# Adds to spmv_dist.scale: the results' place, the settings that Open MPI needs on small machines, the page.
# Started again, it measures only what is missing. A failing run ends the study with its exit code.
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -euo pipefail
# shellcheck source=jobs/common.sh
source "$(dirname "$(readlink -f "$0")")/common.sh"

usage() { sed -n '2,20s/^# \?//p' "$0"; }
refuse() { fail 2 "$*; see jobs/strong_scaling.sh --help"; }

study=() extra=() modes=vector,naive,task formats=ellpack_r,pjds partition=metis machine='' results='' launcher=mpirun largest=1
matrix='' program=$SPMV_ROOT/build/bin/spmv_dist

parse_arguments() {
  local word
  while [ $# -gt 0 ]; do
    case $1 in
      -h | --help) usage; exit 0 ;;
      --) shift; extra=("$@"); break ;;
      --*) [ $# -ge 2 ] || refuse "$1 needs a value" ;;&
      --generate) study+=("--generate=$2") ;;
      --matrix) matrix=$2; [ "${2#-}" = "$2" ] || matrix=./$2 ;;
      --ranks) study+=("--ranks=$2"); largest=$(tr ',' '\n' <<<"$2" | sort -n | tail -n 1) ;;
      --modes) modes=$2 ;;
      --formats) formats=$2 ;;
      --partition) partition=$2 ;;
      --transport | --cores-per-rank | --ranks-per-node) study+=("$1=$2") ;;
      --launcher) launcher=$2 ;;
      --launcher-options) for word in $2; do study+=("--launcher-option=$word"); done ;;
      --machine) machine=$2 ;;
      --results) results=$2 ;;
      --program) program=$2 ;;
      *) refuse "unknown argument '$1'" ;;
    esac
    shift 2
  done
  [[ "$machine" =~ ^[A-Za-z0-9][A-Za-z0-9._-]*$|^$ ]] || refuse "--machine is the name of a folder, not '$machine'"
  study+=("--mode=$modes" "--format=$formats" "--partition=$partition" "--launcher=$launcher" "--program=$program")
}

choose_results() {
  local commit folder
  [ -z "$results" ] || return 0
  commit=$(git -C "$SPMV_ROOT" rev-parse --short HEAD 2>/dev/null || echo unknown)
  folder=$SPMV_ROOT/jobs/results/raw/${machine:-${SLURM_CLUSTER_NAME:-$(hostname -s)}}
  # shellcheck disable=SC2012  # names made here: date, commit
  results=$(ls "$folder"/*_"$commit".jsonl 2>/dev/null | tail -n 1 || true)
  results=${results:-$folder/$(date -u +%Y-%m-%d)_$commit.jsonl}
}

parse_arguments "$@"
[ -x "$program" ] || fail $exit_environment "there is no program $program: build it with jobs/quickstart.sh, or name it with --program"
choose_results
page=${results%.jsonl}.html
keep_apart "$page" -- "$results" "$matrix" "$program" ${extra[0]+"${extra[@]}"}
mkdir -p "$(dirname "$results")"
if [ "$launcher" = mpirun ]; then
  [[ "$largest" =~ ^[0-9]{1,6}$ ]] || largest=1
  mpi_settings "$largest"
  [ "$largest" -le "$(physical_cores)" ] || visibly "fewer cores than ranks" OMP_NUM_THREADS=1
fi
python_tool scale "${study[@]}" "--results=$results" -- ${matrix:+"$matrix"} ${extra[0]+"${extra[@]}"}
make_report "$page" "$results"
