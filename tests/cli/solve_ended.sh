#!/usr/bin/env bash
# solve keeps what it has at a signal, and goes on from a checkpoint. Signals come when a checkpoint is there, not at a time.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
command -v python3 >/dev/null || exit 77
cd "$folder" || exit 1

# Conjugate gradients need as many iterations for this line as it has rows: far more than a signal takes to come.
rows=100000
{
  printf '%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n' $rows $rows $((2 * rows - 1))
  awk -v n=$rows 'BEGIN {for (i = 1; i <= n; ++i) {print i, i, 2; if (i < n) print i + 1, i, -1}}'
} >line.mtx
solve=(solve line.mtx --backend host --mode vector --transport staged --partition rows --format csr --tune-cache off
       --checkpoint x.spmv --json out.json)
endless=("${solve[@]}" --max-iterations 2000000000 --tolerance 0 --checkpoint-every 0 --write-x written.spmv)

# json EXPRESSION: evaluates it on the object `r` of out.json, whose only solver is `s`.
json() { python3 -c 'import json, sys; r = json.load(open("out.json")); s = r["solvers"][0]; print(eval(sys.argv[1]))' "$1"; }

# begin RANKS: starts the endless solve, and waits for its first checkpoint.
begin() {
  rm -f x.spmv out.json written.spmv
  OMPI_MCA_odls_base_sigkill_timeout=5 timeout --signal=KILL "$at_most" "$mpirun" -np "$1" "$program" "${endless[@]}" >out 2>err </dev/null &
  run=$!
  until [ -e x.spmv ] || ! kill -0 $run 2>/dev/null; do sleep 0.1; done
}

# kept: the table, the files and the message say that a signal ended it, with a residual for x so far.
kept() {
  grep -q '^note: ended by SIGTERM while solving with cg in mode vector; what there is until then is written$' err || { fail "no note" && show; }
  grep -q 'INCOMPLETE: ended by SIGTERM while solving with cg in mode vector' out || fail "the table does not say it: $(cat out)"
  grep -q ' asked$' out || fail "the table has another stop: $(cat out)"
  [ "$(json 'r["incomplete"].startswith("ended by SIGTERM") and s["stop"] == "asked" and s["iterations"] > 0')" = True ] || fail "out.json"
  cmp -s x.spmv written.spmv || fail "--write-x and --checkpoint are not the same x"
}

# One rank gets the signal, all end.
begin 2
kill -TERM "$(pgrep -f -- "^$program solve line.mtx" | tail -1)"
wait $run
code=$?
ended_with 143 || fail "exit code $code instead of 143"
kept

# The next run starts there, on other ranks.
residual=$(json 's["residual"]')
run 3 "${solve[@]}" --max-iterations 3
[ "$code" = 9 ] || fail "exit code $code instead of 9 after 3 iterations"
has err "note: starts from x in x.spmv"
[ "$(json "abs(s['history'][0] / $residual - 1) < 1e-6 and s['iterations'] == 3 and r['incomplete'] == ''")" = True ] || fail "it starts elsewhere: $residual, $(json 's["history"]')"
# What was not enough is kept as well.
residual=$(json 's["residual"]')
run 1 "${solve[@]}" --max-iterations 3
[ "$(json "abs(s['history'][0] / $residual - 1) < 1e-6")" = True ] || fail "x of too few iterations is not kept"

# The launcher gets the signal.
begin 2
kill -TERM "$(pgrep -P $run)"
wait $run && fail "exit code 0 of a launcher that got SIGTERM"
is_prterun || kept

refuses 2 "--checkpoint,one solver" 1 "${solve[@]}" --solver all
refuses 2 "--checkpoint,--times" 1 "${solve[@]}" --times 2
refuses 2 "--checkpoint,--write-x,same file" 1 "${solve[@]}" --write-x x.spmv
finish
