#!/usr/bin/env bash
# A wrong result is found and reported, and ends the run with exit code 3: SCRIPT PROGRAM MPIRUN
# DATA CORRUPTING_MPI.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
corrupting=$4

for ranks in 2 4; do
  timeout "$at_most" "$mpirun" -np $ranks env LD_PRELOAD="$corrupting${LD_PRELOAD:+:$LD_PRELOAD}" "$program" --generate stencil7:5,5,5 "${quick[@]}" \
    --backend host --transport staged --json "$folder/wrong.json" >"$folder/out" 2>"$folder/err" </dev/null
  code=$?
  [ "$code" = 3 ] || { fail "exit code $code instead of 3 on $ranks ranks" && show; }
  [ "$(grep -c '^spmv_dist: .*wrong result' "$folder/err")" = 1 ] || { fail "not one message" && show; }
  has "$folder/err" "modes vector, naive, task gave a wrong result"
  for mode in vector naive task; do
    grep -qE "^$mode .*WRONG" "$folder/out" || fail "mode $mode is not marked in the table"
    has "$folder/out" "WRONG: mode $mode:"
  done
  grep -qE '"rows_wrong": [1-9]' "$folder/wrong.json" || fail "the JSON file has no count of wrong rows"
done
# With --no-verify nothing is found: the option works.
timeout "$at_most" "$mpirun" -np 2 env LD_PRELOAD="$corrupting${LD_PRELOAD:+:$LD_PRELOAD}" "$program" --generate stencil7:5,5,5 "${quick[@]}" \
  --backend host --transport staged --no-verify >"$folder/out" 2>"$folder/err" </dev/null || fail "--no-verify: exit code $?"
has "$folder/out" "unchecked"
finish
