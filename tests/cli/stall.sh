#!/usr/bin/env bash
# A rank stops, dies, or is late: the others leave with a message, or the run continues. SCRIPT PROGRAM MPIRUN DATA STOPPING_MPI.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

# Nothing here depends on the machine's load: the tests check what ranks print and how they end, in the order of events.
# Time limit in seconds for what never ends:
at_most=400

stopping=$4

# Measures until it is stopped; each of three ranks has one layer, so that exchanges dominate.
endless=(--generate "stencil7:200,200,3" --backend host --partition rows --min-repetitions 2000000000
         --max-repetitions 2000000000 --max-seconds 1e9)

# launch RANKS ARGUMENTS...: starts the ranks in the background; sets $launcher.
launch() {
  local count=$1
  shift
  timeout --signal=KILL "$at_most" "$mpirun" "${launcher_options[@]}" -np "$count" "${preloaded[@]}" "$program" \
    "${endless[@]}" "$@" >"$folder/out" 2>"$folder/err" </dev/null &
  launcher=$! started=$SECONDS
}
launcher_options=()
preloaded=()

# all COUNT CONDITION: waits until COUNT ranks exist and meet the condition; sets $ranks.
all() {
  while kill -0 "$launcher" 2>/dev/null; do
    mapfile -t ranks < <(descendants $launcher)
    [ ${#ranks[@]} = "$1" ] && "$2" && return
    sleep 0.2
  done
  fail "$1 ranks are not $2, or ended too early" && show
}

# start RANKS ARGUMENTS...: launches, and waits until all ranks are at work.
start() {
  launch "$@"
  all "$1" working
}

# Ids of the program's processes below process $1.
descendants() {
  local child
  for child in $(ps -o pid= --ppid "$1"); do
    [ "$(ps -o comm= -p "$child")" = spmv_dist ] && echo "$child"
    descendants "$child"
  done
}

# shellcheck disable=SC2317  # conditions are called by name
# All ranks have used some processor time, so the program and MPI have started.
working() {
  local id
  for id in "${ranks[@]}"; do
    [ "$(awk '{print $14 + $15}' "/proc/$id/stat" 2>/dev/null || echo 0)" -gt 60 ] || return 1
  done
}

# One rank is stopped.
# shellcheck disable=SC2317
one_stopped() { [[ "$(ps -o stat= -p "${ranks[*]}")" = *T* ]]; }

# runs ID: whether this process has not ended. Zombies have ended.
runs() {
  case $(ps -o stat= -p "$1") in
    "" | Z*) return 1 ;;
  esac
}

# Waits for every rank to end, soon after the launcher.
gone() {
  local id tries
  for id in "${ranks[@]}"; do
    for ((tries = 0; tries < 600; ++tries)); do
      runs "$id" || continue 2
      sleep 0.1
    done
    fail "rank with process id $id still runs" && kill -KILL "$id"
  done
}

# ends CODE: the launcher must end with this exit code ("error": any but 0; "any"), and leave no
# rank behind.
ends() {
  wait "$launcher"
  code=$?
  [ $((SECONDS - started)) -lt "$at_most" ] || fail "the run did not end by itself within $at_most s"
  case $1 in
    any) ;;
    error) [ "$code" != 0 ] || fail "exit code 0 although a rank died" ;;
    *) ended_with "$1" || { fail "exit code $code instead of $1" && show; } ;;
  esac
  gone
}

# launch_and_stop ARGUMENTS...: three ranks, the middle one of which stops at the beginning of a
# product.
launch_and_stop() {
  preloaded=(env "LD_PRELOAD=$stopping${LD_PRELOAD:+:$LD_PRELOAD}" STOPPED_AT=product STOPPED_RANK=1)
  launch 3 "$@"
  preloaded=()
  all 3 one_stopped
}

# A rank stops: its two neighbours say in which mode they wait, and which rank does not send its
# halo.
for transport in staged shm shm_copy; do
  for mode in vector task; do
    launch_and_stop --transport $transport --mode $mode --timeout 6
    ends 7
    for rank in 0 2; do
      grep -qE "^spmv_dist: rank $rank made no progress for 6 s while measuring mode $mode, .*the halo, which waits for .* rank 1;" "$folder/err" ||
        { fail "transport $transport, mode $mode: rank $rank does not name the stopped rank" && show; }
    done
  done
done

# A rank whose clock is a little late prints its message, too: the others wait some seconds before they leave.
export LATE_RANK=2
launch_and_stop --transport staged --mode vector --timeout 6
ends 7
for rank in 0 2; do
  has "$folder/err" "spmv_dist: rank $rank made no progress for 6 s"
done
unset LATE_RANK

# A rank dies: the launcher ends the others.
start 3
kill -KILL "${ranks[1]}"
ends error

# A rank dies, and the launcher lets the others live: they end themselves.
if is_open_mpi; then
  launcher_options=(--enable-recovery)
  start 3 --transport staged --timeout 6
  kill -KILL "${ranks[1]}"
  ends any  # the exit code depends on the launcher
  grep -q '^spmv_dist: rank 0 made no progress' "$folder/err" || { fail "rank 0 did not end by itself" && show; }
  launcher_options=()
fi

# A rank is late: the run continues, with correct results.
endless=(--generate "stencil7:12,12,12" --backend host --partition rows --min-repetitions 600 --max-seconds 0.2)
launch_and_stop --transport staged --timeout 20 --mode task
sleep 1
kill -CONT "${ranks[@]}"
ends 0
grep -qE '^task .*correct' "$folder/out" || fail "no correct result with a late rank"

# All ranks are suspended for longer than the time-out, as by a batch system: the run continues.
launch_and_stop --transport staged --timeout 10 --mode vector
kill -STOP "${ranks[@]}"
sleep 12
kill -CONT "${ranks[@]}"
ends 0
grep -qE '^vector .*correct' "$folder/out" || fail "no correct result after all ranks were suspended"

# Warm-up products count as progress: together they take longer than the time-out, one does not.
expect 0 1 --generate stencil7:20,20,20 --backend host --mode vector --format csr --timeout 3 --max-seconds 0.01 --min-repetitions 1 --warmup 100000
finish
