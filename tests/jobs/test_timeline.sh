#!/usr/bin/env bash
# The picture of a run's timeline.
#   test_timeline.sh ROOT PROGRAM MPIRUN      exit 77, with the reason, where matplotlib is missing
set -euo pipefail
root=$(readlink -f "$1")
program=$(readlink -f "$2")
mpirun=$3
# shellcheck source=tests/jobs/checks.sh
source "$(dirname "$0")/checks.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMP_NUM_THREADS=1
timeline=$root/jobs/papers/timeline.py

# The first python3 of PATH may be one without packages, beside one of the system that has them.
python=""
while read -r candidate; do
  if "$candidate" "$timeline" --check >log 2>&1; then python=$candidate && break; fi
done < <(type -aP python3; echo /usr/bin/python3)
[ -n "$python" ] || { cat log && exit 77; }

draw() {  # ARGUMENT...; prints the exit code
  local code=0
  "$python" "$timeline" "$@" >log 2>&1 || code=$?
  echo $code
}

"$mpirun" -np 2 "$program" --generate stencil7:12,12,12 --backend host --partition rows --mode all --max-seconds 0.1 \
  --min-repetitions 2 --trace trace.json >log 2>&1 </dev/null || show_log log "no trace"

say_case "every mode and rank, as PNG and as SVG"
expect "exit code" 0 "$(draw trace.json)"
expect "trace.png" PNG "$(head -c 4 trace.png | tail -c 3)"
expect "exit code" 0 "$(draw trace.json --out task.svg --modes task --ranks 1)"
expect "task.svg" 1 "$(grep -c '</svg>' task.svg)"

say_case "what is not there is told"
expect "unknown mode" 1 "$(draw trace.json --modes quick)"
expect "the known ones are named" 1 "$(grep -c 'vector, naive, task' log)"
echo '{}' >other.json
expect "no trace" 1 "$(draw other.json)"
expect "what would be one" 1 "$(grep -c -- '--trace' log)"
passed
