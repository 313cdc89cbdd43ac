#!/usr/bin/env bash
# A rank stops before MPI starts, just after, or when it ends: the others leave and say in which step they waited.
# SCRIPT PROGRAM MPIRUN DATA STOPPING_MPI. Nothing here depends on the machine's load.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
stopping=$4

# stopped_at PLACE SECONDS: rank 1 of 2 stops at PLACE, with this time-out; appends the exit code to
# the messages.
stopped_at() {
  timeout --signal=KILL 400 "$mpirun" -np 2 env LD_PRELOAD="$stopping${LD_PRELOAD:+:$LD_PRELOAD}" STOPPED_AT="$1" STOPPED_RANK=1 "$program" \
    --generate stencil7:4,4,4 --backend host --timeout "$2" "${quick[@]}" --mode vector --transport staged \
    >/dev/null 2>"$folder/$1" </dev/null
  echo "exit code $?" >>"$folder/$1"
}

# says PLACE WORDS: rank 0 must have named this step, and all ranks must have ended with exit code
# 7.
says() {
  has "$folder/$1" "exit code 7"
  grep -q "^spmv_dist: rank 0 made no progress for .* while $2" "$folder/$1" ||
    { fail "stopped at $1: rank 0 does not say '$2'" && sed 's/^/    /' "$folder/$1"; }
}

places=(before start end)
if is_prterun; then places=(start end); fi
# The runs mostly wait. The steps before the end take seconds on a busy machine.
for place in "${places[@]}"; do
  seconds=1
  if [ "$place" = end ]; then seconds=60; fi
  stopped_at "$place" "$seconds" &
done
wait
is_prterun || says before "starting MPI"
says start "starting"
says end "ending MPI"

# A failed run that has printed its error adds nothing when the launcher ends its ranks: they keep
# its exit code.
echo "nothing of a matrix" >"$folder/none.mtx"
# shellcheck disable=SC2016  # for the ranks' shell
timeout --signal=KILL 400 "$mpirun" -np 2 bash -c 'echo $$ >"$0.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"; exec env LD_PRELOAD="$1${LD_PRELOAD:+:$LD_PRELOAD}" STOPPED_AT=end STOPPED_RANK=1 "NOTE_OF_END=${0%/*}/ends" "${@:2}"' \
  "$folder/pid" "$stopping" "$program" "$folder/none.mtx" --backend host >/dev/null 2>"$folder/failed" </dev/null &
run=$!
until grep -q '^spmv_dist: ' "$folder/failed"; do kill -0 $run || break; sleep 0.1; done
stops() { grep -q '^State:.*T' "/proc/$(cat "$folder/pid.1")/status"; }
until stops; do kill -0 $run || break; sleep 0.1; done
until [ -e "$folder/ends.0" ]; do kill -0 $run || break; sleep 0.1; done  # rank 0 has reached the place where rank 1 stopped
kill -TERM "$(cat "$folder/pid.0")"
wait $run
code=$?
[ $code = 4 ] || fail "exit code $code of a run that failed on its input"
if grep -q 'ended by SIGTERM' "$folder/failed"; then fail "a failed run also reports SIGTERM"; fi
finish
