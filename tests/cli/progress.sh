#!/usr/bin/env bash
# The progress shown during a stage, on a terminal and in a log: SCRIPT PROGRAM MPIRUN DATA PLANTED_FAULTS. A planted call makes
# the stage wait for a file, which this script creates when it has seen the expected text: nothing depends on the machine's load.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
planted=$4
cd "$folder" || exit 1
export TERM=xterm
at_most=400  # seconds to wait for something that never comes

"$program" generate stencil7:45,45,45 -o m.mtx 2>err || fail "no matrix"
# Counts the calls that read the file; the last ones read its entries.
LD_PRELOAD=$planted SPMV_SITES=$folder/sites "$program" convert m.mtx all.spmv >out 2>err || fail "the conversion failed"
preads=$(awk '$1 == "pread" {sum += $3} END {print sum + 0}' sites.0)
[ "$preads" -gt 20 ] || fail "only $preads calls read the matrix"

# plant NAME CALL NUMBER: environment in which this call of rank 0 waits for the file NAME.go.
plant() { echo "LD_PRELOAD=$planted${LD_PRELOAD:+:$LD_PRELOAD}" "SPMV_PLANT='0 $2 $3 until:$folder/$1.go'"; }

# on_terminal NAME COMMAND...: runs the command in the background, stderr on a terminal of 70 columns recorded in NAME.screen,
# stdout in NAME.out, and the exit code in NAME.code. The terminal ends lines with "\r\n".
on_terminal() {
  local name=$1
  shift
  timeout --signal=KILL "$at_most" script --quiet --flush --command "stty cols 70; ($*) >$name.out; echo \$? >$name.code" \
    "$name.screen" </dev/null >/dev/null 2>&1 &
}

# until_shown FILE REGEX: waits until FILE contains REGEX; fails if its command has ended.
until_shown() {
  local started=$SECONDS
  until grep -qE -- "$2" "$1" 2>/dev/null; do
    { [ $((SECONDS - started)) -lt "$at_most" ] && ! [ -s "${1%.*}.code" ]; } || { fail "no '$2' in $1" && sed 's/^/    /' "$1"; return; }
    sleep 0.1
  done
}

# screen NAME: what remains on the terminal after overwritten lines, without the messages of
# `script`.
screen() { sed -E 's/.*\r\x1b\[K//; s/\r//g; /^Script (started|done)/d; /^$/d' "$1.screen"; }

# stays NAME CODE REGEX: the command must end with this code, and leave only this line on the
# terminal.
stays() {
  local started=$SECONDS
  until [ -s "$1.code" ] || [ $((SECONDS - started)) -ge "$at_most" ]; do sleep 0.1; done
  wait
  [ "$(cat "$1.code")" = "$2" ] || fail "$1: exit code $(cat "$1.code") instead of $2"
  { [ "$(screen "$1" | wc -l)" = 1 ] && screen "$1" | grep -qE -- "$3"; } || { [ -z "$3" ] && [ -z "$(screen "$1")" ]; } ||
    { fail "$1: this stays on the terminal instead of '$3'" && screen "$1" | sed 's/^/    /'; }
  if grep -q ' elapsed' "$1.out"; then fail "$1: progress on stdout"; fi
}

# On a terminal: the stage, the share done, the elapsed time; all of it is erased at the end. Also without a time-out (--timeout 0).
on_terminal convert "$(plant convert pread $((preads - 4)))" "$program" convert m.mtx m.spmv
until_shown convert.screen 'reading m\.mtx: [0-9]+ % done, [0-9]+ s elapsed, about [0-9]+ s left'
touch convert.go
stays convert 0 ''
has convert.out "written in"
cmp -s all.spmv m.spmv || fail "the conversion gave another matrix"
on_terminal silent "$(plant silent pread $((preads - 4)))" "$program" convert m.mtx m.spmv --timeout 0
until_shown silent.screen 'reading m\.mtx: [0-9]+ % done'
touch silent.go
stays silent 0 ''

