#!/usr/bin/env bash
# A rank that stops before MPI starts, when it has just started, or at its end: the others leave and say where they were:
# SCRIPT PROGRAM MPIRUN DATA STOPPING_MPI. Nothing here depends on how busy the machine is.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
stopping=$4

# stopped_at PLACE WORDS: rank 1 of 2 stops there, and rank 0 says these words and ends all with exit code 7.
stopped_at() {
  timeout --signal=KILL 400 "$mpirun" -np 2 env LD_PRELOAD="$stopping" STOPPED_AT="$1" STOPPED_RANK=1 "$program" \
    --generate stencil7:4,4,4 --backend host --timeout 1 "${quick[@]}" --mode vector --transport staged \
    >"$folder/out" 2>"$folder/err" </dev/null
  code=$?
  [ "$code" = 7 ] || { fail "stopped at $1: exit code $code instead of 7" && show; }
  grep -q "^spmv_dist: rank 0 made no progress for .* while $2" "$folder/err" || { fail "stopped at $1: rank 0 does not say '$2'" && show; }
}

stopped_at before "starting MPI"
stopped_at start "starting"
stopped_at end "ending MPI"
finish
