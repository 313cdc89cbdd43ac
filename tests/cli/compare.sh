#!/usr/bin/env bash
# Two files of results beside each other, and the gate of a site that keeps a baseline.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

# results SEED FACTOR [DRIVER]: what --json of a run has, with 60 noisy times of two modes: most within some per cent, a few far above
# (another process), all of them FACTOR times as long.
results() {
  awk -v seed="$1" -v factor="$2" -v driver="${3:-550.54}" '
    function noisy(typical) {
      normal = sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand())
      return typical * factor * exp(0.03 * normal) * (rand() < 0.05 ? 1.2 + 2 * rand() : 1)
    }
    function mode(name, typical, i, list) {
      for (i = 0; i < 60; ++i) list = list (i ? ", " : "") sprintf("%.9e", noisy(typical))
      return sprintf("{\"mode\": \"%s\", \"transport\": \"staged\", \"transport_chosen\": true, \"layout\": \"merged\", \"rows_wrong\": 0, \"samples_s\": [%s], \"marks\": [], \"marks_reason\": \"\"}", name, list)
    }
    BEGIN {
      srand(seed)
      printf "{\"incomplete\": \"\", \"environment\": {\"ranks\": 2, \"date\": \"%s\", \"driver\": \"%s\", \"versions\": \"MPI        Open MPI\\n\"},\n", seed, driver
      printf "\"matrix\": {\"name\": \"/scratch/%s/m.mtx\", \"rows\": 10, \"nonzeros\": 30, \"value\": \"double\"},\n", seed
      printf "\"partition\": {\"partitioner\": \"rows\"}, \"format\": {\"interior\": \"csr\"}, \"tuning\": {\"automatic\": false},\n"
      printf "\"modes\": [%s,\n%s]}\n", mode("vector", 5e-5), mode("task", 4e-5)
    }'
}

# Ten repeats pass, and ten that are 10 % slower do not. Nothing of MPI is needed.
for i in $(seq 10); do
  results "$i" 1 >"$folder/a.json"
  results "$((100 + i))" 1 >"$folder/b.json"
  results "$((200 + i))" 1.1 >"$folder/slow.json"
  expect 0 1 compare "$folder/a.json" "$folder/b.json" --min-ratio 0.95
  expect 6 1 compare "$folder/a.json" "$folder/slow.json" --min-ratio 0.95
  [ "$(grep -c 'BELOW 0.95' "$folder/out")" = 2 ] || fail "two modes are slower, and the table tells $(grep -c BELOW "$folder/out")"
  # The times themselves, each a tenth longer: what a planted slow-down is.
  sed -E 's/"driver": "[^"]*"/"driver": "550.54"/' "$folder/a.json" | awk '
    /samples_s/ {
      at = index($0, "samples_s"); head = substr($0, 1, at + 12); rest = substr($0, at + 13)
      end = index(rest, "]"); n = split(substr(rest, 1, end - 1), t, ", "); line = head
      for (k = 1; k <= n; ++k) line = line (k > 1 ? ", " : "") sprintf("%.9e", t[k] * 1.1)
      $0 = line substr(rest, end)
    } { print }' >"$folder/planted.json"
  expect 6 1 compare "$folder/a.json" "$folder/planted.json" --min-ratio 0.95
  grep -q '0\.909' "$folder/out" || { fail "the ratio of a planted slow-down is not 1 / 1.1"; cat "$folder/out"; }
  expect 0 1 compare "$folder/planted.json" "$folder/a.json" --min-ratio 0.95
done
# Without a gate anything is fine, and every call gives the same interval.
expect 0 1 compare "$folder/a.json" "$folder/slow.json" --json "$folder/c.json"
cp "$folder/out" "$folder/first"
expect 0 1 compare "$folder/a.json" "$folder/slow.json"
cmp -s "$folder/out" "$folder/first" || fail "the same files give another comparison"
has "$folder/c.json" '"below_min_ratio": false'
expect 6 1 compare "$folder/a.json" "$folder/b.json" --min-ratio 1.5

# What differs: the driver, but neither the date nor the folder of the matrix.
results 7 1 535.104 >"$folder/old.json"
expect 0 1 compare "$folder/old.json" "$folder/a.json"
has "$folder/out" "environment.driver: 535.104 -> 550.54"
[ "$(grep -c -- '->' "$folder/out")" = 1 ] || { fail "more differs than the driver"; cat "$folder/out"; }
expect 0 1 compare "$folder/a.json" "$folder/b.json"
has "$folder/out" "nothing that the files tell"

