#!/usr/bin/env bash
# A run that is asked to end, or whose other rank stops for ever: what was measured until then is written, and says that
# it is incomplete: SCRIPT PROGRAM MPIRUN DATA PLANTED_FAULTS. The signal comes at a call, not at a time.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
planted=$4
cd "$folder" || exit 1

# All modes, in turns of 11 barriers: at number 300 all have had some. A busy machine may well measure formats for this
# matrix, and would write into the cache before anything that is asked for.
# shellcheck disable=SC2054  # commas are part of the arguments
measured=(--generate stencil7:6,6,6 --backend host --partition rows --mode all --layout merged --transport staged
          --min-repetitions 100 --max-repetitions 100 --max-seconds 0.001 --warmup 1 --timeout 30 --tune-cache off
          --json out.json --csv out.csv --trace out.trace)

# ended RANKS PLANT: a run with this fault, where "old" is in the files before.
ended() {
  local start=()
  if [ "$1" -gt 1 ]; then start=("$mpirun" -np "$1"); fi
  echo old | tee out.json out.csv >out.trace
  timeout "$at_most" "${start[@]}" env LD_PRELOAD="$planted${LD_PRELOAD:+:$LD_PRELOAD}" "SPMV_PLANT=$2" "$program" "${measured[@]}" >out 2>err </dev/null
  code=$?
}

# says CODE WORDS: the exit code, and what rank 0 says on stderr.
says() {
  ended_with "$1" || { fail "exit code $code instead of $1" && show; }
  grep -qE -- "$2" err || { fail "no '$2' on stderr" && show; }
}

# incomplete BECAUSE: files and table hold what the modes have until then, and say why there is not more.
incomplete() {
  grep -qE "\"incomplete\": \"$1 while measuring mode" out.json || fail "the JSON file does not say that it is incomplete"
  [ "$(grep -c '"median_s"' out.json)" -gt 0 ] || fail "nothing measured is in the JSON file"
  has out.json '"mode": "vector"'
  column out.csv incomplete | grep -qE "$1 while measuring mode" || fail "the CSV file does not say that it is incomplete"
  has out.trace '"incomplete"'
  tr '\n' ' ' <out | grep -qE " INCOMPLETE: $1 while measuring mode .*; above is what had been measured before" ||
    fail "the table does not say that it is incomplete"
  [ "$(find . -type f | sort | tr '\n' ' ')" = "./err ./out ./out.csv ./out.json ./out.trace " ] || fail "left: $(ls -A)"
}

# untouched: all files are as they were before.
untouched() {
  [ "$(cat out.json out.csv out.trace)" = $'old\nold\nold' ] || fail "a file was written though nothing was measured"
}

# What is asked to end measures without an end of its own.
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

# One of several ranks is asked; the launcher then asks the others, and lets them speak for longer than its usual second.
if ! kills_the_others && ! is_prterun; then
  OMPI_MCA_odls_base_sigkill_timeout=10 ended 2 "1 MPI_Ibarrier 300 SIGTERM"
  says 143 '^note: ended by SIGTERM while measuring mode [a-z]*: [0-9]+ results measured until then are written, marked'
  incomplete "ended by SIGTERM"
fi
measured=("${measured[@]/#2000000000/100}")

# A rank that stops for ever.
measured=("${measured[@]/#30/8}")
ended 2 "1 MPI_Ibarrier 300 SIGSTOP"
says 7 '^spmv_dist: rank 0 made no progress for 8 s while measuring mode'
incomplete "rank 0 made no progress for 8 s"

# Asked while it writes: the results are there, and whole.
ended 1 "0 fsync 1 SIGTERM"
if [ "$code" != 0 ]; then says 143 'had been written|were being written'; fi
has out.json '"incomplete": ""'

# A launcher that is asked passes it on, and ends what is left after a second; here it waits longer, since on a busy machine a
# rank may not even have been woken by then.
OMPI_MCA_odls_base_sigkill_timeout=10 timeout --signal=KILL "$at_most" "$mpirun" -np 2 "$program" --generate stencil7:6,6,6 --backend host --mode vector \
  --min-repetitions 2000000000 --max-repetitions 2000000000 --json "$folder/out.json" >out 2>err </dev/null &
launcher=$!
# Until both ranks catch SIGTERM, which is signal 15: bit 14 of the mask.
catch_it() {
  local id mask
  for id in $(pgrep -f -- "^$program .*--json $folder/out.json"); do
    mask=$(awk '/^SigCgt:/ {print $2}' "/proc/$id/status" 2>/dev/null) || continue
    [ $((0x${mask:-0} & 0x4000)) = 0 ] || echo "$id"
  done
}
while [ "$(catch_it | wc -l)" -lt 2 ] && kill -0 $launcher; do sleep 0.2; done
kill -TERM "$(pgrep -P "$launcher")"
wait $launcher && fail "exit code 0 of a launcher that was asked to end"
is_prterun || grep -q '^note: ended by SIGTERM while ' err || { fail "rank 0 does not say that it was asked to end" && show; }
finish
