#!/usr/bin/env bash
# Measures one matrix on several rank counts, modes and formats; ends in a table and a picture.
#   jobs/strong_scaling.sh (--generate SPEC | --matrix FILE) [OPTION...] [-- OPTION OF spmv_dist...]
#
#   --ranks 1,2,4          rank counts (default: powers of two up to the number of cores, or of GPUs)
#   --modes A,B            default: vector,naive,task
#   --formats A,B          default: ellpack_r,pjds
#   --partition P          default: metis
#   --machine NAME         folder below jobs/results (default: the cluster's or the host's name)
#   --results FILE         default: jobs/results/<machine>/<date>_<commit>.jsonl, or the newest one of this commit there
#   --program FILE         default: build/bin/spmv_dist
#   --launcher L           mpirun or srun (inside a Slurm allocation; default: mpirun)
#   --launcher-options T   words for the launcher; they replace the binding that this script chooses
#   --cores-per-rank N     default: cores / largest rank count, so that every count has the same cores per rank
#   --ranks-per-node N     srun only; default: tasks per node of the allocation
#
# One JSON line per point is appended to the results file: what was asked for, median_s, and the whole environment.
# Started again, it measures only what is missing. A failing run stops the study with the run's own exit code.
set -euo pipefail
# shellcheck source=jobs/common.sh
source "$(dirname "$0")/common.sh"

usage() { sed -n '2,19s/^# \?//p' "$0"; }
refuse() { fail 2 "$*; see jobs/strong_scaling.sh --help"; }

matrix='' input=() ranks='' modes=vector,naive,task formats=ellpack_r,pjds partition=metis machine='' results=''
program=$SPMV_ROOT/build/bin/spmv_dist launcher=mpirun launcher_options='' cores_per_rank='' ranks_per_node='' extra=() python=python3

# Refuses what is no list of WORDs with commas between them; an empty one is what was not given.
require_list() {  # OPTION LIST WORD WHAT [MOST]
  [ -n "$2" ] || return 0
  local most=${5:-}
  if [[ ! "$2" =~ ^$3(,$3)*$ ]] || [[ "$most" = 1 && "$2" = *,* ]]; then refuse "$1 takes $4, not '$2'"; fi
}

parse_arguments() {
  while [ $# -gt 0 ]; do
    case $1 in
      -h | --help) usage; exit 0 ;;
      --) shift; extra=("$@"); break ;;
      --*) [ $# -ge 2 ] || refuse "$1 needs a value" ;;&
      --generate) matrix=$2; input=(--generate "$2") ;;
      --matrix) matrix=$2; input=("$2"); [ "${2#-}" = "$2" ] || input=("./$2") ;;
      --ranks) ranks=$2; [ -n "$2" ] || refuse "--ranks names at least one number" ;;
      --modes) modes=$2 ;;
      --formats) formats=$2 ;;
      --partition) partition=$2 ;;
      --machine) machine=$2 ;;
      --results) results=$2 ;;
      --program) program=$2 ;;
      --launcher) launcher=$2 ;;
      --launcher-options) launcher_options=$2 ;;
      --cores-per-rank) cores_per_rank=$2 ;;
      --ranks-per-node) ranks_per_node=$2 ;;
      *) refuse "unknown argument '$1'" ;;
    esac
    shift 2
  done
  [ -n "$matrix" ] || refuse "give --generate SPEC or --matrix FILE"
  [ "$launcher" = mpirun ] || [ "$launcher" = srun ] || refuse "unknown launcher '$launcher': mpirun or srun"
  [ "$modes" != all ] || modes=vector,naive,task
  require_list --ranks "$ranks" '[1-9][0-9]{0,5}' "numbers such as 1,2,4"
  require_list --modes "$modes" '[a-z][a-z_0-9]*' "names such as vector,task"
  require_list --formats "$formats" '[a-z][a-z_0-9]*' "names such as csr,pjds"
  if [ -z "$modes" ] || [ -z "$formats" ]; then refuse "--modes and --formats name at least one each"; fi
  require_list --cores-per-rank "$cores_per_rank" '[1-9][0-9]{0,5}' "one number" 1
  require_list --ranks-per-node "$ranks_per_node" '[1-9][0-9]{0,5}' "one number" 1
  [[ "$machine" =~ ^[A-Za-z0-9][A-Za-z0-9._-]*$|^$ ]] || refuse "--machine is the name of a folder, not '$machine'"
  ranks=${ranks//,/ } formats=${formats//,/ }
}

powers_of_two() {
  local n=1
  while [ $n -le "$1" ]; do
    echo $n
    n=$((2 * n))
  done
}

