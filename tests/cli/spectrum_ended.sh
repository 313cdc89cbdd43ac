#!/usr/bin/env bash
# eigen and dos keep what they have at a signal. It comes when a note says that the search or the moments are under way, not at a time.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
command -v python3 >/dev/null || exit 77
cd "$folder" || exit 1

# The lowest eigenvalues of a line lie so close to each other that Lanczos with a small subspace does not part them before a signal comes.
one=(--generate "stencil5:100000,1" --backend host --mode vector --transport staged --partition rows --format csr --tune-cache off)
endless_eigen=(eigen "${one[@]}" --subspace 8 --count 2 --max-restarts 2000000000)
chain=(dos --generate "stencil5:20000,1" "${one[@]:2}" "--bounds=1.9,6.1" --moments 1000 --energies 200)
one_vector=(dos "${one[@]}" "--bounds=1.9,6.1" --moments 1000000 --vectors 1 --energies 200)

# json NAME EXPRESSION: evaluates it on the object `r` of NAME.json, and expects True.
json() {
  python3 - "$@" <<'P' || fail "not true of $1: $2: $(head -c 1000 "$1.json")"
import json, sys
r = json.load(open(sys.argv[1] + ".json"))
sys.exit(eval(sys.argv[2]) is not True)
P
}

# begin NAME RANKS ARGUMENTS...: starts a run that writes NAME.json, and sets $run to its process.
begin() {
  local name=$1 ranks=$2
  shift 2
  OMPI_MCA_odls_base_sigkill_timeout=5 timeout --signal=KILL "$at_most" "$mpirun" -np "$ranks" "$program" "$@" --json "$folder/$name.json" \
    >"$name.out" 2>"$name.err" </dev/null &
  run=$!
}

# is_busy NAME PROCESS WORDS: waits until the run says that it has been busy with this for long.
is_busy() {
  until grep -q "^note: $3 .*has taken" "$1.err" || ! kill -0 "$2" 2>/dev/null; do sleep 0.1; done
}

# signalled NAME PROCESS SIGNAL CODE: one rank gets the signal, all end with this code.
signalled() {
  local rank
  rank=$(pgrep -f -- "^$program .*--json $folder/$1.json" | tail -1)
  kill "-$3" "$rank"
  wait "$2"
  code=$?
  ended_with "$4" || { fail "$1: exit code $code instead of $4" && sed 's/^/    /' "$1.err"; }
}

# kept NAME WORDS: the message and the table say that a signal ended it, and the rest of what they say.
kept() {
  grep -q "^note: ended by $2.*; what there is until then is written\$" "$1.err" || { fail "$1: no note" && cat "$1.err"; }
  tr '\n' ' ' <"$1.out" | grep -q "INCOMPLETE: ended by $2" || fail "$1: the table does not say it: $(cat "$1.out")"
}

# All at the same time: each waits for its first note, and has work for minutes more.
begin eigen 2 "${endless_eigen[@]}"; eigen=$run
begin dos 2 "${chain[@]}" --vectors 10000 --write-dos dos.csv; dos=$run
echo old >part.csv
begin part 1 "${one_vector[@]}" --write-dos part.csv; part=$run
is_busy part "$part" "computing moments in mode vector (start vectors 1 to 1 of 1)"
signalled part "$part" INT 130
is_busy eigen "$eigen" "searching eigenvalues in mode vector (product"
signalled eigen "$eigen" TERM 143
is_busy dos "$dos" "computing moments in mode vector (start vectors \(1[7-9]\|[2-9][0-9]\|[1-9][0-9][0-9]\)"
signalled dos "$dos" TERM 143

kept eigen "SIGTERM while searching eigenvalues"
grep -q ' asked$' eigen.out || fail "eigen: the table has another stop: $(cat eigen.out)"
json eigen 'r["incomplete"].startswith("ended by SIGTERM") and r["searches"][0]["stop"] == "asked" and r["searches"][0]["restarts"] > 0'
json eigen 'len(r["searches"][0]["eigenvalues"]) == len(r["searches"][0]["residuals"]) == 2'

# The density stands on the start vectors that were finished, as if no others had been wanted.
kept dos "SIGTERM while computing moments: the density stands on [1-9][0-9]* of 10000 start vectors"
done=$(sed -n 's/^note: .* stands on \([0-9]*\) of 10000.*/\1/p' dos.err)
json dos "r['vectors'] == 10000 and len(r['modes'][0]['moments']) == $done and all(len(mu) == 1000 for mu in r['modes'][0]['moments'])"
[ "$(wc -l <dos.csv)" = 201 ] || fail "dos.csv: $(head -3 dos.csv)"
few=$((done < 5 ? done : 5))
begin few 2 "${chain[@]}" --vectors $few
wait "$run" || fail "few: $(cat few.err)"
json few "all(abs(a - b) < 1e-11 for mu, nu in zip(r['modes'][0]['moments'], json.load(open('dos.json'))['modes'][0]['moments'][:$few], strict=True) for a, b in zip(mu, nu, strict=True)) and r['incomplete'] == ''"

# Of a single start vector the moments so far.
kept part "SIGINT while computing moments: the density stands on 1 of 1 start vectors, and on [1-9][0-9]* of its 1000000 moments"
json part 'len(r["modes"][0]["moments"]) == 1 and 2 <= len(r["modes"][0]["moments"][0]) < 1000000 and r["moments"] == 1000000'
json part 'len(r["density"]) == 200 and r["error"] == []'
[ "$(head -1 part.csv)" = energy,density ] || fail "part.csv: $(head -3 part.csv)"
finish