# A mode that only one file has, and one that was measured over another transport.
sed 's/"mode": "task"/"mode": "naive"/' "$folder/a.json" >"$folder/naive.json"
expect 0 1 compare "$folder/a.json" "$folder/naive.json"
has "$folder/out" "only in A: mode task"
has "$folder/out" "only in B: mode naive"
sed 's/"interior": "csr"/"interior": "sell"/' "$folder/a.json" >"$folder/sell.json"
expect 0 1 compare "$folder/a.json" "$folder/sell.json"
has "$folder/out" "format: csr -> sell"

# Points of a study, the last of which was being written when the study was killed. Of two with one subject the last counts.
point() {  # MODE SECONDS
  printf '{"matrix": "m.mtx", "rows": 10, "nonzeros": 30, "value": "double", "ranks": 2, "partition": "rows", "format": "csr", "transport": "auto", "mode": "%s", "median_s": %s, "measured": {"mode": "%s", "transport": "staged", "rows_wrong": 0, "samples_s": [%s, %s, %s, %s, %s, %s]}, "environment": {"hosts": ["n1", "n1"]}}\n' \
    "$1" "$2" "$1" "$2" "$2" "$2" "$2" "$2" "$2"
}
{ point vector 1e-5; point vector 2e-5; point task 1e-5; printf '{"matrix": "m.m'; } >"$folder/points.jsonl"
expect 0 1 compare "$folder/points.jsonl" "$folder/a.json" --min-ratio 0.2
has "$folder/out" "A has 1 older points"
grep -qE '^vector +20\.0' "$folder/out" || fail "not the last point of a subject"

# Marks of a series, and names from outside, are text.
sed 's/"marks": \[\], "marks_reason": ""/"marks": ["noisy"], "marks_reason": "cores are \\u001b[2J shared"/; s,m.mtx,<script>\\u001b[31m\\n=cmd().mtx,' "$folder/a.json" >"$folder/marked.json"
expect 0 1 compare "$folder/marked.json" "$folder/marked.json"
has "$folder/out" 'A: noisy: cores are \x1b[2J shared'
has "$folder/out" '<script>\x1b[31m\x0a=cmd().mtx'
grep -q "$(printf '\033')" "$folder/out" && fail "an escape sequence from a file is printed"

# What is no file of results.
sed 's/"samples_s": \[[^]]*\]/"median_s": 1/' "$folder/a.json" >"$folder/medians.json"
refuses 4 "medians.json,mode vector,samples_s,measure it again" 1 compare "$folder/a.json" "$folder/medians.json"
sed -E 's/"samples_s": \[([^,]*), [^]]*\]/"samples_s": [\1]/' "$folder/a.json" >"$folder/few.json"
refuses 4 "1 samples,--min-repetitions" 1 compare "$folder/few.json" "$folder/a.json" --min-ratio 0.5
sed 's/"samples_s": \[/"samples_s": [-1, /' "$folder/a.json" >"$folder/negative.json"
refuses 4 "no time: -1" 1 compare "$folder/a.json" "$folder/negative.json"
sed 's/"rows_wrong": 0/"rows_wrong": 3/' "$folder/a.json" >"$folder/wrong.json"
refuses 3 "wrong.json,3 rows,wrong" 1 compare "$folder/a.json" "$folder/wrong.json"
sed 's/"rows": 10/"rows": 11/' "$folder/a.json" >"$folder/other.json"
refuses 4 "no measurement in common,11 rows" 1 compare "$folder/a.json" "$folder/other.json"
echo '{"a": 1}' >"$folder/something.json"
refuses 4 "something.json,neither" 1 compare "$folder/something.json" "$folder/a.json"
echo 'nonsense' >"$folder/nonsense"
refuses 4 "nonsense:1,not a JSON object" 1 compare "$folder/nonsense" "$folder/a.json"
refuses 4 "none.json,cannot be read" 1 compare "$folder/none.json" "$folder/a.json"
refuses 2 "is required" 1 compare "$folder/a.json"
refuses 2 "--min-ratio" 1 compare "$folder/a.json" "$folder/b.json" --min-ratio fast
refuses 2 "the same file" 1 compare "$folder/a.json" "$folder/b.json" --json "$folder/b.json"
refuses 2 "start it without mpirun" 2 compare "$folder/a.json" "$folder/b.json"
finish
