#!/usr/bin/env bash
# Scaling studies: points, going on after an interruption of any kind, what ends a study, names of every kind.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
cd "$folder" || exit 1
PATH=$(dirname "$(command -v "$mpirun")"):$PATH
export PATH

# study FILE ARGUMENT...: on one process, which starts the runs.
few=(--backend=host --warmup=0 --min-repetitions=6 --max-repetitions=6)
study() {
  local file=$1
  shift
  run 1 scale --generate=stencil7:8,8,8 --launcher=mpirun "--results=$file" "$@" -- "${few[@]}"
}
# What makes a point, sorted: a line each.
points() {
  grep -oE '^\{"matrix":"[^"]*","partition":"[^"]*","format":"[^"]*","transport":"[^"]*","mode":"[^"]*","options":"[^"]*","commit":"[^"]*","ranks":[0-9]+' "$1" | sort
}
# runs_on PID: whether the process has not ended; nobody may have asked how it did.
runs_on() { [ -e "/proc/$1/stat" ] && ! grep -q ') Z ' "/proc/$1/stat"; }
ended() { [ "$code" = "$1" ] || { fail "exit code $code instead of $1: $2"; show; }; }

# Every point once, with its environment and its times.
study all.jsonl --ranks=1,2 --mode=vector,task --format=csr,ellpack_r --partition=rows,nonzeros
ended 0 "a study"
[ "$(points all.jsonl | uniq | wc -l)" = 16 ] || fail "$(points all.jsonl | wc -l) points instead of 16"
[ "$(points all.jsonl | wc -l)" = "$(wc -l <all.jsonl)" ] || fail "lines that are no points"
for field in commit compiler cuda driver mpi launcher hosts binding gpus launch places; do
  [ "$(grep -c "\"environment\":{.*\"$field\":" all.jsonl)" = 16 ] || fail "points without $field"
