#!/usr/bin/env bash
# A rank that stops, and one that dies: the others leave, and say why.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

# Measures until it is stopped.
endless=(--generate "stencil7:12,12,12" --backend host --partition rows --min-repetitions 2000000000
         --max-repetitions 2000000000 --max-seconds 1e9)

# start ARGUMENTS...: two ranks in the background; sets $launcher and $ranks, once both are at work.
start() {
  timeout --signal=KILL 120 "$mpirun" -np 2 "$program" "${endless[@]}" "$@" >"$folder/out" 2>"$folder/err" </dev/null &
  launcher=$!
  local tries
  for ((tries = 0; tries < 300; ++tries)); do
    mapfile -t ranks < <(descendants $launcher)
    [ ${#ranks[@]} = 2 ] && working && return
    sleep 0.1
  done
  fail "two ranks did not start" && show
}

# Ids of the program's processes below process $1.
descendants() {
  local child
  for child in $(ps -o pid= --ppid "$1"); do
    [ "$(ps -o comm= -p "$child")" = spmv_dist ] && echo "$child"
    descendants "$child"
  done
}

# Both have used some processor time: start-up is behind them, and so is MPI's.
working() {
  local id
  for id in "${ranks[@]}"; do
    [ "$(awk '{print $14 + $15}' "/proc/$id/stat" 2>/dev/null || echo 0)" -gt 150 ] || return 1
  done
}

gone() {
  local id
  for id in "${ranks[@]}"; do
    case $(ps -o stat= -p "$id") in
      "" | Z*) ;;  # ended; who inherits it may not have asked yet
      *) fail "rank with process id $id still runs" && kill -KILL "$id" ;;
    esac
  done
}

start --timeout 3
kill -STOP "${ranks[1]}"
wait "$launcher"
code=$?
[ "$code" = 7 ] || { fail "exit code $code instead of 7" && show; }
grep -q '^spmv_dist: rank 0 made no progress for 3 s while measuring mode vector' "$folder/err" || { fail "no reason" && show; }
sleep 1
gone

start
kill -KILL "${ranks[1]}"
wait "$launcher"
code=$?
[ "$code" != 0 ] || fail "exit code 0 though a rank died"
sleep 1
gone
finish