# Fills in what was not asked for. Rank counts shrink, so that the largest fails first if it does.
choose_defaults() {
  local gpus
  command -v python3 >/dev/null || fail $exit_environment "python3 is missing; on Debian or Ubuntu: apt-get install python3"
  command -v "$launcher" >/dev/null || fail $exit_environment "$launcher is not in PATH: install or load an MPI, or choose --launcher"
  [ -x "$program" ] || fail $exit_environment "there is no program $program: build it with jobs/quickstart.sh, or name it with --program"
  cores=$(physical_cores)
  if [ "$launcher" = srun ]; then
    [ -n "${SLURM_JOB_NUM_NODES:-}" ] || fail $exit_environment "--launcher srun works inside an allocation: sbatch jobs/strong_scaling.sbatch"
    ranks_per_node=${ranks_per_node:-${SLURM_NTASKS_PER_NODE:-1}}
    ranks=${ranks:-$(powers_of_two $((SLURM_JOB_NUM_NODES * ranks_per_node)))}
    cores_per_rank=${cores_per_rank:-${SLURM_CPUS_PER_TASK:-$((SLURM_CPUS_ON_NODE / ranks_per_node))}}
  fi
  gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU' || true)
  ranks=${ranks:-$(powers_of_two "$((gpus > 0 ? gpus : cores))")}
  ranks=$(tr ' ' '\n' <<<"$ranks" | sort -rnu)
  largest=$(head -n 1 <<<"$ranks")
  cores_per_rank=${cores_per_rank:-$((cores / largest))}
  commit=$(git -C "$SPMV_ROOT" rev-parse --short HEAD 2>/dev/null || echo unknown)
  [ "$commit" = unknown ] || git -C "$SPMV_ROOT" diff --quiet HEAD || commit=$commit-changed
  machine=${machine:-${SLURM_CLUSTER_NAME:-$(hostname -s)}}
  if [ -z "$results" ]; then
    local folder=$SPMV_ROOT/jobs/results/$machine
    # shellcheck disable=SC2012  # names made here: date, commit
    results=$(ls "$folder"/*_"$commit".jsonl 2>/dev/null | tail -n 1 || true)
    results=${results:-$folder/$(date -u +%Y-%m-%d)_$commit.jsonl}
  fi
  mkdir -p "$(dirname "$results")"
}

# Fills `launch` with the words before the program. Every rank has its own cores where there are enough.
choose_launch() {  # RANKS
  if [ "$launcher" = srun ]; then
    # All GPUs of a node stay visible to all its ranks: the program shares them out, and peers can map each other's
    # memory, which --gpus-per-task would prevent. After an error that all ranks agree on they leave one after the other:
    # none is killed for ten seconds, so that the step's exit code is theirs.
    launch=(srun "--mpi=${SPMV_SRUN_MPI:-pmix}" --kill-on-bad-exit=0 --wait=10 "--ntasks=$1"
      "--nodes=$((($1 + ranks_per_node - 1) / ranks_per_node))" "--ntasks-per-node=$ranks_per_node"
      "--cpus-per-task=$cores_per_rank")
    [ -n "$launcher_options" ] || launch+=(--cpu-bind=cores --distribution=block:block)
  else
    launch=(mpirun -np "$1")
    if [ -z "$launcher_options" ]; then
      local binding
      mapfile -t binding < <(mpirun_binding "$cores_per_rank")
      launch+=(${binding[0]+"${binding[@]}"})
    fi
  fi
  # shellcheck disable=SC2206  # words on purpose
  launch+=($launcher_options)
}

series() {  # COMMAND-WORDS...: what all points of this study share
  # One word each: what begins with a dash is a value, too.
  "$python" "$SPMV_ROOT/jobs/$1" "${@:2}" "--results=$results" "--matrix=$matrix" "--partition=$partition" \
    "--options=${extra[*]}" --commit "$commit"
}

measure() {  # RANKS FORMAT
  local todo status=0 run=$results.run.json
  todo=$(series scaling_points.py missing --ranks "$1" --format "$2" --modes "$modes")
  if [ -z "$todo" ]; then
    say "$1 ranks, $2: there already"
    return
  fi
  choose_launch "$1"
  say "$1 ranks, $2, modes $todo: ${launch[*]}"
  rm -f "$run"
  "${launch[@]}" "$program" "${input[@]}" --mode "$todo" --format "$2" --partition "$partition" --json "$run" \
    "${extra[@]}" >"$results.log" 2>&1 || status=$?
  if [ $status != 0 ]; then
    tail -n 15 "$results.log" >&2
    fail $status "$matrix on $1 ranks, format $2, ended with exit code $status (its last lines are above)." \
      "Mend that and start the same command again; it goes on from here."
  fi
  grep '^warning' "$results.log" >&2 || true
  series scaling_points.py add --ranks "$1" --format "$2" --run "$run" --launch "${launch[*]}"
  rm -f "$run" "$results.log"
}

parse_arguments "$@"
choose_defaults
say "results in $results"
if [ "$launcher" = mpirun ]; then
  mpi_settings "$largest"
  [ "$cores_per_rank" -ge 1 ] || visibly "fewer cores than ranks" OMP_NUM_THREADS=1
fi
[ "$cores_per_rank" -ge 2 ] || [[ ",$modes," != *,task,* ]] ||
  say "note: ranks have one core each, so task mode's communication thread shares it with the computation"
for n in $ranks; do
  for format in $formats; do measure "$n" "$format"; done
done
series scaling_points.py table
# The first python3 of PATH may be one without packages beside a system one that has them.
if ! "$python" -c 'import matplotlib' 2>/dev/null && /usr/bin/python3 -c 'import matplotlib' 2>/dev/null; then
  python=/usr/bin/python3
fi
picture=${results%.jsonl}.png
if series plot_scaling.py --output "$picture"; then say "picture: $picture"; fi