done
[ "$(grep -cE '"hosts":\["[^"]+"(,"[^"]+")*\],"binding":\["[0-9]' all.jsonl)" = 16 ] || fail "no host or no cores in a point"
[ "$(grep -cE '^(csr|ellpack_r) ' out)" = 16 ] || fail "the table has not 16 lines"
has out "efficiency: "
has err "2 ranks, csr, rows, modes vector,task: mpirun -np 2"
# The most ranks first, and nothing twice.
[ "$(head -1 all.jsonl | grep -c '"ranks":2')" = 1 ] || fail "the largest run was not the first"
cp all.jsonl before
study all.jsonl --ranks=2,1 --mode=task,vector --format=csr,ellpack_r --partition=nonzeros,rows
ended 0 "the same study again"
cmp -s all.jsonl before || fail "a finished point was measured again"
grep -q 'modes' err && fail "a run of a finished study"
# Only what is new.
study all.jsonl --ranks=1 --mode=vector,naive,task --format=csr --partition=rows
has err "1 ranks, csr, rows, modes naive: "
[ "$(wc -l <all.jsonl)" = 17 ] || fail "one new mode is $(($(wc -l <all.jsonl) - 16)) new points"

# The whole JSON of every run, for a report: a run more is a file more.
study kept.jsonl --keep-runs=kept/of --ranks=1,2 --mode=vector --format=csr --partition=rows
study kept.jsonl --keep-runs=kept/of --ranks=1,2 --mode=vector,task --format=csr --partition=rows
ended 0 "runs that are kept"
# shellcheck disable=SC2012  # names made by the program
[ "$(ls kept/of | tr '\n' ' ')" = "csr_rows_00001_ranks_1.json csr_rows_00001_ranks_2.json csr_rows_00002_ranks_1.json csr_rows_00002_ranks_2.json " ] ||
  fail "kept runs: $(ls kept/of)"
[ "$(grep -l '"modes"' kept/of/* | wc -l)" = 4 ] || fail "a kept run has no modes"
: >file
study kept.jsonl --keep-runs=file --ranks=1 --mode=naive --format=csr --partition=rows
ended 5 "a folder that is none"

# What cannot be is a point, too, with the reason, and is not tried again.
study left.jsonl --ranks=2 --mode=all --format=csr --partition=rows
ended 0 "all modes"
if grep -q '"left_out"' left.jsonl; then has out "left out: "; fi
cp left.jsonl before
study left.jsonl --ranks=2 --mode=all --format=csr --partition=rows
cmp -s left.jsonl before || fail "what was left out was tried again"

# Killed in its third run, again and again: the same set of points as a study that was not, each once.
cat >killer <<P
#!/usr/bin/env bash
if [ "\${OMPI_COMM_WORLD_RANK:-\${PMI_RANK:-0}}" = 0 ]; then
  echo run >>"$folder/runs"
  if [ "\$(wc -l <"$folder/runs")" -gt 2 ] && [ -s "$folder/pid" ]; then
    echo \$\$ >"$folder/left"
    kill -KILL "\$(cat "$folder/pid")"
    rm "$folder/pid"
  fi
fi
exec "$program" "\$@"
P
chmod +x killer
wide=("--ranks=1,2" "--mode=vector,task" "--format=csr,ellpack_r" "--partition=rows,nonzeros")
for _ in 1 2 3; do
  : >runs
  "$program" scale --generate=stencil7:8,8,8 --launcher=mpirun --results=killed.jsonl "--program=$folder/killer" "${wide[@]}" -- "${few[@]}" \
    >out 2>err </dev/null &
  echo $! >pid.new
  mv pid.new pid
  wait $!
  code=$?
  ended 137 "a study that is killed"
  while runs_on "$(cat left)"; do sleep 0.1; done  # what it has started ends with it
  printf '{"matrix":"stencil7:8,8,8","par' >>killed.jsonl
done
[ "$(points killed.jsonl | wc -l)" -ge 12 ] || fail "three studies of two runs have left $(points killed.jsonl | wc -l) points"
rm -f pid
study killed.jsonl "${wide[@]}"
ended 0 "the last of four studies"
has err "torn"
study whole.jsonl "${wide[@]}"
cmp -s <(points killed.jsonl) <(points whole.jsonl) || fail "the points of a study that was killed are not those of one that was not"
[ -z "$(find . -name 'killed.jsonl.run.*')" ] || fail "files of killed runs are left"

# A run that fails, one that takes too long, one that cannot be started, one that is asked to end.
printf '#!/bin/sh\necho what a pity >&2\nexit 9\n' >failing
printf '#!/bin/sh\nexec sleep 300\n' >sleeping
chmod +x failing sleeping
study fail.jsonl --ranks=1 --program="$folder/failing"
ended 9 "a failing run"
has err "what a pity"
grep -qE '^spmv_dist: stencil7:8,8,8 on 1 ranks, format auto, ended with exit code 9 .*goes on from here' err || fail "the failing run is not named"
[ -s fail.jsonl ] && fail "a failed run has a point"
study fail.jsonl --ranks=1 --program="$folder/sleeping" --run-limit=0.5
ended 7 "a run beyond its limit"
has err "--run-limit"
study fail.jsonl --ranks=1 --launcher=carrier
ended 2 "an unknown launcher"
for signal in TERM:143 INT:130; do
  # A shell's background ignores SIGINT, which the program would go on to ignore.
  env --default-signal=INT "$program" scale --generate=stencil7:8,8,8 --launcher=mpirun --results=ended.jsonl "--program=$folder/sleeping" --ranks=1 >out 2>err </dev/null &
  pid=$!
  while [ -z "$(pgrep -P "$pid")" ] && kill -0 "$pid"; do sleep 0.05; done
  child=$(pgrep -P "$pid")
  kill "-${signal%:*}" "$pid"
  wait "$pid"
  code=$?
  ended "${signal#*:}" "a study that is sent ${signal%:*}"
  kill -0 "$child" 2>/dev/null && fail "the launcher is left behind after ${signal%:*}"
done
# The launcher gets the same signal, by which it ends what runs on other nodes: one that is only killed could not.
mkdir asked
cat >asked/mpirun <<'P'
#!/usr/bin/env bash
for signal in TERM INT; do trap "echo $signal >told; kill \$!; exit 1" "$signal"; done
sleep 300 &
: >ready
wait
P
chmod +x asked/mpirun
for signal in TERM INT; do
  rm -f ready told
  PATH=$folder/asked:$PATH env --default-signal=INT "$program" scale --generate=stencil7:8,8,8 --launcher=mpirun --results=ended.jsonl --ranks=1 \
    >out 2>err </dev/null &
  pid=$!
  while [ ! -e ready ] && kill -0 "$pid"; do sleep 0.05; done
  kill "-$signal" "$pid"
  wait "$pid"
  [ "$(cat told)" = "$signal" ] || fail "a launcher is not sent the $signal that its study is sent"
done
# Where it is killed, its launcher goes with it.
"$program" scale --generate=stencil7:8,8,8 --launcher=mpirun --results=ended.jsonl "--program=$folder/sleeping" --ranks=1 >out 2>err </dev/null &
pid=$!
while [ -z "$(pgrep -P "$pid")" ] && kill -0 "$pid"; do sleep 0.05; done
child=$(pgrep -P "$pid")
kill -KILL "$pid"
wait "$pid"
while runs_on "$child"; do sleep 0.1; done

# Two studies with one file.
"$program" scale --generate=stencil7:8,8,8 --launcher=mpirun --results=shared.jsonl "--program=$folder/sleeping" --ranks=1 >/dev/null 2>&1 </dev/null &
pid=$!
while [ -z "$(pgrep -P "$pid")" ] && kill -0 "$pid"; do sleep 0.05; done
study shared.jsonl --ranks=1
ended 5 "a second study"
has err "another study"
kill "$pid"
wait "$pid"

# Weak scaling: the matrix grows with the ranks.
run 1 scale --weak '--generate=stencil7:8,8,{4*ranks}' --launcher=mpirun --results=weak.jsonl --ranks=1,2 --mode=vector --format=csr --partition=rows -- "${few[@]}"
ended 0 "weak scaling"
[ "$(grep -oE '"rows":[0-9]+' weak.jsonl | sort -u | tr '\n' ' ')" = '"rows":256 "rows":512 ' ] || fail "the matrix does not grow"
run 1 report weak.jsonl -o weak.html
ended 0 "a report of weak scaling"
[ "$(grep -c 'data-figure="weak_scaling"' weak.html)" = 1 ] || fail "no figure of weak scaling"
has weak.html 'where the fastest on 1 rank takes'

# Names of files: words of no shell, and text in what is written.
name=$'-a b\'"$(touch oops)#\n\x1b[31m<script>&=cmd()\xc3\xa9\xff;*.mtx'
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 1\n' >"./$name"
for _ in 1 2; do
  run 1 scale --launcher=mpirun "--results=$folder/=r\$(touch oops) '.jsonl" --ranks=1 --mode=vector --format=csr --partition=rows -- "$name" "${few[@]}"
  ended 0 "a matrix with a strange name"
done
[ -e oops ] && fail "a name was executed"
grep -q "$(printf '\033')" out err && fail "an escape sequence in a name is printed"
[ "$(wc -l <"=r\$(touch oops) '.jsonl")" = 1 ] || fail "the point with a strange name is not one line"

# The matrix before the options of the runs, or behind them.
expect 0 1 generate stencil7:4,4,4 -o m.mtx
run 1 scale m.mtx --launcher=mpirun --results=before.jsonl --ranks=1 --mode=vector --format=csr --partition=rows -- "${few[@]}"
ended 0 "a matrix before the options"
run 1 scale --launcher=mpirun --results=before.jsonl --ranks=1 --mode=vector --format=csr --partition=rows -- m.mtx "${few[@]}"
ended 0 "the same behind them"
[ "$(wc -l <before.jsonl)" = 1 ] || fail "the place of the matrix makes another point"

# What is no study.
refuses 2 "--results" 1 scale --generate=stencil7:4,4,4
refuses 2 "either a file,--generate" 1 scale --results=x
refuses 2 "'fast'" 1 scale --results=x --generate=stencil7:4,4,4 --mode=fast
refuses 2 "'crs'" 1 scale --results=x --generate=stencil7:4,4,4 --format=csr,crs
refuses 2 "--ranks" 1 scale --results=x --generate=stencil7:4,4,4 --ranks=0
refuses 2 "--mode belongs before --" 1 scale --results=x --generate=stencil7:4,4,4 -- --mode=task
refuses 2 "--weak,{ranks}" 1 scale --results=x --generate=stencil7:4,4,4 --weak
refuses 2 "without mpirun" 2 scale --results=x --generate=stencil7:4,4,4
refuses 5 "cannot be written" 1 scale --results=none/x --generate=stencil7:4,4,4
for line in '[1, 2]' '{"matrix": "m"}' nonsense 7; do
  { cat all.jsonl; echo "$line"; } >strange.jsonl
  refuses 4 "strange.jsonl:18,remove the line" 1 scale --results=strange.jsonl --generate=stencil7:4,4,4
done
finish
