#!/usr/bin/env bash
# Every mode over every transport on several rank counts: which transport is fastest, and does auto choose it?
#   jobs/transports/run.sh [OPTION...] [-- OPTION OF spmv_dist...]
#
#   --ranks 1,2,4          rank counts
#   --matrices FILE        a Matrix Market file or generator per line (default: jobs/transports/matrices.txt)
#   --formats A,B          default: pjds,auto
#   --transports A,B       default: all, which means auto and every one that works here
#   --modes A,B            default: all
#   --partition P          default: metis
#   --limit SECONDS        time limit of a run (one matrix, format and rank count; default: 900)
#   --out DIR              default: jobs/results/raw/transports/<date>_<commit>
#   --program FILE         default: build/bin/spmv_dist
#   --launcher-options T   words for mpirun, instead of the binding that this script chooses
#
# One rank runs with transport auto only: it moves no data. A mode is measured for 0.3 s; for more: `-- --max-seconds 2`.
# DIR keeps every run's output (.log) and results (.json). If a run fails, its log has the reason, and the others continue; the
# script's exit code is that of the last failure, 124 for the time limit. Started again with the same DIR, it makes only the runs
# that have no .json yet. To show DIR's results again: python3 -m spmv_dist.transports DIR
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -euo pipefail
# shellcheck source=jobs/common.sh
source "$(dirname "$(readlink -f "$0")")/../common.sh"

usage() { sed -n '2,20s/^# \?//p' "$0"; }
refuse() { fail 2 "$*; see jobs/transports/run.sh --help"; }

ranks=1,2,4 list=$SPMV_ROOT/jobs/transports/matrices.txt formats=pjds,auto transports=all modes=all partition=metis limit=900 out=''
program=$SPMV_ROOT/build/bin/spmv_dist launcher_options='' extra=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --) shift; extra=("$@"); break ;;
    --*) [ $# -ge 2 ] || refuse "$1 needs a value" ;;&
    --ranks) ranks=$2 ;;
    --matrices) list=$2 ;;
    --formats) formats=$2 ;;
    --transports) transports=$2 ;;
    --modes) modes=$2 ;;
    --partition) partition=$2 ;;
    --limit) limit=$2 ;;
    --out) out=$2 ;;
    --program) program=$2 ;;
    --launcher-options) launcher_options=$2 ;;
    *) refuse "unknown argument '$1'" ;;
  esac
  shift 2
done
[[ "$ranks" =~ ^[1-9][0-9]*(,[1-9][0-9]*)*$ ]] || refuse "--ranks takes numbers such as 1,2,4, not '$ranks'"
[[ "$limit" =~ ^[1-9][0-9]*$ ]] || refuse "--limit takes whole seconds, not '$limit'"
[ -r "$list" ] || refuse "cannot read the list $list"
[ -x "$program" ] || fail $exit_environment "there is no program $program: build it with jobs/quickstart.sh, or name it with --program"
command -v mpirun >/dev/null || fail $exit_environment "mpirun is not in PATH: install or load an MPI"
command -v python3 >/dev/null || fail $exit_environment "python3 is missing; on Debian or Ubuntu: apt-get install python3"

matrices=() line=''
while read -r line || [ -n "$line" ]; do
  line=${line%%#*}
  line=${line%"${line##*[![:space:]]}"}
  [ -z "$line" ] || matrices+=("$line")
done <"$list"
[ ${#matrices[@]} -gt 0 ] || refuse "no matrices in $list"
[[ " ${extra[*]-} " == *" --max-seconds"* ]] || extra+=(--max-seconds 0.3)
mapfile -t counts < <(tr ',' '\n' <<<"$ranks" | sort -nu)
IFS=, read -r -a format_list <<<"$formats"
commit=$(git -C "$SPMV_ROOT" rev-parse --short HEAD 2>/dev/null || echo unknown)
out=${out:-$SPMV_ROOT/jobs/results/raw/transports/$(date -u +%Y-%m-%d)_$commit}
keep_apart "$out"/table.{part,md} -- "$list" "$program" "${matrices[@]}" ${extra[0]+"${extra[@]}"}
mkdir -p "$out"

status=0
measure() {  # MATRIX FORMAT RANKS
  local name file log code=0 attempt=1 input=(--generate "$1") names=$transports start=$SECONDS
  case $1 in *.mtx | *.mtx.gz) input=("$1") ;; esac
  [ "$3" -gt 1 ] || names=auto
  # Distinct names even for files of the same name in two folders.
  name=$(basename "$1" | tr -c 'A-Za-z0-9._\n-' '_')_$(cksum <<<"$1" | cut -d' ' -f1)_$2_$3
  file=$out/$name.json
  if [ -e "$file" ]; then
    say "$1, $2, $3 ranks: there already"
    return
  fi
  while [ -e "$out/$name.$attempt.log" ]; do attempt=$((attempt + 1)); done
  log=$out/$name.$attempt.log
  say "$1, $2, $3 ranks: $name"
  timeout --kill-after=20 "$limit" mpirun -np "$3" ${binding[0]+"${binding[@]}"} "$program" "${input[@]}" --partition "$partition" --format "$2" \
    --mode "$modes" --transport "$names" --json "$file" ${extra[0]+"${extra[@]}"} >"$log" 2>&1 </dev/null ||
    code=$?
  [ $code != 124 ] || echo "not measured: not over within $limit s" >>"$log"
  if [ $code = 0 ] && [ ! -e "$file" ]; then
    echo "not measured: the program wrote no $file" >>"$log"
    code=1
  fi
  if [ $code = 0 ]; then
    say "   done in $((SECONDS - start)) s"
    grep 'left out:' "$log" || true
  else
    status=$code
    say "   FAILED with exit code $code after $((SECONDS - start)) s, see $log"
    grep -E '^(spmv_dist|not measured):' "$log" || tail -n 3 "$log"
  fi
}

largest=${counts[-1]}
say "${#matrices[@]} matrices, formats $formats, ranks $ranks, transports $transports; results in $out"
mpi_settings "$largest"
# shellcheck disable=SC2206  # words on purpose
binding=($launcher_options)
cores_per_rank=$(($(physical_cores) / largest))
if [ -z "$launcher_options" ]; then mapfile -t binding < <(mpirun_binding "$cores_per_rank"); fi
[ "$cores_per_rank" -ge 1 ] || visibly "fewer cores than ranks" OMP_NUM_THREADS=1
for matrix in "${matrices[@]}"; do
  for format in "${format_list[@]}"; do
    for n in "${counts[@]}"; do measure "$matrix" "$format" "$n"; done
  done
done
python_tool transports "$out" | tee "$out/table.part"
mv "$out/table.part" "$out/table.md"
say "done: $out/table.md"
exit $status