# A name too long for the terminal is shortened.
long=$(printf 'a%.0s' {1..80}).mtx
ln m.mtx "$long"
on_terminal long "$(plant long pread $((preads - 4)))" "$program" convert "$long" m.spmv
until_shown long.screen 'reading a*\.\.\.: [0-9]+ % done, [0-9]+ s elapsed, about [0-9]+ s left'
touch long.go
stays long 0 ''
[ "$(sed -E 's/\r\x1b\[K/\n/g' long.screen | grep ' elapsed' | awk '{print length($0)}' | sort -n | tail -1)" -lt 70 ] ||
  fail "a line is as long as the terminal is wide"

# Messages replace the line; a process that gets SIGTERM erases it.
{ cat m.mtx; echo nonsense; } >wrong.mtx
on_terminal error "$(plant error pread $((preads - 4)))" "$program" convert wrong.mtx m.spmv
until_shown error.screen 'reading wrong\.mtx: '
touch error.go
stays error 4 '^spmv_dist: wrong\.mtx:.*nonsense'
on_terminal ended "$(plant ended pread $((preads - 4)))" "$program" convert m.mtx "$folder/ended.spmv"
until_shown ended.screen 'reading m\.mtx: '
kill -TERM "$(pgrep -f "^$program convert m.mtx $folder/ended.spmv")"
stays ended 143 '^note: ended by SIGTERM while reading m\.mtx'

# No progress is shown while products are timed, however long one takes.
on_terminal measured "$(plant measured MPI_Ibarrier 100)" "$program" m.mtx --backend host --mode vector --partition rows \
  --min-repetitions 200 --max-repetitions 200 --max-seconds 1e9
started=$SECONDS
until [ -e measured.go.reached ] || [ -s measured.code ] || [ $((SECONDS - started)) -ge "$at_most" ]; do sleep 0.1; done
[ -e measured.go.reached ] || fail "no product was stopped"
sleep 3
if grep -q 'measuring' measured.screen; then fail "progress was shown while products were timed"; fi
touch measured.go
stays measured 0 ''
has measured.out "correct"

# In a log: notes, the first after 10 s, from rank 0 only. METIS reports no share done.
log() { # NAME RANKS ENVIRONMENT COMMAND...
  local name=$1 ranks=$2 environment=$3
  shift 3
  { eval "timeout --signal=KILL $at_most $mpirun -np $ranks env $environment $*" >"$name.out" 2>"$name.err" </dev/null
    echo $? >"$name.code"; } &
}
products=(--backend host --mode vector "${quick[@]}")
log read 1 "$(plant read pread $((preads - 4)))" "$program" m.mtx "${products[@]}"
log metis 2 "$(plant metis METIS_PartGraphKway 1)" "$program" --generate stencil7:12,12,12 --partition metis "${products[@]}"
log auto 2 "$(plant auto METIS_PartGraphKway 1)" "$program" --generate random:20000,20000,2 --partition auto --products 1e12 "${products[@]}"
until_shown read.err '^note: reading m\.mtx has taken [0-9]+ s so far; [0-9]+ % is done, and about .* are left$'
until_shown metis.err '^note: partitioning has taken [0-9]+ s so far$'
# auto's choice depends on rates that it has just measured; if it is METIS, the note has the
# predicted time.
until [ -e auto.go.reached ] || [ -s auto.code ]; do sleep 0.1; done
[ ! -e auto.go.reached ] || until_shown auto.err '^note: partitioning with metis(_groups)? has taken [0-9]+ s so far; about [0-9]+ s were predicted$'
touch read.go metis.go auto.go
wait
for name in read metis auto; do
  [ "$(cat $name.code)" = 0 ] || fail "$name: exit code $(cat $name.code)"
  if grep -q $'\x1b' $name.err; then fail "$name: terminal codes in a log"; fi
  if grep -q 'has taken' $name.out; then fail "$name: a note on stdout"; fi
done
[ "$(grep -c '^note: partitioning has taken 1[0-9] s' metis.err)" -le 1 ] || fail "several ranks print, or one too often"
finish
