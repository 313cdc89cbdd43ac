#!/usr/bin/env bash
# A run ends by a signal, or because another rank stops for ever: it writes what was measured so far, marked as incomplete.
# SCRIPT PROGRAM MPIRUN DATA PLANTED_FAULTS. The signal comes at a call, not at a time.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
planted=$4
cd "$folder" || exit 1

# All modes, in turns of 11 barriers: by number 300 each has been measured. On a busy machine the tuner may measure formats for
# this matrix, and would write to the cache first.
# shellcheck disable=SC2054  # commas are part of the arguments
measured=(--generate stencil7:6,6,6 --backend host --partition rows --mode all --layout merged --transport staged
          --min-repetitions 100 --max-repetitions 100 --max-seconds 0.001 --warmup 1 --timeout 30 --tune-cache off
          --json out.json --csv out.csv --trace out.trace)

# ended RANKS PLANT: runs with this fault; the output files contain "old" before.
ended() {
  local start=()
  if [ "$1" -gt 1 ]; then start=("$mpirun" -np "$1"); fi
  echo old | tee out.json out.csv >out.trace
  timeout "$at_most" "${start[@]}" env LD_PRELOAD="$planted${LD_PRELOAD:+:$LD_PRELOAD}" "SPMV_PLANT=$2" "$program" "${measured[@]}" >out 2>err </dev/null
  code=$?
}

# says CODE WORDS: checks the exit code and rank 0's message on stderr.
says() {
  ended_with "$1" || { fail "exit code $code instead of $1" && show; }
  grep -qE -- "$2" err || { fail "no '$2' on stderr" && show; }
}

# incomplete BECAUSE: files and table contain the results so far, and the reason why they are
# incomplete.
incomplete() {
  grep -qE "\"incomplete\": \"$1 while measuring mode" out.json || fail "the JSON file does not say that it is incomplete"
  [ "$(grep -c '"median_s"' out.json)" -gt 0 ] || fail "the JSON file has no measurements"
  has out.json '"mode": "vector"'
  column out.csv incomplete | grep -qE "$1 while measuring mode" || fail "the CSV file does not say that it is incomplete"
  has out.trace '"incomplete"'
  tr '\n' ' ' <out | grep -qE " INCOMPLETE: $1 while measuring mode .*; above is what had been measured before" ||
    fail "the table does not say that it is incomplete"
  [ "$(find . -type f | sort | tr '\n' ' ')" = "./err ./out ./out.csv ./out.json ./out.trace " ] || fail "left: $(ls -A)"
}

# untouched: all files still contain "old".
untouched() {
  [ "$(cat out.json out.csv out.trace)" = $'old\nold\nold' ] || fail "a file was written although nothing was measured"
}

# Runs that get a signal would otherwise measure for ever.
measured=("${measured[@]/#100/2000000000}")
ended 1 "0 MPI_Ibarrier 300 SIGTERM"
says 143 '^note: ended by SIGTERM while measuring mode [a-z]*: [0-9]+ results measured until then are written, marked'
incomplete "ended by SIGTERM"

ended 1 "0 MPI_Ibarrier 300 SIGINT"
says 130 '^note: ended by SIGINT while measuring mode'
incomplete "ended by SIGINT"

ended 1 "0 MPI_Iallreduce 3 SIGTERM"
says 143 '^note: ended by SIGTERM while .*: nothing had been measured$'
untouched

# One of several ranks gets the signal; the launcher signals the others, and gives them more than its usual second to print.
if ! kills_the_others && ! is_prterun; then
  OMPI_MCA_odls_base_sigkill_timeout=10 ended 2 "1 MPI_Ibarrier 300 SIGTERM"
  says 143 '^note: ended by SIGTERM while measuring mode [a-z]*: [0-9]+ results measured until then are written, marked'
  incomplete "ended by SIGTERM"
fi
measured=("${measured[@]/#2000000000/100}")

# One rank stops for ever.
measured=("${measured[@]/#30/8}")
ended 2 "1 MPI_Ibarrier 300 SIGSTOP"
says 7 '^spmv_dist: rank 0 made no progress for 8 s while measuring mode'
incomplete "rank 0 made no progress for 8 s"

# A signal during the writing: the results must be complete.
ended 1 "0 fsync 1 SIGTERM"
if [ "$code" != 0 ]; then says 143 'had been written|were being written'; fi
has out.json '"incomplete": ""'

# A launcher that gets SIGTERM passes it on and kills the ranks after a second. Here it waits longer, because on a busy machine a
# rank may not have woken up by then.
OMPI_MCA_odls_base_sigkill_timeout=10 timeout --signal=KILL "$at_most" "$mpirun" -np 2 "$program" --generate stencil7:6,6,6 --backend host --mode vector \
  --min-repetitions 2000000000 --max-repetitions 2000000000 --json "$folder/out.json" >out 2>err </dev/null &
launcher=$!
# Ids of the ranks that catch SIGTERM: signal 15, bit 14 of the mask.
catch_it() {
  local id mask
  for id in $(pgrep -f -- "^$program .*--json $folder/out.json"); do
    mask=$(awk '/^SigCgt:/ {print $2}' "/proc/$id/status" 2>/dev/null) || continue
    [ $((0x${mask:-0} & 0x4000)) = 0 ] || echo "$id"
  done
}
while [ "$(catch_it | wc -l)" -lt 2 ] && kill -0 $launcher; do sleep 0.2; done
kill -TERM "$(pgrep -P "$launcher")"
wait $launcher && fail "exit code 0 of a launcher that got SIGTERM"
is_prterun || grep -q '^note: ended by SIGTERM while ' err || { fail "rank 0 does not report SIGTERM" && show; }
finish
